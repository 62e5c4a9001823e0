"""Which passages have vectors, and which of a project lie nearest to a question."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ai_memory.index import passages, projects
from ai_memory.index.passages import Passage
from ai_memory.index.vectors import Floats, Matrix

_ROOM = 256


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a question the passages of a project are. ``kinds`` and ``owners`` name the groups, ``best`` their maximum."""

    kinds: Ints
    owners: Ints
    best: Floats
    rows: Ints
    groups: Ints
    scores: Floats

    def of(self, kind: int) -> tuple[Ints, Floats]:
        """Owners of this kind, and the cosine of the best passage of each; -1 where none has a vector."""
        chosen = self.kinds == kind
        return self.owners[chosen], self.best[chosen]

    def place(self, kind: int, owner: int) -> tuple[int, int] | None:
        """First and last of the owner's best passage of this kind."""
        group = np.flatnonzero((self.kinds == kind) & (self.owners == owner))
        if not len(group):
            return None
        mine = np.flatnonzero(self.groups == group[0])
        if not len(mine):
            return None
        first, last = self.rows[mine[np.argmax(self.scores[mine])], 2:].tolist()
        return first, last


class _Columns:
    """The passages of one project, in arrays that grow."""

    def __init__(self) -> None:
        self.count = 0
        self.at: dict[int, int] = {}
        self.group_of: dict[tuple[int, int], int] = {}
        self.values = np.empty((_ROOM, 4), np.int64)  # kind, owner, first, last
        self.groups = np.empty(_ROOM, np.int64)
        self.slots = np.full(_ROOM, -1, np.int32)

    def put(self, one: Passage, slot: int) -> None:
        at = self.at.setdefault(one.id, self.count)
        if at == self.count:
            if at == len(self.slots):
                self.values = np.concatenate([self.values, np.empty_like(self.values)])
                self.groups = np.concatenate([self.groups, np.empty_like(self.groups)])
                self.slots = np.concatenate([self.slots, np.full_like(self.slots, -1)])
            self.count += 1
        self.values[at] = (one.kind, one.owner, one.first, one.last)
        self.groups[at] = self.group_of.setdefault((one.kind, one.owner), len(self.group_of))
        self.slots[at] = slot

    def like(self, matrix: Matrix, vector: Floats) -> Likeness:
        keys = np.array(list(self.group_of), np.int64).reshape(-1, 2)
        there = np.flatnonzero(self.slots[: self.count] >= 0)
        groups, rows = self.groups[there], self.values[there]
        scores = matrix.similar(self.slots[there], vector)
        best = np.full(len(keys), -1.0, np.float32)
        np.maximum.at(best, groups, scores)
        return Likeness(keys[:, 0], keys[:, 1], best, rows, groups, scores)


class Space:
    """The passages of a data directory in memory. One thread changes it, any may ask."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self._projects: dict[int, _Columns] = {}
        self._waiting: dict[int, Passage] = {}
        self._turn = threading.Lock()

    @property
    def waiting(self) -> int:
        """Passages without a vector."""
        return len(self._waiting)

    def load(self, db: sqlite3.Connection) -> None:
        """Begin again with what the index says."""
        with self._turn:
            self._projects, self._waiting = {}, {}
        known = list(passages.everything(db))
        self.put(known)

    def put(self, made: Iterable[Passage]) -> None:
        """Know these passages; those whose text has no vector yet wait for one."""
        listed = list(made)
        slots = self.matrix.find([one.hash for one in listed])
        with self._turn:
            for one, slot in zip(listed, slots.tolist(), strict=True):
                self._projects.setdefault(one.id >> projects.SHIFT, _Columns()).put(one, slot)
                if slot < 0:
                    self._waiting[one.id] = one
                else:
                    self._waiting.pop(one.id, None)

    def next(self, most: int) -> list[Passage]:
        """Up to ``most`` passages that wait: pages first, then what happened last."""
        with self._turn:
            waiting = sorted(self._waiting.values(), key=lambda one: (one.kind != passages.PAGE, -one.id))
        return waiting[:most]

    def give_up(self, gone: Iterable[Passage]) -> None:
        """Wait no longer for these."""
        with self._turn:
            for one in gone:
                self._waiting.pop(one.id, None)

    def fill(self, done: Sequence[Passage], rows: Floats) -> None:
        """These passages have these vectors."""
        self.matrix.add([one.hash for one in done], rows)
        self.put(done)

    def like(self, project_no: int, vector: Floats) -> Likeness | None:
        """How like ``vector`` the passages of a project are; None if it has none."""
        columns = self._projects.get(project_no)
        if columns is None:
            return None
        with self._turn:
            return columns.like(self.matrix, vector)
