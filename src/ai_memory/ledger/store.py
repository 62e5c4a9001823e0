"""The ledger's file: opened, brought to the newest schema, read by name and written by the one writer."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ai_memory import sql
from ai_memory.errors import MemoryFault

_HERE = Path(__file__).parent
QUERIES = sql.statements(_HERE / "queries.sql")
VERSION = 1


class Ledger:
    """Operational state: who may and who holds.

    ``write`` is the writer thread's connection (synchronous=FULL); ``all`` and ``one`` read through a connection of the
    calling thread and never wait for the writer.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write = sql.connect(path, synchronous="FULL", any_thread=True)
        try:
            _migrate(self.write, path)
        except BaseException:
            self.write.close()
            raise
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def all(self, name: str, /, **values: Any) -> list[sqlite3.Row]:
        """The rows of the named query."""
        return self._reader().execute(QUERIES[name], values).fetchall()

    def one(self, name: str, /, **values: Any) -> sqlite3.Row | None:
        """The first row of the named query, or None."""
        row: sqlite3.Row | None = self._reader().execute(QUERIES[name], values).fetchone()
        return row

    def run(self, name: str, values: Mapping[str, Any]) -> int:
        """Run a named statement on the writer's connection; how many rows it touched."""
        return self.write.execute(QUERIES[name], values).rowcount

    def add(self, name: str, values: Mapping[str, Any]) -> int:
        """Run a named insert on the writer's connection; the new row's id."""
        return self.write.execute(QUERIES[name], values).lastrowid or 0

    def close(self) -> None:
        """Close every connection; the write-ahead log is folded in."""
        with self._lock:
            for reader in self._readers:
                reader.close()
            self._readers.clear()
        self.write.close()

    def _reader(self) -> sqlite3.Connection:
        reader: sqlite3.Connection | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = sql.connect(self.path, readonly=True, any_thread=True)
            self._local.reader = reader
            with self._lock:
                self._readers.append(reader)
        return reader


def damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether ``error`` says that the file itself is broken, and not locked, full or of another schema."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def set_aside(path: Path, mark: str) -> Path:
    """Rename the ledger's file, and SQLite's beside it, so that a new one can begin; where it is now."""
    aside = path.with_name(f"{path.name}.damaged-{mark}")
    for suffix in ("-wal", "-shm", ""):
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.rename(aside.with_name(aside.name + suffix))
    return aside


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise MemoryFault(
            f"{path.name} was written by a newer ai-memory (schema {version}, this one knows {VERSION}). Upgrade ai-memory."
        )
    if version == 0:
        sql.script(db, _HERE / "schema.sql")
        db.execute(f"PRAGMA user_version = {VERSION}")
