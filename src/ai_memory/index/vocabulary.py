"""The words of each project, counted by the texts that hold them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter

from ai_memory.index.statements import SQL


def change(db: sqlite3.Connection, project_no: int, by: Counter[str]) -> None:
    """Count words in more texts (or fewer, where the number is below 0); forget those that no text holds any more."""
    given = json.dumps({word: by[word] for word in sorted(by) if by[word]})
    (last,) = db.execute(SQL["word_last"]).fetchone()
    db.execute(SQL["word_count"], (project_no, given))
    db.execute(SQL["word_parts_put"], (last,))
    if any(number < 0 for number in by.values()):
        db.execute(SQL["word_parts_gone"], (project_no, given))
        db.execute(SQL["word_gone"], (project_no, given))
