"""From a question to the pages and sessions of a project that answer it, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ai_memory.index import passages, projects, query, search, sessions, words
from ai_memory.index.search import Found
from ai_memory.index.sessions import Candidate, Candidates
from ai_memory.index.space import Likeness, Space
from ai_memory.index.store import Reader
from ai_memory.index.turns import Turns
from ai_memory.index.values import Hit
from ai_memory.index.vectors import Floats
from ai_memory.recall import fuse, relevance

# What each stream of a session weighs; measured in docs/recall.md.
SESSION = {"whole": 1.0, "window": 1.0, "near": 0.6, "wide": 0.6, "time": 2.0}
PAGE = {"text": 1.0, "near": 0.7, "time": 1.0}
_EXACTLY = 2.0  # what holding the question word for word weighs beside these
_NEAR, _WIDE = (size for size, _ in passages.WINDOWS)
_BY_MEANING = 50  # candidates that only vectors find
_LOOKED_AT = 40  # sessions that are read and graded


@dataclass(frozen=True, slots=True)
class Sources:
    """What is searched: the turns and passages in memory; without a ``space`` words alone decide."""

    turns: Turns
    space: Space | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its ``text``, its ``vector`` if there is one, ``when`` weighs an instant (RFC 3339), from 0 to 1."""

    text: str
    vector: Floats | None = None
    when: Callable[[str], float] | None = None


@dataclass(frozen=True, slots=True)
class _Judged:
    hit: Hit
    value: float


def find(db: Reader, sources: Sources, asked: Asked, project: str, limit: int) -> list[Hit]:
    """At most ``limit`` hits, pages and sessions together; nothing where nothing is relevant."""
    no = projects.find(db, project)
    if no is None or limit < 1:
        return []
    like = None
    if asked.vector is not None and sources.space is not None and not _literal(asked.text):
        like = sources.space.like(no, asked.vector)
    among = sessions.candidates(db, sources.turns, asked.text, no)
    found = _sessions(db, among, like, asked, limit) if among else []
    held = _pages(db, like, asked, project, limit, written_up=among is not None)
    return _merged(held, found, limit)


def _literal(text: str) -> bool:
    """Whether a question is made of identifiers alone, which a model of meaning knows nothing about."""
    terms = query.parse(text).terms
    return bool(terms) and all(words.is_name(term.text) or term.text.isdigit() for term in terms)


def _sessions(
    db: Reader, among: Candidates, like: Likeness | None, asked: Asked, limit: int
) -> list[_Judged]:
    near, wide = _likeness(like, _NEAR), _likeness(like, _WIDE)
    known = {int(no) for no in among.frame.sessions.tolist()}
    more = sorted((no for no in near if no in known), key=lambda no: (-near[no], no))[:_BY_MEANING]
    numbers = sorted({*among.found, *more})
    if not numbers:
        return []
    empty = Candidate(0, 0.0, 0.0, 0.0, ())
    each = [among.found.get(no, empty) for no in numbers]
    streams: dict[str, Sequence[float]] = {
        "whole": [one.whole for one in each],
        "window": [one.window for one in each],
    }
    if like is not None:
        streams |= {"near": _filled(near, numbers), "wide": _filled(wide, numbers)}
    if asked.when is not None:
        began = sessions.started(db, numbers)
        streams["time"] = [asked.when(began.get(no, "")) for no in numbers]
    total = fuse.fuse(streams, SESSION)
    order = sorted(range(len(numbers)), key=lambda at: (-total[at], numbers[at]))[: max(_LOOKED_AT, limit)]
    shown = [(numbers[at], _turns(among, each[at], like, numbers[at])) for at in order]
    hits = sessions.hits(db, among, shown)
    scored = []
    for at in order:
        if (found := hits.get(numbers[at])) is not None:
            share = max(each[at].share, found.share)
            value = relevance.relevance(share, found.bonus, near.get(numbers[at]))
            scored.append((found.hit, total[at] + _EXACTLY * found.bonus, value))
    return _ranked(scored)


def _turns(among: Candidates, one: Candidate, like: Likeness | None, no: int) -> tuple[int, ...]:
    """The turns to show: those that hold the words, or those that mean the same."""
    if one.turns and (like is None or one.share >= 0.5):
        return one.turns
    place = like.place(_NEAR, no) if like is not None else None
    return one.turns + sessions.turns_at(among.frame, no, *place) if place else one.turns


def _pages(
    db: Reader, like: Likeness | None, asked: Asked, project: str, limit: int, *, written_up: bool
) -> list[_Judged]:
    near = _likeness(like, passages.PAGE)
    more = sorted(near, key=lambda id: (-near[id], id))[: limit + _BY_MEANING // 2]
    found = search.page_candidates(db, asked.text, (project,), limit + 8, more)
    # What a session's page says stands in its evidence, word for word.
    kept = [at for at in range(len(found)) if not (written_up and found.rows[at]["path"].startswith("sessions/"))]
    if not kept:
        return []
    streams: dict[str, Sequence[float]] = {"text": [found.grades[at].score for at in kept]}
    if like is not None:
        streams["near"] = _filled(near, [found.rows[at]["id"] for at in kept])
    if asked.when is not None:
        streams["time"] = [asked.when(found.rows[at]["at"]) for at in kept]
    total = fuse.fuse(streams, PAGE)
    return _ranked([(found.hit(at), score, _of_page(found, at, near)) for at, score in zip(kept, total, strict=True)])


def _of_page(found: Found, at: int, near: dict[int, float]) -> float:
    row, grade = found.rows[at], found.grades[at]
    value = relevance.relevance(grade.share, grade.bonus, near.get(row["id"]))
    return value + relevance.authority(row["path"], row["type"]) if value >= relevance.FLOOR else value


def _ranked(scored: list[tuple[Hit, float, float]]) -> list[_Judged]:
    """Those above the floor in the order of their scores; ``sorted`` keeps the order of equals."""
    order = [(hit, value) for hit, _, value in sorted(scored, key=lambda one: -one[1]) if value >= relevance.FLOOR]
    values = fuse.falling([value for _, value in order])
    return [_Judged(hit, value) for (hit, _), value in zip(order, values, strict=True)]


def _merged(held: list[_Judged], found: list[_Judged], limit: int) -> list[Hit]:
    both = sorted([*held, *found], key=lambda one: -one.value)
    return [replace(one.hit, score=round(one.value, 4)) for one in both[:limit]]


def _likeness(like: Likeness | None, kind: int) -> dict[int, float]:
    if like is None:
        return {}
    owners, best = like.of(kind)
    return {owner: score for owner, score in zip(owners.tolist(), best.tolist(), strict=True) if score > -1.0}


def _filled(scores: dict[int, float], wanted: Sequence[int]) -> list[float]:
    """The scores of the wanted ones; one without has no more than the least of all."""
    least = min(scores.values(), default=0.0)
    return [scores.get(one, least) for one in wanted]
