"""The verb of status: what is stored, what waits, what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ai_memory import __version__
from ai_memory.domain.actor import Actor
from ai_memory.index import listing
from ai_memory.ledger import projects
from ai_memory.memory import access, places
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where


def status(core: Core, actor: Actor, where: Where) -> dict[str, Any]:
    """Counts of the store and of this project, queues, and the scope."""
    access.require(actor, "read")
    place = places.find(core, where)
    totals = core.ledger.one("session_totals")
    with core.index.reader() as db:
        stored = listing.status(db)
        here = listing.counts(db, place.project.id) if place.project else {}
    answer: dict[str, Any] = {
        "version": __version__,
        "scope": places.said(place),
        "store": {
            "projects": len(projects.everything(core.ledger)),
            **(dict(totals) if totals else {}),
            "pages": stored["pages"],
            "bytes": {name: _size(core.config.data / name) for name in ("ledger.db", "index.db")},
        },
        "queues": {
            "writer": core.writer.waiting,
            "index": core.shadow.waiting,
            "git": core.shadow.uncommitted,
            "chores": core.chores.waiting,
        },
        "index": {"caught_up": core.shadow.caught_up},
        "embedding_pending": core.embedding.pending,
        "embedding": {"model": core.embedding.model, "note": core.embedding.reason},
        "protected": bool(core.config.token),
    }
    if place.project is not None:
        counts = core.ledger.one("session_counts", project=place.project.id)
        waiting = core.ledger.one("baton_count", project=place.project.id, at=core.now())
        answer["project"] = {
            **(dict(counts) if counts else {}),
            "pages": here.get("pages") or 0,
            "handoffs": waiting["open"] if waiting else 0,
        }
    return answer


def everything(core: Core, actor: Actor) -> list[dict[str, str]]:
    """Every project with its workspace."""
    access.require(actor, "read")
    return [{"workspace": p.workspace_name, "project": p.name, "id": p.id} for p in projects.everything(core.ledger)]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
