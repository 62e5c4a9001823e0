"""Opening the index, and the connections to it: one writer, any number of readers that never wait for it."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from ai_memory import sql
from ai_memory.errors import Unreachable
from ai_memory.index.statements import SQL

_HERE = Path(__file__).parent
Reader = sqlite3.Connection  # what `Index.reader` gives
_IDLE = 8
_SIGNS = (
    "malformed", "no such table", "no such column", "no such module", "vtable constructor failed", "fts5 file format",
    "Could not decode",
)  # fmt: skip


@cache
def fingerprint() -> str:
    """What the index's form depends on: its schema and the way texts become words."""
    digest = hashlib.sha256()
    for name in ("schema.sql", "words.py", "passages.py"):
        digest.update((_HERE / name).read_bytes())
    return digest.hexdigest()


class Index:
    """An open index. ``fresh`` tells that it began empty, so that the caller reads the files into it.

    ``writer`` may be used by one thread at a time, ``reader`` by any number.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fresh = False
        self.suspected: Callable[[], None] = _nobody
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._generation = 0
        self._db = self._open()

    @property
    def generation(self) -> int:
        """Rises when the index begins again."""
        return self._generation

    @contextmanager
    def writer(self) -> Iterator[sqlite3.Connection]:
        """The writer's connection inside one transaction, committed at the end of the block."""
        with sql.transaction(self._db):
            yield self._db

    @property
    def connection(self) -> sqlite3.Connection:
        """The writer's connection outside a transaction, for ``erase.scrub``."""
        return self._db

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection that sees one unchanging state for the length of the block.

        Raises ``Unreachable`` where the file turns out to be damaged, and lets ``suspected`` know.
        """
        generation = self._generation
        try:
            with self._borrowed() as db:
                yield db
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
            if generation == self._generation:  # else it is being built again already
                self.suspected()
            raise Unreachable("The index is damaged and is built again from the files. Try again in a moment.") from error

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            generation = self._generation
            db = self._idle.pop() if self._idle else None
        if db is None:
            db = sql.connect(self.path, readonly=True, any_thread=True)
        try:
            db.execute("BEGIN")
            yield db
        finally:
            self._give_back(db, generation)

    def _give_back(self, db: sqlite3.Connection, generation: int) -> None:
        if db.in_transaction:
            with suppress(sqlite3.DatabaseError):
                db.execute("ROLLBACK")
        with self._lock:
            keep = generation == self._generation and len(self._idle) < _IDLE
            if keep:
                self._idle.append(db)
        if not keep:
            db.close()

    def restart(self) -> None:
        """Throw the file away and begin empty; for a file found damaged (``damaged``) while in use. Sets ``fresh``."""
        self.close()
        delete(self.path)
        self._db = self._open()
        self.fresh = True

    def close(self) -> None:
        """Close all connections that are not in a ``reader`` block; those close at its end."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()
        self._db.close()

    def _open(self) -> sqlite3.Connection:
        """The writer's connection to a file of the right form, made anew if it is anything else.

        A log left behind by a file that someone deleted is deleted too, or SQLite would read it into the new one.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.exists():
            try:
                db = sql.connect(self.path, synchronous="NORMAL", any_thread=True)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not damaged(error):
                    raise
            else:
                if _is_ours(db):
                    return db
                db.close()
        delete(self.path)
        db = sql.connect(self.path, synchronous="NORMAL", any_thread=True)
        sql.script(db, _HERE / "schema.sql")
        db.execute(SQL["about_set"], ("fingerprint", fingerprint()))
        self.fresh = True
        return db


def _nobody() -> None:
    """Nobody follows this index yet."""


def open(path: Path) -> Index:
    """The index at ``path``. A file of another form, or damaged, is deleted and begun again (``fresh``)."""
    return Index(path)


def delete(path: Path) -> None:
    """Remove the index's file and SQLite's files beside it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def damaged(error: BaseException) -> bool:
    """Whether ``error``, raised by a call on the index, says that the file is broken, and not locked, full, or unreadable."""
    if not isinstance(error, sqlite3.DatabaseError):
        return isinstance(error, UnicodeDecodeError)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_ERROR:
        return any(sign in str(error) for sign in _SIGNS)
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def check(db: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file, empty if nothing; reads all of it."""
    found = [str(row[0]) for row in db.execute("PRAGMA quick_check(10)")]
    return [] if found == ["ok"] else found


def _is_ours(db: sqlite3.Connection) -> bool:
    try:
        row = db.execute(SQL["about_get"], ("fingerprint",)).fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if damaged(error):
            return False
        raise
    return row is not None and row[0] == fingerprint()
