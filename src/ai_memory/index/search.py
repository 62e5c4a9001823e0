"""Text search over pages and over evidence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ai_memory.index import projects, query, rank, snippet, spelling
from ai_memory.index.projects import Scope
from ai_memory.index.query import Query, Term
from ai_memory.index.rank import Sought
from ai_memory.index.statements import SQL
from ai_memory.index.values import Hit

_SCANNED = 1_000


@dataclass(frozen=True, slots=True)
class _Table:
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


def pages(db: sqlite3.Connection, text: str, among: Iterable[str], limit: int = 10) -> list[Hit]:
    """The pages that ``text`` finds ``among`` the named projects, best first; equal ones by project and path."""
    return _search(db, "page", text, among, limit, _page_text, _page_hit)


def evidence(db: sqlite3.Connection, text: str, among: Iterable[str], limit: int = 10) -> list[Hit]:
    """The observations that ``text`` finds ``among`` the named projects, best first; equal ones by file and place."""
    return _search(db, "evidence", text, among, limit, _evidence_text, _evidence_hit)


def _search(
    db: sqlite3.Connection,
    what: str,
    text: str,
    among: Iterable[str],
    limit: int,
    as_text: Callable[[sqlite3.Row, float], rank.Text],
    as_hit: Callable[[sqlite3.Row, rank.Grade, snippet.Pattern], Hit],
) -> list[Hit]:
    scope, asked = projects.scope(db, among), query.parse(text)
    if scope is None or not asked.terms or limit < 1:
        return []
    sizes = db.execute(SQL["project_sizes"], (scope.numbers,)).fetchone()
    table = _Table(db, what, scope, sizes[what])
    sought, missing = _seek(table, asked)
    found = _candidates(table, sought, limit)
    rows = db.execute(SQL[f"{what}_hit"], (json.dumps(list(found)),)).fetchall()
    texts = [as_text(row, found[row["id"]]) for row in rows]
    graded = rank.grade(asked, sought, missing, texts)
    order = sorted(range(len(rows)), key=lambda i: (-graded[i].score, texts[i].key))[:limit]
    pattern = rank.shown(sought)
    return [as_hit(rows[i], graded[i], pattern) for i in order]


def _seek(table: _Table, asked: Query) -> tuple[list[Sought], float]:
    """Each term in the strictest form that occurs at all, and the weight of those that do not occur."""
    found = [_seek_term(table, term) for term in asked.terms]
    sought = [each for each in found if each is not None]
    return sought, (len(found) - len(sought)) * rank.weight(0, table.texts)


def _seek_term(table: _Table, term: Term) -> Sought | None:
    for match, how in ((term.exact, ""), *((looser, "loosely") for looser in term.looser)):
        if texts := table.count(match):
            return _sought(table, term, match, how, texts)
    words = _instead(table, term)
    if not words:
        return None
    instead = query.meant(term, words)
    if texts := table.count(instead.exact):
        return _sought(table, instead, instead.exact, "read as " + ", ".join(words[:3]), texts)
    return None


def _instead(table: _Table, term: Term) -> list[str]:
    """Words that may have been meant: for the term as a whole, or else for each of its parts."""
    words: list[str] = []
    for word in term.plain:
        near = spelling.containing(table.db, word, table.scope) or spelling.near(table.db, word, table.scope)
        words += [other for other in near if other not in words]
        if near and len(word) == len(term.text):
            break
    return words


def _sought(table: _Table, term: Term, match: str, how: str, texts: int) -> Sought:
    return Sought(term, match, how, rank.weight(texts, table.texts), common=texts > max(_SCANNED, table.texts // 2))


def _candidates(table: _Table, sought: list[Sought], limit: int) -> dict[int, float]:
    """Ids with their full-text scores, more than asked for, since grading reorders them.

    What is in more than half of many texts tells them apart no better than chance and costs most, so it only counts in
    grading, unless there is nothing else. Where the cut would fall between equal scores, all of these are left out, or,
    if too few remain, taken in the order of their names: never in the order of ids, which a rebuild changes.
    """
    telling = [each for each in sought if not each.common] or sought
    if not telling:
        return {}
    match = query.any_of([each.match for each in telling])
    most = limit * 2 + 16
    rows = table.run("find", match, most + 1).fetchall()
    if len(rows) > most:
        cut = rows[most]["score"]
        kept = [row for row in rows if row["score"] < cut]
        rows = kept if len(kept) >= limit else table.run("find_tied", match, most).fetchall()
    return {row["rowid"]: -row["score"] for row in rows}


def _page_text(row: sqlite3.Row, score: float) -> rank.Text:
    return rank.Text((row["project"], row["path"]), row["title"], row["body"], row["path"], score)


def _evidence_text(row: sqlite3.Row, score: float) -> rank.Text:
    return rank.Text((row["file"], row["start"]), row["tool"], row["text"], "", score)


def _page_hit(row: sqlite3.Row, grade: rank.Grade, pattern: snippet.Pattern) -> Hit:
    passage = snippet.cut(row["body"], pattern)
    first, last = snippet.lines(row["body"], passage)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["title"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["type"], first=first, last=last, why=grade.why, path=row["path"], version=row["version"],
    )  # fmt: skip


def _evidence_hit(row: sqlite3.Row, grade: rank.Grade, pattern: snippet.Pattern) -> Hit:
    passage = snippet.cut(row["text"], pattern)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["tool"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["kind"], first=row["start"], last=row["end"], why=grade.why, session=row["session"],
        agent=row["agent"], role=row["role"], file=row["file"],
    )  # fmt: skip
