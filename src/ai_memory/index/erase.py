"""Erasing for good. Rows go in the caller's transaction; ``scrub`` overwrites what the file still holds of them."""

from __future__ import annotations

import sqlite3

from ai_memory import sql
from ai_memory.index import evidence, pages, projects
from ai_memory.index.statements import SQL


def page(db: sqlite3.Connection, project: str, path: str) -> bool:
    """Erase a page with all its versions; whether anything was there."""
    no = projects.find(db, project)
    if no is None:
        return False
    _owe(db)
    there = pages.remove(db, no, path)
    return db.execute(SQL["version_drop"], (no, path)).rowcount > 0 or there


def session(db: sqlite3.Connection, session: str) -> bool:
    """Erase a session's observations, header and file marks, in every project; whether anything was there."""
    found = db.execute(SQL["session_numbers"], (session,)).fetchall()
    _owe(db)
    for session_no, project_no in found:
        evidence.remove(db, project_no, session_no)
    return bool(found)


def project(db: sqlite3.Connection, project: str) -> bool:
    """Erase everything of a project; whether anything was. Marks of files without observations are the caller's."""
    no = projects.find(db, project)
    if no is None:
        return False
    _owe(db)
    for (path,) in db.execute(SQL["page_paths"], (no,)).fetchall():
        pages.remove(db, no, path)
    db.execute(SQL["version_drop_project"], (no,))
    for session_no, _ in db.execute(SQL["session_numbers_of"], (no,)).fetchall():
        evidence.remove(db, no, session_no)
    db.execute(SQL["project_drop"], (no,))
    return True


def owed(db: sqlite3.Connection) -> bool:
    """Whether something was erased since the last ``scrub`` that finished."""
    return db.execute(SQL["about_get"], ("scrub",)).fetchone() is not None


def scrub(db: sqlite3.Connection) -> bool:
    """Overwrite erased text in the file and empty the write-ahead log; the writer's connection, no transaction.

    False: a reader held the log back, so call again. Takes time in proportion to the full-text tables.
    """
    if owed(db):
        with sql.transaction(db):
            for name in ("scrub_pages", "scrub_evidence", "scrub_words"):
                db.execute(SQL[name])
    if not sql.checkpoint(db):
        return False
    if owed(db):
        db.execute(SQL["about_drop"], ("scrub",))
    return True


def _owe(db: sqlite3.Connection) -> None:
    db.execute(SQL["about_set"], ("scrub", "owed"))
