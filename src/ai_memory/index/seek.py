"""Looking a query's terms up in one full-text table: each in the strictest form that occurs at all."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from ai_memory.index import query, rank, spelling
from ai_memory.index.projects import Scope
from ai_memory.index.query import Query, Term
from ai_memory.index.rank import Sought
from ai_memory.index.statements import SQL

_SCANNED = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """One of the two full-text tables within a scope: ``what`` names its statements, ``texts`` is how many it holds."""

    db: sqlite3.Connection
    what: str
    scope: Scope
    texts: int

    def run(self, name: str, match: str, limit: int) -> sqlite3.Cursor:
        values = (match, self.scope.low, self.scope.high, self.scope.gaps, limit)
        return self.db.execute(SQL[f"{self.what}_{name}"], values)

    def count(self, match: str) -> int:
        """In how many texts ``match`` occurs, counted no further than is needed to call it common."""
        return int(self.run("count", match, max(_SCANNED, self.texts // 2) + 1).fetchone()[0])


def seek(table: Table, asked: Query) -> tuple[list[Sought], float]:
    """Each term in the strictest form that occurs at all, and the weight of those that do not occur."""
    found = [_seek_term(table, term) for term in asked.terms]
    sought = [each for each in found if each is not None]
    return sought, (len(found) - len(sought)) * rank.weight(0, table.texts)


def _seek_term(table: Table, term: Term) -> Sought | None:
    for match, how in ((term.exact, ""), *((looser, "loosely") for looser in term.looser)):
        if texts := table.count(match):
            return _found_as(table, term, match, how, texts)
    words = _instead(table, term)
    if not words:
        return None
    instead = query.meant(term, words)
    if texts := table.count(instead.exact):
        return _found_as(table, instead, instead.exact, "read as " + ", ".join(words[:3]), texts)
    return None


def _instead(table: Table, term: Term) -> list[str]:
    """Words that may have been meant: for the term as a whole, or else for each of its parts."""
    words: list[str] = []
    for word in term.plain:
        near = spelling.containing(table.db, word, table.scope) or spelling.near(table.db, word, table.scope)
        words += [other for other in near if other not in words]
        if near and len(word) == len(term.text):
            break
    return words


def _found_as(table: Table, term: Term, match: str, how: str, texts: int) -> Sought:
    return Sought(term, match, how, rank.weight(texts, table.texts), common=texts > max(_SCANNED, table.texts // 2))
