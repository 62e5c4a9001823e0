"""Sessions by what was said in them: each scored as a whole and by its best window of three turns.

A term counts once a turn, however often the turn repeats it. Where a term stands is read from the full-text table once
a question; everything else is arithmetic on arrays.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ai_memory.index import projects, query, rank, search, seek
from ai_memory.index.rank import Sought
from ai_memory.index.seek import Table
from ai_memory.index.snippet import Pattern
from ai_memory.index.statements import SQL
from ai_memory.index.turns import Frame, Ints, Turns
from ai_memory.index.values import Hit

Floats = npt.NDArray[np.float64]
WINDOW = 3
_POSTINGS = 40_000  # places read of one term
_K1, _B = 1.2, 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A session: its number, its scores as a whole and of its best window, and where that is.

    ``share`` is how much of the question's weight that window holds, from 0 to 1. ``turns`` are ids of its turns.
    """

    session: int
    whole: float
    window: float
    share: float
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Sessions of one project that hold something of what is asked, and what is needed to show them."""

    frame: Frame
    found: Mapping[int, Candidate]
    asked: query.Query
    sought: Sequence[Sought]
    missing: float


def candidates(db: sqlite3.Connection, turns: Turns, text: str, project_no: int) -> Candidates | None:
    """The sessions of a project that hold any term of ``text``; None if the project has no evidence."""
    scope, asked = projects.of_numbers([project_no]), query.parse(text)
    frame = turns.frame(db, project_no)
    if scope is None or not len(frame.ids):
        return None
    table = Table(db, "evidence", scope, len(frame.ids))
    sought, missing = seek.seek(table, asked)
    places = [_places(table, each, frame) for each in sought]
    return Candidates(frame, _scored(frame, places, missing), asked, sought, missing)


def _places(table: Table, each: Sought, frame: Frame) -> Ints:
    """Where in the frame the turns are that hold a term."""
    (listed,) = table.db.execute(
        SQL["evidence_ids"], (each.match, table.scope.low, table.scope.high, _POSTINGS)
    ).fetchone()
    return frame.at(np.fromstring(listed or "", np.int64, sep=" "))


def _scored(frame: Frame, places: Sequence[Ints], missing: float) -> dict[int, Candidate]:
    turns, sessions = len(frame.ids), len(frame.sessions)
    whole, window, share = np.zeros(sessions), np.zeros(turns), np.zeros(turns)
    long = _norm(frame.length.astype(np.float64))
    wide = _norm(frame.window_size)
    weights = [rank.weight(len(at), turns) for at in places]
    for at, weight in zip(places, weights, strict=True):
        if not len(at):
            continue
        held = np.bincount(frame.session[at], minlength=sessions).astype(np.float64)
        texts = int(np.count_nonzero(held))
        whole += rank.weight(texts, sessions) * held * (_K1 + 1) / (held + _K1 * long)
        starts, count = frame.windows(at, WINDOW)
        window[starts] += weight * count * (_K1 + 1) / (count + _K1 * wide[starts])
        share[starts] += weight
    total = sum(weights) + missing
    found: dict[int, Candidate] = {}
    for session, start in frame.best(window).items():
        at = frame.from_start(start, WINDOW)
        no = int(frame.sessions[session])
        ids = tuple(frame.ids[at].tolist())
        found[no] = Candidate(no, float(whole[session]), float(window[start]), float(share[start] / total), ids)
    return found


def _norm(size: Floats) -> Floats:
    middle = float(size.mean()) or 1.0
    out: Floats = 1 - _B + _B * size / middle
    return out


@dataclass(frozen=True, slots=True)
class Shown:
    """A session's hit, and how much of the question the turn it shows holds (``rank.Grade``)."""

    hit: Hit
    share: float
    bonus: float


def hits(db: sqlite3.Connection, among: Candidates, chosen: Sequence[tuple[int, tuple[int, ...]]]) -> dict[int, Shown]:
    """Session number → its hit, for sessions given with the ids of the turns to show."""
    ids = sorted({id for _, turns in chosen for id in turns})
    rows = {row["id"]: row for row in db.execute(SQL["evidence_hit"], (json.dumps(ids),))}
    pattern = rank.shown(among.sought)
    found: dict[int, Shown] = {}
    for no, turns in chosen:
        there = [rows[id] for id in turns if id in rows]
        if there:
            found[no] = _hit(there, among, pattern)
    return found


def _hit(rows: Sequence[sqlite3.Row], among: Candidates, pattern: Pattern) -> Shown:
    """The turn of a window that holds most of what is asked."""
    texts = [rank.Text((row["file"], row["start"]), row["tool"], row["text"], "", 1.0) for row in rows]
    graded = rank.grade(among.asked, among.sought, among.missing, texts)
    best = max(range(len(rows)), key=lambda at: (graded[at].score, -at))
    hit = search.evidence_hit(rows[best], graded[best], pattern)
    return Shown(hit, graded[best].share, graded[best].bonus)


def turns_at(frame: Frame, session_no: int, first: int, last: int) -> tuple[int, ...]:
    """The ids of a session's turns from place ``first`` to ``last``."""
    chosen = frame.ids[(frame.sessions[frame.session] == session_no) & (frame.turn >= first) & (frame.turn <= last)]
    return tuple(chosen.tolist())


def started(db: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Session number → when it began, RFC 3339 in UTC."""
    return {row["no"]: row["started"] for row in db.execute(SQL["session_began"], (json.dumps(sorted(numbers)),))}


def years(db: sqlite3.Connection, project_no: int) -> list[int]:
    """The years in which the project's sessions began."""
    return [int(row[0]) for row in db.execute(SQL["session_years"], (project_no,)) if str(row[0]).isdigit()]
