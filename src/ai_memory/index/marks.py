"""How far each file is indexed."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from ai_memory.index.statements import SQL


@dataclass(frozen=True, slots=True)
class Mark:
    """``offset`` bytes of a file are indexed. ``tag`` is the caller's own, such as the revision last read."""

    offset: int = 0
    tag: str = ""


def get(db: sqlite3.Connection, file: str) -> Mark:
    """The mark of ``file``; offset 0 if nothing of it is indexed."""
    row = db.execute(SQL["mark_get"], (file,)).fetchone()
    return Mark() if row is None else Mark(*row)


def set(db: sqlite3.Connection, file: str, offset: int, tag: str = "") -> None:
    """Note that ``offset`` bytes of ``file`` are indexed; in the transaction that indexes them."""
    db.execute(SQL["mark_set"], (file, offset, tag))


def drop(db: sqlite3.Connection, file: str) -> None:
    """Forget ``file``, of which nothing may be indexed any more."""
    db.execute(SQL["mark_drop"], (file,))


def all(db: sqlite3.Connection) -> dict[str, Mark]:
    """Every known file with its mark."""
    return {file: Mark(offset, tag) for file, offset, tag in db.execute(SQL["mark_all"])}


def number(db: sqlite3.Connection, file: str) -> int:
    """The number rows use for ``file``, given on first use."""
    db.execute(SQL["mark_touch"], (file,))
    return int(db.execute(SQL["mark_number"], (file,)).fetchone()[0])
