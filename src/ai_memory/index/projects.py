"""Projects as numbers, and the ranges of ids that belong to them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from ai_memory.index.statements import SQL

SHIFT = 32


@dataclass(frozen=True, slots=True)
class Scope:
    """The projects a query is held to: their numbers as a JSON array, and the lowest and highest id they can have.

    ``gaps`` is the JSON array again if ids of other projects lie between these, else None.
    """

    low: int
    high: int
    numbers: str
    gaps: str | None


def number(db: sqlite3.Connection, workspace: str, project: str) -> int:
    """The number of ``project``, given on first use."""
    found = find(db, project)
    if found is None:
        db.execute(SQL["project_add"], (workspace, project))
        found = find(db, project)
        assert found is not None
    return found


def find(db: sqlite3.Connection, project: str) -> int | None:
    """The number of ``project``, None if nothing of it is indexed."""
    row = db.execute(SQL["project_number"], (project,)).fetchone()
    return None if row is None else int(row[0])


def scope(db: sqlite3.Connection, projects: Iterable[str]) -> Scope | None:
    """The scope of the named projects; None if none of them is indexed."""
    return of_numbers(no for no in (find(db, project) for project in projects) if no is not None)


def of_numbers(numbers: Iterable[int]) -> Scope | None:
    """The scope of projects given by number."""
    known = sorted(set(numbers))
    if not known:
        return None
    listed = json.dumps(known)
    whole = known[-1] - known[0] + 1 == len(known)
    return Scope(known[0] << SHIFT, ((known[-1] + 1) << SHIFT) - 1, listed, None if whole else listed)
