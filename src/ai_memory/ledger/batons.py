"""Batons: open, claimed, returned. What they say is one JSON body; who holds them is columns."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from typing import Any

from ai_memory.domain.change import Row
from ai_memory.domain.handoff import Baton
from ai_memory.ledger.store import Ledger

_COLUMNS = (
    "id", "workspace", "project", "state", "origin", "session", "agent", "owner", "cwd", "branch",
    "to_agent", "to_branch", "to_worktree", "created", "expires", "claimed_by", "claimed_at",
)  # fmt: skip
_LISTS = ("questions", "steps", "files")


def open_in(ledger: Ledger, project: str) -> list[Baton]:
    """The open batons of a project, newest first."""
    return [value(row) for row in ledger.all("baton_open", project=project)]


def recent(ledger: Ledger, project: str, limit: int) -> list[Baton]:
    """Batons of a project in any state, newest first."""
    return [value(row) for row in ledger.all("baton_recent", project=project, limit=limit)]


def get(ledger: Ledger, baton: str) -> Baton | None:
    """The baton of an id."""
    row = ledger.one("baton_get", id=baton)
    return value(row) if row else None


def held(ledger: Ledger, session: str) -> list[Baton]:
    """What a session has claimed."""
    return [value(row) for row in ledger.all("baton_claimed_by", session=session)]


def row(baton: Baton) -> Row:
    """The row that adds ``baton``; one that is there already stays as it is."""
    return Row("baton_add", {name: getattr(baton, name) for name in _COLUMNS} | {"body": json.dumps(body(baton))})


def body(baton: Baton) -> dict[str, Any]:
    """What a baton says, as JSON."""
    return {"summary": baton.summary} | {name: list(getattr(baton, name)) for name in _LISTS}


def value(row: sqlite3.Row) -> Baton:
    """The baton of a row."""
    return from_record({name: row[name] for name in _COLUMNS} | json.loads(row["body"]))


def from_record(record: dict[str, Any]) -> Baton:
    """The baton of a line of evidence, as ``to_record`` wrote it. A value of the wrong type counts as absent."""
    questions, steps, files = (_texts(record.get(name)) for name in _LISTS)
    words = {name: value for name in ("summary", *_COLUMNS) if isinstance(value := record.get(name), str)}
    return replace(Baton("", "", "", ""), questions=questions, steps=steps, files=files, **words)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def to_record(baton: Baton) -> dict[str, Any]:
    """A baton as it stands in a line of evidence."""
    return {name: getattr(baton, name) for name in _COLUMNS} | body(baton)
