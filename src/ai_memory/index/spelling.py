"""Words of a project that may have been meant by one that occurs nowhere in it."""

from __future__ import annotations

import sqlite3

from ai_memory.index.projects import Scope
from ai_memory.index.statements import SQL

_MOST = 6
_LOOKED_AT = 120


def containing(db: sqlite3.Connection, part: str, scope: Scope) -> list[str]:
    """Words that have ``part`` (three letters or more) in them."""
    if len(part) < 3:
        return []
    found = db.execute(SQL["word_like"], (f'"{part}"', scope.numbers, _LOOKED_AT)).fetchall()
    return sorted((row[0] for row in found), key=lambda word: (len(word), word))[:_MOST]


def near(db: sqlite3.Connection, word: str, scope: Scope) -> list[str]:
    """Words within one slip of ``word``, or two from eight letters on; the nearest first."""
    if len(word) < 4:
        return []
    allowed = 1 if len(word) < 8 else 2
    likest = _like(db, word, scope)
    measured = sorted((distance(word, other, allowed), -texts, other) for other, texts in likest.items())
    best = measured[0][0] if measured else allowed + 1
    return [other for away, _, other in measured if away == best][:_MOST] if best <= allowed else []


def _like(db: sqlite3.Connection, word: str, scope: Scope) -> dict[str, int]:
    """Candidates: words that share three letters in a row, also with two neighbours swapped or one letter left out."""
    spellings = {word}
    if len(word) <= 8:
        spellings |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
        spellings |= {word[:i] + word[i + 1 :] for i in range(len(word))}
    parts = sorted({spelling[i : i + 3] for spelling in spellings for i in range(len(spelling) - 2)})
    match = " OR ".join(f'"{part}"' for part in parts)
    return {row[0]: row[1] for row in db.execute(SQL["word_like"], (match, scope.numbers, _LOOKED_AT))}


def distance(one: str, other: str, most: int) -> int:
    """Letters put in, left out, changed, or swapped with a neighbour, between two words; ``most`` + 1 if more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, above = above, row
    return min(above[-1], most + 1)
