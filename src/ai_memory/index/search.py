"""Text search over pages and over single observations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ai_memory.index import projects, query, rank, seek, snippet
from ai_memory.index.rank import Sought
from ai_memory.index.seek import Table
from ai_memory.index.statements import SQL
from ai_memory.index.values import Hit

Row = sqlite3.Row


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the rows of one table become texts and hits."""

    what: str
    text: Callable[[Row, float], rank.Text]
    hit: Callable[[Row, rank.Grade, snippet.Pattern], Hit]


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates with their grades, best first; equal ones in the order of their names."""

    rows: Sequence[Row]
    grades: Sequence[rank.Grade]
    pattern: snippet.Pattern
    kind: _Kind

    def __len__(self) -> int:
        return len(self.rows)

    def hit(self, at: int) -> Hit:
        """The candidate at a place, as it is shown."""
        return self.kind.hit(self.rows[at], self.grades[at], self.pattern)


def pages(db: sqlite3.Connection, text: str, among: Iterable[str], limit: int = 10) -> list[Hit]:
    """The pages that ``text`` finds ``among`` the named projects, best first; equal ones by project and path."""
    return _hits(page_candidates(db, text, among, limit), limit)


def evidence(db: sqlite3.Connection, text: str, among: Iterable[str], limit: int = 10) -> list[Hit]:
    """The observations that ``text`` finds ``among`` the named projects, best first; equal ones by file and place."""
    return _hits(_candidates(db, _EVIDENCE, text, among, limit), limit)


def page_candidates(
    db: sqlite3.Connection, text: str, among: Iterable[str], limit: int, more: Sequence[int] = ()
) -> Found:
    """More pages than ``limit``, graded; ``more`` are ids of pages that were found otherwise."""
    return _candidates(db, _PAGE, text, among, limit, more)


def _hits(found: Found, limit: int) -> list[Hit]:
    return [found.hit(at) for at in range(min(limit, len(found)))]


def _candidates(
    db: sqlite3.Connection, kind: _Kind, text: str, among: Iterable[str], limit: int, more: Sequence[int] = ()
) -> Found:
    scope, asked = projects.scope(db, among), query.parse(text)
    if scope is None or limit < 1 or not (asked.terms or more):
        return Found((), (), None, kind)
    sizes = db.execute(SQL["project_sizes"], (scope.numbers,)).fetchone()
    table = Table(db, kind.what, scope, sizes[kind.what])
    sought, missing = seek.seek(table, asked)
    found = dict.fromkeys(more, 0.0) | _best(table, sought, limit)
    rows = db.execute(SQL[f"{kind.what}_hit"], (json.dumps(list(found)),)).fetchall()
    texts = [kind.text(row, found[row["id"]]) for row in rows]
    graded = rank.grade(asked, sought, missing, texts)
    order = sorted(range(len(rows)), key=lambda i: (-graded[i].score, texts[i].key))
    return Found([rows[i] for i in order], [graded[i] for i in order], rank.shown(sought), kind)


def _best(table: Table, sought: list[Sought], limit: int) -> dict[int, float]:
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


def _page_text(row: Row, score: float) -> rank.Text:
    return rank.Text((row["project"], row["path"]), row["title"], row["body"], row["path"], score)


def _evidence_text(row: Row, score: float) -> rank.Text:
    return rank.Text((row["file"], row["start"]), row["tool"], row["text"], "", score)


def _page_hit(row: Row, grade: rank.Grade, pattern: snippet.Pattern) -> Hit:
    passage = snippet.cut(row["body"], pattern)
    first, last = snippet.lines(row["body"], passage)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["title"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["type"], first=first, last=last, why=grade.why, path=row["path"], version=row["version"],
    )  # fmt: skip


def evidence_hit(row: Row, grade: rank.Grade, pattern: snippet.Pattern) -> Hit:
    """An observation as it is shown."""
    passage = snippet.cut(row["text"], pattern)
    return Hit(
        workspace=row["workspace"], project=row["project"], title=row["tool"], snippet=passage.text, score=grade.score,
        at=row["at"], kind=row["kind"], first=row["start"], last=row["end"], why=grade.why, session=row["session"],
        agent=row["agent"], role=row["role"], file=row["file"],
    )  # fmt: skip


_PAGE = _Kind("page", _page_text, _page_hit)
_EVIDENCE = _Kind("evidence", _evidence_text, evidence_hit)
