"""SQLite as the stores use it: named statements from ``.sql`` files, and connections with the right pragmas."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from ai_memory.errors import MemoryFault

OLDEST = (3, 40, 0)
_HEAD = re.compile(r"^-- ([a-z][a-z0-9_]*): (\S.*)$", re.MULTILINE)
_WAL_BYTES = 16 * 1024 * 1024


def statements(path: Path) -> Mapping[str, str]:
    """The statements of a ``.sql`` file by name. Each begins with a line ``-- name: purpose`` and ends with ``;``.

    ValueError: text before the first name, a name used twice, or a statement that is empty or unfinished.
    """
    pieces = _HEAD.split(path.read_text(encoding="utf-8"))
    if any(line.strip() and not line.startswith("--") for line in pieces[0].splitlines()):
        raise ValueError(f"{path.name}: SQL stands before the first '-- name: purpose' line")
    found: dict[str, str] = {}
    for name, body in zip(pieces[1::3], pieces[3::3], strict=True):
        if name in found:
            raise ValueError(f"{path.name}: the name {name} is used twice")
        if not sqlite3.complete_statement(body):
            raise ValueError(f"{path.name}: the statement {name} is empty or does not end with ';'")
        found[name] = body.strip()
    return MappingProxyType(found)


def connect(
    path: Path,
    *,
    readonly: bool = False,
    synchronous: Literal["NORMAL", "FULL"] = "FULL",
    any_thread: bool = False,
) -> sqlite3.Connection:
    """A connection in autocommit mode (see ``transaction``) to ``path``, which is created with mode 0600.

    WAL, foreign keys, deleted bytes overwritten, five seconds of patience with a locked file. ``readonly`` never
    creates, never writes. ``any_thread`` allows use from other threads, one at a time. Rows are ``sqlite3.Row``.
    sqlite3.DatabaseError: the file is not a database, or is damaged where opening reads it.
    """
    if not readonly:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    mode = "ro" if readonly else "rw"
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=5.0,
        isolation_level=None,
        check_same_thread=not any_thread,
        cached_statements=256,
    )
    try:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys=ON")
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA temp_store=MEMORY")
        if readonly:
            db.execute("PRAGMA query_only=ON")
        else:
            db.execute("PRAGMA secure_delete=ON")
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(f"PRAGMA synchronous={synchronous}")
            db.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction: committed at the end of the block, rolled back if it raises."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def script(db: sqlite3.Connection, path: Path) -> None:
    """Run a whole ``.sql`` file (a schema, a migration) in one transaction, or not at all."""
    with transaction(db):
        for statement in split(path.read_text(encoding="utf-8")):
            db.execute(statement)


def split(text: str) -> Iterator[str]:
    """The statements of ``text`` one by one; triggers stay whole."""
    piece = ""
    for line in text.splitlines(keepends=True):
        piece += line
        if sqlite3.complete_statement(piece):
            yield piece.strip()
            piece = ""
    if any(line.strip() and not line.lstrip().startswith("--") for line in piece.splitlines()):
        raise ValueError("the last statement does not end with ';'")


def checkpoint(db: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and empty it; False if a reader held it back."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def require() -> None:
    """MemoryFault, with a sentence that says what to do, if this Python's SQLite cannot carry the stores."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise MemoryFault(
            f"SQLite {sqlite3.sqlite_version} is too old: ai-memory needs {'.'.join(map(str, OLDEST))} or newer. "
            "Install a Python that is built with a newer SQLite, for instance with `uv python install 3.12`."
        )
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE probe USING fts5(text, tokenize='trigram')")
    except sqlite3.OperationalError as error:
        raise MemoryFault(
            "This Python's SQLite has no full-text search (FTS5), so nothing could be searched. "
            "Install a Python that is built with FTS5, for instance with `uv python install 3.12`."
        ) from error
    finally:
        db.close()
