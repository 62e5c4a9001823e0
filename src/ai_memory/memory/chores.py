"""Work that follows an acknowledgement: claims of prompts, write-ups of ended sessions, expiry. One thread, by name."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from ai_memory.errors import MemoryFault

log = logging.getLogger(__name__)


class Chores:
    """Runs jobs one after another, off the acknowledgement path. A job that fails is logged and does not stop the rest.

    Nothing depends on this queue to survive: what a job would do is read from the ledger again at start.
    """

    def __init__(self, claim: Callable[[str], Any], finish: Callable[[str], Any], pending: Callable[[str], list[str]]) -> None:
        self._claim = claim
        self._finish = finish
        self._pending = pending
        self._queue: queue.Queue[tuple[Callable[[str], Any], str, Future[None]] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="chores", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Jobs that wait."""
        return self._queue.qsize()

    def claim(self, session: str) -> Future[None]:
        """Claim what a session was shown."""
        return self._put(self._claim, session)

    def finish(self, session: str) -> Future[None]:
        """Write up a session whose end was seen."""
        return self._put(self._finish, session)

    def finish_all(self, project: str, timeout: float = 1.5) -> None:
        """Write up every session of a project whose end was seen, and wait for it, at most ``timeout`` seconds."""
        jobs = [self.finish(id) for id in self._pending(project)]
        for job in jobs:
            try:
                job.result(timeout)
            except TimeoutError:
                return

    def close(self) -> None:
        """Finish what waits, then stop."""
        self._queue.put(None)
        self._thread.join(10)

    def _put(self, job: Callable[[str], Any], session: str) -> Future[None]:
        future: Future[None] = Future()
        self._queue.put((job, session, future))
        return future

    def _work(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            job, session, future = item
            try:
                job(session)
            except MemoryFault as error:
                log.warning("a chore for session %s waits: %s", session, error)
            except Exception:
                log.exception("a chore for session %s failed", session)
            future.set_result(None)
