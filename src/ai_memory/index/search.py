"""Text search over pages and over evidence."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from ai_memory.index import projects, query, rank, snippet, spelling
from ai_memory.index.projects import Scope
from ai_memory.index.query import Query, Term
from ai_memory.index.statements import SQL
from ai_memory.index.values import Hit


@dataclass(frozen=True, slots=True)
class Sought:
    """A term as it is looked for: the full-text expression that finds something, how it was reached, what shows it."""

    term: Term
    match: str
    how: str
    pattern: re.Pattern[str]


def pages(db: sqlite3.Connection, text: str, projects_: Iterable[str], limit: int = 10) -> list[Hit]:
    """The pages of the given projects that ``text`` finds, best first; equal ones by project and path."""
    scope, asked = projects.scope(db, projects_), query.parse(text)
    if scope is None or not asked.terms or limit < 1:
        return []
    sought = _seek(db, "page", asked, scope)
    found = _candidates(db, "page", sought, scope, limit)
    rows = db.execute(SQL["page_hit"], (json.dumps(list(found)),)).fetchall()
    texts = [
        rank.Text((row["project"], row["path"]), row["title"], row["body"], row["path"], found[row["id"]])
        for row in rows
    ]
    graded = rank.grade(asked, sought, texts)
    order = sorted(range(len(rows)), key=lambda i: (-graded[i].score, texts[i].key))[:limit]
    pattern = rank.pattern(sought)
    return [_page_hit(rows[i], graded[i], pattern) for i in order]


def evidence(db: sqlite3.Connection, text: str, projects_: Iterable[str], limit: int = 10) -> list[Hit]:
    """The observations of the given projects that ``text`` finds, best first; equal ones by file and place."""
    scope, asked = projects.scope(db, projects_), query.parse(text)
    if scope is None or not asked.terms or limit < 1:
        return []
    sought = _seek(db, "evidence", asked, scope)
    found = _candidates(db, "evidence", sought, scope, limit)
    rows = db.execute(SQL["evidence_hit"], (json.dumps(list(found)),)).fetchall()
    texts = [rank.Text((row["file"], row["start"]), "", row["text"], "", found[row["id"]]) for row in rows]
    graded = rank.grade(asked, sought, texts)
    order = sorted(range(len(rows)), key=lambda i: (-graded[i].score, texts[i].key))[:limit]
    pattern = rank.pattern(sought)
    return [_evidence_hit(rows[i], graded[i], pattern) for i in order]


def _seek(db: sqlite3.Connection, what: str, asked: Query, scope: Scope) -> list[Sought]:
    """Each term in the strictest form that occurs in the scope at all; terms that do not occur are left out."""
    found = []
    for term in asked.terms:
        sought = _seek_term(db, what, term, scope)
        if sought is not None:
            found.append(sought)
    return found


def _seek_term(db: sqlite3.Connection, what: str, term: Term, scope: Scope) -> Sought | None:
    own = re.compile(term.pattern)
    if _occurs(db, what, term.exact, scope):
        return Sought(term, term.exact, "", own)
    for looser in term.looser:
        if _occurs(db, what, looser, scope):
            return Sought(term, looser, "begins like", re.compile(f"{term.pattern}|{_beginning(term)}"))
    meant: list[str] = []
    for word in term.plain:
        meant += spelling.containing(db, word, scope) or spelling.near(db, word, scope)
    meant = list(dict.fromkeys(meant))
    match = query.any_of([query.quote(word) for word in meant])
    if meant and _occurs(db, what, match, scope):
        shown = "|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in meant)
        return Sought(term, match, "read as " + ", ".join(meant[:3]), re.compile(shown))
    return None


def _beginning(term: Term) -> str:
    return "|".join(rf"(?<![^\W_]){re.escape(word)}" for word in (term.plain or (term.text.lower(),)))


def _occurs(db: sqlite3.Connection, what: str, match: str, scope: Scope) -> bool:
    values = (match, scope.low, scope.high, scope.numbers)
    return db.execute(SQL[f"{what}_match"], values).fetchone() is not None


def _candidates(db: sqlite3.Connection, what: str, sought: list[Sought], scope: Scope, limit: int) -> dict[int, float]:
    """Ids with their text scores, more than asked for, since grading reorders them. A tie is never cut by id."""
    if not sought:
        return {}
    match = query.any_of([each.match for each in sought])
    most = limit * 3 + 20
    values = (match, scope.low, scope.high, scope.numbers)
    rows = db.execute(SQL[f"{what}_find"], (*values, most + 1)).fetchall()
    if len(rows) > most and rows[most]["score"] == rows[most - 1]["score"]:
        rows = db.execute(SQL[f"{what}_find_tied"], (*values, most)).fetchall()
    return {row["rowid"]: -row["score"] for row in rows[:most]}


def _page_hit(row: sqlite3.Row, grade: rank.Grade, pattern: re.Pattern[str] | None) -> Hit:
    passage = snippet.cut(row["body"], pattern)
    first, last = snippet.lines(row["body"], passage)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["title"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["type"], first=first, last=last, why=grade.why, path=row["path"], version=row["version"],
    )  # fmt: skip


def _evidence_hit(row: sqlite3.Row, grade: rank.Grade, pattern: re.Pattern[str] | None) -> Hit:
    passage = snippet.cut(row["text"], pattern)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["tool"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["kind"], first=row["start"], last=row["end"], why=grade.why, session=row["session"],
        agent=row["agent"], role=row["role"], file=row["file"],
    )  # fmt: skip
