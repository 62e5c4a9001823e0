"""The index as sorted lines without ids: equal before a deletion and after the files were read again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from ai_memory.index.statements import SQL

_PARTS = ("pages", "versions", "links", "marks", "sessions", "evidence", "words", "page_terms", "evidence_terms")


def lines(db: sqlite3.Connection) -> Iterator[str]:
    """One JSON array a row: the part's name, then its values."""
    for part in _PARTS:
        for row in db.execute(SQL[f"dump_{part}"]):
            yield json.dumps([part, *row], ensure_ascii=False)
