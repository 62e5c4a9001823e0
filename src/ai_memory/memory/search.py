"""The verbs of recall: query, recent, briefing. They read only, and never another project than the one resolved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ai_memory.domain.actor import Actor
from ai_memory.index import listing
from ai_memory.index.values import Hit
from ai_memory.ledger import batons
from ai_memory.memory import access, places
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where
from ai_memory.recall import search as recall
from ai_memory.recall.search import Asked, Sources

MOST = 100
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of a query, best first, and the scope they come from."""

    hits: tuple[Hit, ...]
    scope: dict[str, Any]


def query(core: Core, actor: Actor, where: Where, text: str, limit: int = 10) -> Answer:
    """What the wiki and the evidence say about ``text``, best first. ``limit`` is 1 to 100."""
    access.require(actor, "read")
    access.bounded(limit, MOST)
    place = places.find(core, where)
    scope = places.said(place)
    words = text[:_LONGEST]
    if place.project is None or not words.strip():
        return Answer((), scope)
    now = datetime.fromtimestamp(core.clock(), UTC)
    asked = Asked(words, now, core.embedding.question(words))
    with core.index.reader() as db:
        hits = recall.find(db, Sources(core.turns, core.embedding.space), asked, place.project.id, limit)
    return Answer(tuple(_with_page(core, hit) for hit in hits), scope)


def _with_page(core: Core, hit: Hit) -> Hit:
    """A session's hit with the page that was written of it."""
    if not hit.session or hit.path:
        return hit
    row = core.ledger.one("session_get", id=hit.session)
    return replace(hit, path=str(row["page"])) if row and row["page"] else hit


def recent(core: Core, actor: Actor, where: Where, limit: int = 10) -> tuple[list[Any], dict[str, Any]]:
    """The pages changed last, newest first, and the scope."""
    access.require(actor, "read")
    access.bounded(limit, MOST)
    place = places.find(core, where)
    if place.project is None:
        return [], places.said(place)
    with core.index.reader() as db:
        return list(listing.recent(db, place.project.id, limit)), places.said(place)


def briefing(core: Core, actor: Actor, where: Where, limit: int = 10) -> dict[str, Any]:
    """Where this project stands: counts, open handoffs, rules and slots, the pages changed last, the last sessions."""
    access.require(actor, "read")
    access.bounded(limit, MOST)
    place = places.find(core, where)
    answer: dict[str, Any] = {"scope": places.said(place)}
    if place.project is None:
        return answer | {"note": "Nothing is remembered here yet."}
    with core.index.reader() as db:
        pages = listing.pages(db, place.project.id)
        standing = [
            {"path": p.path, "title": p.title, "body": (listing.body(db, place.project.id, p.path) or "")[:1_000]}
            for p in pages
            if p.path.startswith(("_rules/", "_slots/"))
        ]
    pages.sort(key=lambda p: p.at, reverse=True)
    counts = core.ledger.one("session_counts", project=place.project.id)
    waiting = [b for b in batons.open_in(core.ledger, place.project.id) if b.expires > core.now()]
    return answer | {
        "counts": {"pages": len(pages), **(dict(counts) if counts else {})},
        "handoffs": [{"id": b.id, "from": b.agent, "created": b.created, "summary": b.summary[:400]} for b in waiting[:5]],
        "rules": standing[:20],
        "recent": [{"path": p.path, "title": p.title, "at": p.at} for p in pages[:limit]],
        "sessions": [
            {"id": row["id"], "agent": row["agent"], "last": row["last"], "page": row["page"]}
            for row in core.ledger.all("session_recent", project=place.project.id, limit=5)
        ],
    }
