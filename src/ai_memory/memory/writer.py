"""The one writer of a data directory: one thread, one bounded queue, batches.

A batch is: check (compare-and-set, in one open ledger transaction) → pages, flushed → evidence, appended → ledger
commit, flushed, with the evidence's bytes in it → acknowledge. However many sessions a batch touches, evidence costs one
flush. Its files are flushed soon after, and only then are the bytes dropped from the ledger. Index and git follow off
the acknowledgement path.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ai_memory import git
from ai_memory.domain import event, evidence
from ai_memory.domain.change import Change, Line, Row
from ai_memory.domain.observation import Session
from ai_memory.domain.page import Edit
from ai_memory.errors import Busy, Conflict, Invalid, MemoryFault, Unreachable
from ai_memory.ledger.store import Ledger
from ai_memory.raw import files as raw
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.store import Wiki
from ai_memory.wiki.version import Version

log = logging.getLogger(__name__)
BATCH = 512
# How long evidence may rest on the ledger alone, in seconds and in pieces.
_SETTLE, _SETTLE_PIECES = 2.0, 5_000
# Events that are neither an answer nor a tool's outcome.
_STILL = frozenset(event.KINDS) - {event.STOP, event.POST_TOOL}


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a change: per line ``stored`` or ``replayed``; per edit its version, or None if nothing changed.

    ``current`` is per edit the id of the version that its page then had, "" for none.
    """

    lines: tuple[str, ...] = ()
    versions: tuple[Version | None, ...] = ()
    current: tuple[str, ...] = ()


@dataclass(slots=True)
class _Growth:
    """What one batch adds to one session's file. ``count`` is events; other lines (batons) are not counted."""

    session: Session
    file: str
    size: int
    data: list[bytes] = field(default_factory=list)
    count: int = 0
    last: str = ""
    acted: bool = False
    ending: bool = False
    news: bool = False
    reason: str = ""
    seq: int = 0

    def take(self, record: dict[str, Any]) -> None:
        kind = str(record.get("kind", ""))
        self.data.append(raw.encode(record))
        if kind not in event.KINDS:
            return
        self.count += 1
        self.last = max(self.last, str(record.get("at", "")))
        if kind == event.SESSION_END:
            self.ending, self.reason = True, str(record.get("source", ""))[:60]
        else:
            self.news = True
            self.ending = False
            self.acted = self.acted or kind not in _STILL


@dataclass(frozen=True, slots=True)
class Batch:
    """What a committed batch touched: file → (session, size), and the new versions in order."""

    files: dict[str, tuple[Session, int]]
    versions: tuple[tuple[Bundle, Version], ...]


class Writer:
    """Applies changes in order. ``submit`` never blocks: a full queue raises ``Busy``."""

    def __init__(self, ledger: Ledger, root: Path, wiki: Wiki, committed: Callable[[Batch], None], limit: int) -> None:
        self._ledger = ledger
        self._root = root
        self._wiki = wiki
        self._committed = committed
        self._queue: queue.Queue[tuple[Change, Future[Applied]] | None] = queue.Queue(limit)
        self._open: dict[str, tuple[str, int]] = {}
        self._fresh: set[str] = set()
        self._appended = self._settled = 0
        self._closed = False
        self._stop = threading.Event()
        self._due = threading.Event()
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._settler = threading.Thread(target=self._settle, name="settle evidence", daemon=True)
        self._thread.start()
        self._settler.start()

    @property
    def waiting(self) -> int:
        """Changes that wait."""
        return self._queue.qsize()

    def submit(self, change: Change) -> Future[Applied]:
        """Queue a change. Its future holds what became of it, or the refusal; it is done only after the flush to disk."""
        with self._gate:
            if self._closed:
                raise Unreachable("The server is stopping. Try again when it is back.")
            return self._put(change)

    def _put(self, change: Change) -> Future[Applied]:
        future: Future[Applied] = Future()
        try:
            self._queue.put_nowait((change, future))
        except queue.Full:
            raise Busy("Too many writes are waiting. Try again in a second.") from None
        return future

    def apply(self, change: Change, timeout: float = 30.0) -> Applied:
        """Queue a change and wait for it."""
        return self.submit(change).result(timeout)

    def close(self) -> None:
        """Drain the queue, then stop."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
        self._stop.set()
        self._due.set()
        self._settler.join()
        self._queue.put(None)
        self._thread.join()
        self._settle_now()

    def _work(self) -> None:
        while True:
            item = self._queue.get()
            batch = [item] if item else []
            while item and len(batch) < BATCH:
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
                if item:
                    batch.append(item)
            if batch:
                self._run(batch)
            if item is None:
                return

    def _run(self, batch: Sequence[tuple[Change, Future[Applied]]]) -> None:
        growths: dict[str, _Growth] = {}
        staged: list[tuple[Edit, Version]] = []
        versions: list[tuple[Bundle, Version]] = []
        done: list[tuple[Future[Applied], Applied | MemoryFault]] = []
        db = self._ledger.write
        try:
            db.execute("BEGIN IMMEDIATE")
            for change, future in batch:
                done.append((future, self._stage(change, growths, staged)))
            for made in self._wiki.sync():
                versions.append(made)
            self._append(growths)
            db.execute("COMMIT")
        except Exception as error:
            log.exception("a batch could not be written")
            if db.in_transaction:
                db.execute("ROLLBACK")
            why = f"The store cannot be written ({_reason(error)}). Nothing was lost; check the disk and try again."
            fault = Unreachable(why)
            for edit, version in reversed(staged):
                self._wiki.unstage(edit, version)
            self._open.clear()
            if versions:  # these stand all the same
                self._committed(Batch({}, tuple(versions)))
            for _, future in batch:
                future.set_exception(fault)
            return
        self._remember(growths)
        files = {g.file: (g.session, g.size) for g in growths.values() if g.data}
        self._committed(Batch(files, tuple(versions)))
        for future, result in done:
            if isinstance(result, MemoryFault):
                future.set_exception(result)
            else:
                future.set_result(result)

    def _stage(
        self, change: Change, growths: dict[str, _Growth], staged: list[tuple[Edit, Version]]
    ) -> Applied | MemoryFault:
        """Run one change's rows and edits inside a savepoint; its lines are only collected."""
        if not change.rows and not change.edits and not change.adoptions:
            return Applied(tuple(self._collect(line, growths) for line in change.lines))
        db = self._ledger.write
        db.execute("SAVEPOINT change")
        mine: list[tuple[Edit, Version]] = []
        try:
            self._check(change.rows)
            made = tuple(self._edit(edit, mine) for edit in change.edits)
            current = tuple(self._wiki.current(edit) for edit in change.edits)
            for item in change.adoptions:
                self._wiki.adopt(item.workspace, item.project, item.path, item.stamp)
        except (MemoryFault, sqlite3.IntegrityError, git.Failed, OSError) as error:
            for edit, version in reversed(mine):
                self._wiki.unstage(edit, version)
            db.execute("ROLLBACK TO change")
            db.execute("RELEASE change")
            return _fault(error)
        outcomes = tuple(self._collect(line, growths) for line in change.lines)
        db.execute("RELEASE change")
        staged += mine
        return Applied(outcomes, made, current)

    def _check(self, rows: Sequence[Row]) -> None:
        for row in rows:
            touched = self._ledger.run(row.name, row.values)
            if row.expect is not None and touched != row.expect:
                raise Conflict(row.refusal or "Somebody changed this first. Read it again and retry.")

    def _edit(self, edit: Edit, mine: list[tuple[Edit, Version]]) -> Version | None:
        version = self._wiki.stage(edit)
        if version is not None:
            mine.append((edit, version))
        return version

    def _collect(self, line: Line, growths: dict[str, _Growth]) -> str:
        session = line.session
        growth = growths.get(session.id)
        if growth is None:
            growth = growths[session.id] = self._growth(session)
        if not self._ledger.run("key_add", {"session": session.id, "key": line.record["key"]}):
            return "replayed"
        if growth.size == 0 and not growth.data:
            growth.data.append(raw.encode(evidence.header(session)))
        growth.take(line.record)
        return "stored"

    def _growth(self, session: Session) -> _Growth:
        known = self._open.get(session.id)
        if known is None:
            file = raw.place(session.workspace, session.project, session.started, session.id)
            self._ledger.run("session_open", _columns(session) | {"file": file})
            row = self._ledger.write.execute("SELECT file, bytes FROM session WHERE id = ?", (session.id,)).fetchone()
            known = (row["file"], row["bytes"])
        return _Growth(session, *known)

    def _append(self, growths: dict[str, _Growth]) -> None:
        for growth in growths.values():
            if not growth.data:
                continue
            rest = {"file": growth.file, "start": growth.size, "data": b"".join(growth.data)}
            growth.size = raw.append(self._root, growth.file, growth.data, growth.size)
            growth.seq = self._ledger.add("unsettled_add", rest)
            self._ledger.run(
                "session_grow",
                {
                    "id": growth.session.id, "lines": growth.count, "bytes": growth.size, "last": growth.last,
                    "acted": int(growth.acted), "ending": int(growth.ending), "news": int(growth.news),
                    "reason": growth.reason,
                },
            )  # fmt: skip

    def _settle(self) -> None:
        """Flush evidence files now and then, and let the writer forget their bytes."""
        while not self._stop.is_set():
            self._due.wait(_SETTLE)
            self._due.clear()
            try:
                seq = self._flush()
                if seq and not self._stop.is_set():
                    self._put(Change(rows=(Row("unsettled_clear", {"seq": seq}),)))
            except Exception:
                log.exception("evidence could not be flushed; trying again")

    def _flush(self) -> int:
        """Flush what was appended so far; the last entry of the ledger that is thereby settled, 0 if none."""
        with self._gate:
            fresh, self._fresh, seq = self._fresh, set(), self._appended
        if not fresh:
            return 0
        try:
            raw.settle(self._root, fresh)
        except OSError:
            with self._gate:
                self._fresh |= fresh
            raise
        self._settled = seq
        return seq

    def _settle_now(self) -> None:
        """At the end, with nobody writing any more."""
        seq = self._flush()
        if seq:
            self._ledger.run("unsettled_clear", {"seq": seq})

    def _remember(self, growths: dict[str, _Growth]) -> None:
        if len(self._open) > 4096:
            self._open.clear()
        with self._gate:
            self._fresh.update(g.file for g in growths.values() if g.data)
            self._appended = max([self._appended, *(g.seq for g in growths.values())])
            due = self._appended - self._settled > _SETTLE_PIECES
        if due:
            self._due.set()
        self._open.update({g.session.id: (g.file, g.size) for g in growths.values() if g.data})


def _columns(session: Session) -> dict[str, str]:
    return {
        "id": session.id, "workspace": session.workspace, "project": session.project, "agent": session.agent,
        "native": session.native, "started": session.started, "cwd": session.cwd, "branch": session.branch,
        "machine": session.machine,
    }  # fmt: skip


def _fault(error: Exception) -> MemoryFault:
    """What one change is told; the others of its batch go on."""
    if isinstance(error, MemoryFault):
        return error
    if isinstance(error, sqlite3.IntegrityError):
        return Invalid(f"The ledger refused this: {error}.")
    log.error("a change could not be prepared: %s", _reason(error))
    return Unreachable(f"The store cannot be written ({_reason(error)}). Nothing was lost; try again.")


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
