"""Putting pages and their versions into the index. Inside a write transaction of the caller."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable

from ai_memory.index import passages, projects, vocabulary, words
from ai_memory.index.statements import SQL
from ai_memory.index.values import PageRow, VersionRow


def put(db: sqlite3.Connection, row: PageRow) -> None:
    """Make ``row`` the latest version of its page, and one of its versions."""
    no = projects.number(db, row.workspace, row.project)
    old = db.execute(SQL["page_get"], (no, row.path)).fetchone()
    counts: Counter[str] = Counter()
    if old is None:
        id = _next(db, no)
        db.execute(SQL["project_pages"], (1, no))
    else:
        id = old["id"]
        counts.subtract(_take_out(db, old))
        db.execute(SQL["link_drop"], (id,))
    title, description, body = words.clean(row.title), words.clean(row.description), words.clean(row.body)
    tags = [words.clean(tag) for tag in row.tags]
    db.execute(
        SQL["page_put"],
        {
            "id": id, "no": no, "path": row.path, "version": row.version, "supersedes": row.supersedes, "by": row.by,
            "at": row.at, "manual": row.manual, "blob": row.blob, "title": title, "type": row.type,
            "description": description, "tags": json.dumps(tags, ensure_ascii=False), "pinned": row.pinned,
            "size": row.size, "meta": row.meta_json, "body": body,
        },
    )  # fmt: skip
    columns, known = _columns(title, row.path, description, tags, body)
    db.execute(SQL["page_words_put"], (id, *columns))
    counts.update(known)
    vocabulary.change(db, no, counts)
    db.executemany(SQL["link_put"], [(id, target, no) for target in row.links])
    put_version(db, VersionRow(row.workspace, row.project, row.path, row.version, row.supersedes, row.by, row.at,
                               row.manual, row.blob))  # fmt: skip


def put_all(db: sqlite3.Connection, rows: Iterable[PageRow]) -> None:
    """``put`` for many rows of different pages, in the order that costs least."""
    for row in sorted(rows, key=lambda row: (row.project, row.path)):
        put(db, row)


def put_version(db: sqlite3.Connection, row: VersionRow) -> None:
    """Know one version of a page; again changes nothing."""
    no = projects.number(db, row.workspace, row.project)
    values = (no, row.path, row.version, row.supersedes, row.by, row.at, row.manual, row.blob, row.deleted)
    db.execute(SQL["version_put"], values)


def drop(db: sqlite3.Connection, row: VersionRow) -> bool:
    """Take the page away by its last version ``row``, which is kept; whether there was one. Older versions stay."""
    put_version(db, row)
    no = projects.number(db, row.workspace, row.project)
    return remove(db, no, row.path)


def remove(db: sqlite3.Connection, project_no: int, path: str) -> bool:
    """Take a page's latest text, words and links out of the index; whether there was one."""
    old = db.execute(SQL["page_get"], (project_no, path)).fetchone()
    if old is None:
        return False
    counts: Counter[str] = Counter()
    counts.subtract(_take_out(db, old))
    vocabulary.change(db, project_no, counts)
    passages.drop_page(db, old["id"])
    db.execute(SQL["page_drop"], (old["id"],))
    db.execute(SQL["project_pages"], (-1, project_no))
    return True


def _next(db: sqlite3.Connection, project_no: int) -> int:
    low = project_no << projects.SHIFT
    (last,) = db.execute(SQL["page_last"], (low, low + (1 << projects.SHIFT) - 1)).fetchone()
    return low + 1 if last is None else int(last) + 1


def _take_out(db: sqlite3.Connection, old: sqlite3.Row) -> set[str]:
    """Take a page's words out of the full-text table; the vocabulary they were."""
    columns, known = _columns(old["title"], old["path"], old["description"], json.loads(old["tags"]), old["body"])
    db.execute(SQL["page_words_drop"], (old["id"], *columns))
    return known


def _columns(
    title: str, path: str, description: str, tags: list[str], body: str
) -> tuple[tuple[str, str, str, str], set[str]]:
    """The texts of the full-text table (title, what leads to it, body, extra words of all), and the vocabulary."""
    title, body = words.compose(title), words.compose(body)
    lead = words.compose("\n".join((path, description, *tags)))
    extra, known = words.derive("\n".join((title, lead, body)))
    return (title, lead, body, extra), known
