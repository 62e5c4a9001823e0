"""What there is: pages, versions, links, sessions, observations, counts."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from ai_memory.index import projects
from ai_memory.index.statements import SQL
from ai_memory.index.values import PageRow, SessionRow, VersionRow


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session with the number of its observations and the time of the last one (empty if none)."""

    row: SessionRow
    events: int
    last: str


@dataclass(frozen=True, slots=True)
class Passage:
    """One observation in full, with its byte range in ``file``."""

    session: str
    agent: str
    file: str
    start: int
    end: int
    key: str
    at: str
    kind: str
    role: str
    tool: str
    text: str


def recent(db: sqlite3.Connection, project: str, limit: int = 20) -> list[PageRow]:
    """A project's pages, newest first, without body, front matter and links."""
    return [_page(row) for row in db.execute(SQL["recent_pages"], (projects.find(db, project), limit))]


def pages(db: sqlite3.Connection, project: str) -> list[PageRow]:
    """All of a project's pages by path, without body, front matter and links."""
    return [_page(row) for row in db.execute(SQL["all_pages"], (projects.find(db, project),))]


def page(db: sqlite3.Connection, project: str, path: str) -> PageRow | None:
    """One page, without body, front matter and links."""
    row = db.execute(SQL["page_one"], (projects.find(db, project), path)).fetchone()
    return None if row is None else _page(row)


def body(db: sqlite3.Connection, project: str, path: str) -> str | None:
    """The text of one page as it is indexed."""
    row = db.execute(SQL["page_body"], (projects.find(db, project), path)).fetchone()
    return None if row is None else str(row[0])


def versions(db: sqlite3.Connection, project: str, path: str) -> list[VersionRow]:
    """The versions of one page, newest first."""
    found = db.execute(SQL["versions_of"], (projects.find(db, project), path))
    return [
        VersionRow(
            workspace=row["workspace"], project=row["project"], path=row["path"], version=row["version"],
            supersedes=row["supersedes"], by=row["by"], at=row["at"], manual=bool(row["manual"]), blob=row["blob"],
            deleted=bool(row["deleted"]),
        )
        for row in found
    ]  # fmt: skip


def version_ids(db: sqlite3.Connection, project: str) -> set[str]:
    """The ids of every version of a project's pages."""
    return {row[0] for row in db.execute(SQL["version_ids"], (projects.find(db, project),))}


def links(db: sqlite3.Connection, project: str, path: str) -> list[str]:
    """The paths a page points at."""
    return [row[0] for row in db.execute(SQL["links_from"], (projects.find(db, project), path))]


def backlinks(db: sqlite3.Connection, project: str, path: str) -> list[str]:
    """The paths of the pages that point at ``path``."""
    return [row[0] for row in db.execute(SQL["links_to"], (projects.find(db, project), path))]


def sessions(db: sqlite3.Connection, project: str, limit: int = 20) -> list[SessionSummary]:
    """A project's sessions, newest first."""
    found = db.execute(SQL["sessions_of"], (projects.find(db, project), limit))
    return [SessionSummary(SessionRow(*row[:9]), row["events"], row["last"] or "") for row in found]


def evidence(db: sqlite3.Connection, project: str, session: str, start: int = 0, limit: int = 100) -> list[Passage]:
    """A session's observations in order, from byte offset ``start`` of its file on."""
    no = projects.find(db, project)
    return [Passage(*row) for row in db.execute(SQL["evidence_page"], (no, session, start, limit))]


def counts(db: sqlite3.Connection, project: str) -> dict[str, Any]:
    """A project's numbers of pages, sessions and observations, and when the last page and session are from."""
    return dict(db.execute(SQL["counts_of"], (projects.find(db, project),)).fetchone())


def status(db: sqlite3.Connection) -> dict[str, int]:
    """Numbers of everything, and the file's size in bytes."""
    return {**dict(db.execute(SQL["counts"]).fetchone()), "bytes": db.execute(SQL["bytes"]).fetchone()[0]}


def all_projects(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """(workspace, project) of everything indexed."""
    return [(row["workspace"], row["project"]) for row in db.execute(SQL["projects_all"])]


def _page(row: sqlite3.Row) -> PageRow:
    return PageRow(
        workspace=row["workspace"], project=row["project"], path=row["path"], version=row["version"],
        supersedes=row["supersedes"], by=row["by"], at=row["at"], manual=bool(row["manual"]), blob=row["blob"],
        title=row["title"], type=row["type"], description=row["description"], tags=tuple(json.loads(row["tags"])),
        pinned=bool(row["pinned"]), size=row["size"],
    )  # fmt: skip
