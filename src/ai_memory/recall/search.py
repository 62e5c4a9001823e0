"""From a question to the pages and sessions of a project that answer it, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_memory.index import passages, projects, query, search, sessions, words
from ai_memory.index.search import Found
from ai_memory.index.sessions import Candidate, Candidates
from ai_memory.index.space import Likeness, Space
from ai_memory.index.store import Reader
from ai_memory.index.turns import Turns
from ai_memory.index.values import Hit
from ai_memory.index.vectors import Floats
from ai_memory.recall import fuse, moment, relevance
from ai_memory.recall.moment import Moment

# What each stream of a session weighs; measured in docs/recall.md.
SESSION = {"whole": 0.7, "window": 1.0, "near": 0.7, "wide": 0.7, "time": 3.0}
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
    """A question: its ``text``, its ``vector`` if there is one, and ``now``, from which its dates are read."""

    text: str
    now: datetime
    vector: Floats | None = None


@dataclass(frozen=True, slots=True)
class _Judged:
    """``score`` orders hits of one kind, ``value`` merges both kinds."""

    hit: Hit
    score: float
    value: float
    clear: bool


def find(db: Reader, sources: Sources, asked: Asked, project: str, limit: int) -> list[Hit]:
    """At most ``limit`` hits, pages and sessions together; nothing where nothing is relevant."""
    no = projects.find(db, project)
    if no is None or limit < 1:
        return []
    like = None
    if asked.vector is not None and sources.space is not None and not _literal(asked.text):
        like = sources.space.like(no, asked.vector)
    among = sessions.candidates(db, sources.turns, asked.text, no)
    time = moment.read(asked.text, asked.now, sessions.years(db, no))
    found = _sessions(db, among, like, time, limit) if among else []
    held = _pages(db, like, time, asked.text, project, limit, written_up=among is not None)
    return _merged(held, found, limit)


def _literal(text: str) -> bool:
    """Whether a question is made of identifiers alone, which a model of meaning knows nothing about."""
    terms = query.parse(text).terms
    return bool(terms) and all(words.is_name(term.text) or term.text.isdigit() for term in terms)


def _sessions(
    db: Reader, among: Candidates, like: Likeness | None, time: Moment | None, limit: int
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
    if time is not None:
        began = sessions.started(db, numbers)
        streams["time"] = [time.fits(began.get(no, "")) for no in numbers]
    total = fuse.fuse(streams, _weights(SESSION, time))
    order = sorted(range(len(numbers)), key=lambda at: (-total[at], numbers[at]))[: max(_LOOKED_AT, limit)]
    shown = [(numbers[at], _turns(among, each[at], like, numbers[at])) for at in order]
    hits = sessions.hits(db, among, shown)
    judged = []
    for at in order:
        if (found := hits.get(numbers[at])) is not None:
            told = (max(each[at].share, found.share), found.bonus, _seen(like, near, numbers[at]))
            score = total[at] + _EXACTLY * found.bonus
            judged.append(_Judged(found.hit, score, relevance.relevance(*told), relevance.is_clear(*told)))
    return _ranked(judged)


def _weights(usual: dict[str, float], time: Moment | None) -> dict[str, float]:
    """The weights of the streams: dates count by how much they say."""
    return usual if time is None else usual | {"time": usual["time"] * time.strength}


def _turns(among: Candidates, one: Candidate, like: Likeness | None, no: int) -> tuple[int, ...]:
    """The turns to show: those that hold the words, or those that mean the same."""
    if one.turns and (like is None or one.share >= 0.5):
        return one.turns
    place = like.place(_NEAR, no) if like is not None else None
    return one.turns + sessions.turns_at(among.frame, no, *place) if place else one.turns


def _pages(
    db: Reader, like: Likeness | None, time: Moment | None, text: str, project: str, limit: int, *, written_up: bool
) -> list[_Judged]:
    near = _likeness(like, passages.PAGE)
    more = sorted(near, key=lambda id: (-near[id], id))[: limit + _BY_MEANING // 2]
    found = search.page_candidates(db, text, (project,), limit + 8, more)
    # What a session's page says stands in its evidence, word for word.
    kept = [at for at in range(len(found)) if not (written_up and found.rows[at]["path"].startswith("sessions/"))]
    if not kept:
        return []
    streams: dict[str, Sequence[float]] = {"text": [found.grades[at].score for at in kept]}
    if like is not None:
        streams["near"] = _filled(near, [found.rows[at]["id"] for at in kept])
    if time is not None:
        streams["time"] = [time.fits(found.rows[at]["at"]) for at in kept]
    total = fuse.fuse(streams, _weights(PAGE, time))
    return _ranked([_judged(found, at, score, like, near) for at, score in zip(kept, total, strict=True)])


def _judged(found: Found, at: int, score: float, like: Likeness | None, near: dict[int, float]) -> _Judged:
    row, grade = found.rows[at], found.grades[at]
    told = (grade.share, grade.bonus, _seen(like, near, row["id"]))
    value = relevance.relevance(*told)
    if value >= relevance.FLOOR:
        value += relevance.authority(row["path"], row["type"])
    return _Judged(found.hit(at), score, value, relevance.is_clear(*told))


def _seen(like: Likeness | None, near: dict[int, float], one: int) -> float | None:
    """The likeness of a candidate; None where likeness is not looked at."""
    return None if like is None else near.get(one, 0.0)


def _ranked(judged: list[_Judged]) -> list[_Judged]:
    """Those above the floor in the order of their scores; equals in the order they came."""
    order = sorted((one for one in judged if one.value >= relevance.FLOOR), key=lambda one: -one.score)
    values = fuse.falling([one.value for one in order])
    return [replace(one, value=value) for one, value in zip(order, values, strict=True)]


def _merged(held: list[_Judged], found: list[_Judged], limit: int) -> list[Hit]:
    both = sorted([*held, *found], key=lambda one: -one.value)
    if not any(one.clear for one in both):
        return []
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
