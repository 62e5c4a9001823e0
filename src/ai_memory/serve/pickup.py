"""Taking in the local spool: what hooks of this machine wrote, within a tenth of a second."""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass

from ai_memory.client import machine, spool
from ai_memory.client.facts import Places
from ai_memory.client.spool import Entry
from ai_memory.domain.actor import Actor
from ai_memory.domain.facts import Facts
from ai_memory.errors import MemoryFault
from ai_memory.memory import capture
from ai_memory.memory.capture import Envelope, Ready
from ai_memory.memory.core import Core

log = logging.getLogger(__name__)
_EVERY = 0.05
_BATCH = 256
_PATIENCE = 30.0
_ME = Actor(client="hook")


@dataclass(frozen=True, slots=True)
class _Started:
    """Files that are on their way to the disk; ``outcome`` has a word for each."""

    entries: list[Entry]
    outcome: Future[tuple[str, ...]] | None = None


class Pickup:
    """Looks at the spool's directory time, reads what is new, stores it, and only then removes it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._data = core.config.data
        self._places = Places(machine.id(self._data))
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="pickup", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(10)

    def facts(self, cwd: str) -> Facts:
        """The facts of a directory of this machine."""
        with self._turn:
            return self._places.facts(cwd)

    def drain(self) -> int:
        """Take in everything that waits; how many events. Returns when they are on disk."""
        with self._turn:
            total, before = 0, _Started([])
            waiting = spool.names(self._data)
            for start in range(0, len(waiting), _BATCH):
                now = self._begin(waiting[start : start + _BATCH])
                total += self._finish(before)  # while the writer is at the next
                before = now
            return total + self._finish(before)

    def _work(self) -> None:
        seen = -1
        rounds = 0
        while not self._stop.wait(_EVERY):
            stamp = self._stamp()
            rounds += 1
            if stamp == seen and rounds % 600:
                continue
            try:
                self.drain()
                seen = stamp if not spool.names(self._data) else -1
                if rounds % 600 == 0:
                    spool.trim(self._data)
            except Exception:
                log.exception("the spool could not be taken in; trying again")
                self._stop.wait(2.0)

    def _stamp(self) -> int:
        try:
            return os.stat(spool.folder(self._data)).st_mtime_ns
        except OSError:
            return -1

    def _begin(self, names: list[str]) -> _Started:
        entries: list[Entry] = []
        ready: list[Ready] = []
        facts: dict[str, Facts] = {}  # of each directory, looked up once a batch
        for entry in spool.take(self._data, names):
            if entry.cwd not in facts:
                facts[entry.cwd] = self._places.facts(entry.cwd)
            try:
                seen = capture.see(self._core, _envelope(entry, facts[entry.cwd]))
                ready.append(capture.prepare(self._core, _ME, seen))
            except MemoryFault as error:
                if error.status != 400:
                    break
                spool.refuse(self._data, entry.path, str(error))
            else:
                entries.append(entry)
        try:
            return _Started(entries, capture.store(self._core, ready))
        except MemoryFault as error:
            log.warning("events wait in the spool: %s", error)
            return _Started([])

    def _finish(self, started: _Started) -> int:
        """Remove what is on disk now. What can never be stored goes to ``refused``."""
        if started.outcome is None:
            return 0
        try:
            outcomes = started.outcome.result(_PATIENCE)
        except (MemoryFault, TimeoutError) as error:
            log.warning("events wait in the spool: %s", error)
            return 0
        kept: list[Entry] = []
        for entry, outcome in zip(started.entries, outcomes, strict=True):
            if outcome == capture.INVALID:
                spool.refuse(self._data, entry.path, "The event has no session id, or its agent's name is none.")
            else:
                kept.append(entry)
        spool.done(kept)
        return len(kept)


def _envelope(entry: Entry, facts: Facts) -> Envelope:
    return Envelope(
        event=entry.event,
        agent=entry.agent,
        key=entry.key,
        facts=facts,
        body=entry.body,
        at=entry.at,
        session=entry.session,
    )
