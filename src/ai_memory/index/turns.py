"""The turns of a project in arrays: which session each belongs to, its place there, its size. Kept between questions."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ai_memory.index import projects
from ai_memory.index.statements import SQL

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Frame:
    """The turns of one project. ``session`` numbers the sessions from 0, in the order of ``sessions``, their numbers.

    ``ids`` rise; ``turn`` is the place in the session. ``length`` is each session's size in characters. ``order`` lists
    the turns session by session, ``rank`` is each turn's place there. ``window_size`` is the size of the three turns
    from each turn on.
    """

    ids: Ints
    session: Ints
    turn: Ints
    sessions: Ints
    length: Ints
    order: Ints
    rank: Ints
    window_size: Floats

    def at(self, ids: Ints) -> Ints:
        """The places of these ids, which rise; ids that are not of the project are left out."""
        places = np.searchsorted(self.ids, ids)
        inside = places < len(self.ids)
        places, ids = places[inside], ids[inside]
        found: Ints = places[self.ids[places] == ids]
        return found

    def windows(self, at: Ints, size: int) -> tuple[Ints, Ints]:
        """The turns from which windows of ``size`` turns hold any of the turns ``at``, and how many each holds."""
        rank, session = self.rank[at], self.session[at]
        starts = np.concatenate([rank - back for back in range(size)])
        owner = np.tile(session, size)
        inside = starts >= 0
        starts, owner = starts[inside], owner[inside]
        places = self.order[starts]
        places = places[self.session[places] == owner]
        return np.unique(places, return_counts=True)

    def best(self, score: Floats) -> dict[int, int]:
        """Session (from 0) → the turn with its highest score, where that is above 0; the earlier of equal ones."""
        some = np.flatnonzero(score > 0)
        if not len(some):
            return {}
        order = some[np.lexsort((self.turn[some], -score[some], self.session[some]))]
        first = np.ones(len(order), bool)
        first[1:] = self.session[order[1:]] != self.session[order[:-1]]
        chosen = order[first]
        return dict(zip(self.session[chosen].tolist(), chosen.tolist(), strict=True))

    def from_start(self, start: int, size: int) -> Ints:
        """The turns of the window that begins with turn ``start``."""
        rank = int(self.rank[start])
        places = self.order[rank : rank + size]
        window: Ints = places[self.session[places] == self.session[start]]
        return window


@dataclass(slots=True)
class _Kept:
    stamp: tuple[str, int]
    rows: Ints  # id, session number, turn, size
    frame: Frame | None = None


@dataclass(slots=True)
class Turns:
    """Frames of the projects that were asked about."""

    _kept: dict[int, _Kept] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def frame(self, db: sqlite3.Connection, project_no: int) -> Frame:
        """The project's turns as ``db`` sees them now."""
        row = db.execute(SQL["project_stamp"], (project_no,)).fetchone()
        stamp = (str(row[0]), int(row[1])) if row is not None else ("", 0)
        low = project_no << projects.SHIFT
        (last,) = db.execute(SQL["evidence_last"], (low, low + (1 << projects.SHIFT) - 1)).fetchone()
        with self._turn:
            kept = self._kept.get(project_no)
            if kept is None or kept.stamp != stamp:
                kept = self._kept[project_no] = _Kept(stamp, np.empty((0, 4), np.int64))
            known = int(kept.rows[-1, 0]) if len(kept.rows) else low
            if last is not None and last > known:
                fresh = np.array(db.execute(SQL["turns_new"], (known, last)).fetchall(), np.int64).reshape(-1, 4)
                kept.rows, kept.frame = np.concatenate([kept.rows, fresh]), None
            if kept.frame is None:
                kept.frame = _frame(kept.rows)
            return kept.frame


def _frame(rows: Ints) -> Frame:
    sessions, session = np.unique(rows[:, 1], return_inverse=True)
    length = np.bincount(session, rows[:, 3], len(sessions)).astype(np.int64)
    order = np.lexsort((rows[:, 2], session))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Frame(rows[:, 0], session, rows[:, 2], sessions, length, order, rank, _sizes(rows[:, 3], session, order, rank))


def _sizes(size: Ints, session: Ints, order: Ints, rank: Ints) -> Floats:
    """The size of each turn and the two that follow it in its session."""
    total = size[order].astype(np.float64)
    owner = session[order]
    wide = total.copy()
    for ahead in (1, 2):
        same = owner[ahead:] == owner[:-ahead]
        wide[:-ahead] += np.where(same, total[ahead:], 0.0)
    return wide[rank]
