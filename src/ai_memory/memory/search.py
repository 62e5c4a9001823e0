"""The verbs of recall: query, recent, briefing. They read only, and never another project than the one resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ai_memory.domain.actor import Actor
from ai_memory.index import listing
from ai_memory.index import search as index
from ai_memory.index.values import Hit
from ai_memory.ledger import batons
from ai_memory.memory import access, places
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where

MOST = 100
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of a query, pages before evidence, and the scope they come from."""

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
    here = (place.project.id,)
    with core.index.reader() as db:
        pages = index.pages(db, words, here, limit)
        evidence = index.evidence(db, words, here, limit)
    written_up = {hit.path for hit in pages}
    fresh = [hit for hit in evidence if _page_of(core, hit) not in written_up]
    return Answer((*pages, *fresh)[:limit], scope)


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


def _page_of(core: Core, hit: Hit) -> str:
    row = core.ledger.one("session_get", id=hit.session)
    return str(row["page"]) if row else ""
