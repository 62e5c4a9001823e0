"""``ai-memory hook-drain``: sends waiting events to a server that does not read this machine's spool itself.

One process at a time. An event is redacted before it leaves; it is removed once the server has it on disk.
"""

from __future__ import annotations

import fcntl
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ai_memory import config
from ai_memory.client import faults, http, machine, spool
from ai_memory.client.facts import Places
from ai_memory.client.spool import Entry
from ai_memory.config import Config
from ai_memory.domain import scope
from ai_memory.domain.facts import to_json
from ai_memory.domain.redaction import Redactor
from ai_memory.errors import Busy, Forbidden, Invalid, MemoryFault, Refused, TooLarge, Unreachable

ITEMS, BYTES = 256, 8 * 1024 * 1024
_POLL = 0.25


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a drainer stays, in seconds: ``quiet`` without a new event, ``give_up`` without one delivered.

    Tries are ``first`` to ``last`` apart. With ``once`` it neither waits for new events nor tries again.
    """

    quiet: float = 2.0
    give_up: float = 600.0
    first: float = 0.25
    last: float = 60.0
    once: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One event, redacted and encoded as the batch route takes it."""

    entry: Entry
    data: bytes


def main(words: Sequence[str]) -> int:
    """Deliver what waits and what comes meanwhile; ``--once``: what waits, one try. Exit code 0, or the error's."""
    try:
        settings = config.load()
        drainer = Drainer(settings, Patience(once="--once" in words))
    except MemoryFault as error:
        spool.problem(config.data_dir(), str(error))
        print(f"ai-memory hook-drain: {error}", file=sys.stderr)
        return error.exit
    return drainer.run()


class Drainer:
    """Delivers one data directory's spool to the server that its settings name. Raises ``Invalid`` for bad settings."""

    def __init__(self, settings: Config, patience: Patience | None = None) -> None:
        self._data = settings.data
        self._patience = patience or Patience()
        self._places = Places(machine.id(settings.data))
        self._server = http.connect(settings)
        try:
            self._redactor = Redactor(settings["sanitize.extra_patterns"], settings["sanitize.allowlist"])
        except ValueError as error:
            raise Invalid(f"The [sanitize] settings cannot be used, so nothing is sent: {error}") from error

    def run(self) -> int:
        """Work until all is delivered and it is quiet, or nothing could be delivered for long; the exit code."""
        code = 0
        while True:
            with _alone(self._data) as mine:
                if not mine:
                    return code
                spool.trim(self._data)
                code = self._work()
            # A hook that saw us at work started no drainer; its event may have come after our last look.
            if code or self._patience.once or not spool.names(self._data):
                return code

    def _work(self) -> int:
        patience = self._patience
        wait, moved = patience.first, time.monotonic()
        while True:
            names = spool.names(self._data)
            if not names:
                spool.problem(self._data, "")
                if patience.once or time.monotonic() - moved >= patience.quiet:
                    return 0
                time.sleep(min(_POLL, patience.quiet))
                continue
            error = self._try(names)
            if error is None or not set(names) <= set(spool.names(self._data)):
                wait, moved = patience.first, time.monotonic()
            if error is None:
                continue
            spool.problem(self._data, str(error))
            if patience.once or time.monotonic() - moved >= patience.give_up:
                return error.exit
            time.sleep(self._pause(error, wait))
            wait = min(wait * 2, patience.last)
            spool.trim(self._data)

    def _try(self, names: list[str]) -> MemoryFault | None:
        """Send everything in ``names`` once; the error that stopped it, if any."""
        try:
            for batch in _batches(self._items(names)):
                self._send(batch)
        except MemoryFault as error:
            return error
        if set(names) <= set(spool.names(self._data)):
            return Unreachable("Nothing in the spool can be read or removed. Check who owns its files.")
        return None

    def _pause(self, error: MemoryFault, wait: float) -> float:
        """As long as we were told; else between half and all of ``wait``, so that machines do not march in step."""
        if isinstance(error, Busy):
            return min(float(error.retry_after), self._patience.last)
        if isinstance(error, Refused | Forbidden):
            self._server = http.connect(config.load(str(self._data)))  # the token may have been replaced
        return wait * (0.5 + random.random() / 2)

    def _items(self, names: list[str]) -> Iterator[Item]:
        for entry in spool.take(self._data, names):
            facts = self._places.facts(entry.cwd)
            elsewhere = scope.claims(facts).server
            if elsewhere and _plain(elsewhere) != _plain(self._server.url):
                spool.refuse(self._data, entry.path, "A marker names another server than the settings: not sent.")
                continue
            yield Item(entry, self._encoded(entry, to_json(facts)))

    def _encoded(self, entry: Entry, facts: dict[str, Any]) -> bytes:
        query = {"event": entry.event, "agent": entry.agent, "ingest_key": entry.key, "occurred_at": entry.at}
        if entry.session:
            query["session_id"] = entry.session
        for name in ("branch", "root_name"):
            if name in facts:
                facts[name] = self._redactor.text(facts[name])
        item = {"url": "/hook?" + urlencode(query, errors="replace"), "body": self._redactor.value(entry.body)}
        return http.encode(item | {"facts": facts})

    def _send(self, batch: list[Item]) -> None:
        body = b"[" + b",".join(item.data for item in batch) + b"]"
        status, headers, answer = self._server.ask("POST", "/hook/batch", http.Encoded(body))
        if status in (200, 429) and isinstance(answer, dict) and "results" in answer:
            self._settle(batch, answer)
            if status == 429:
                raise faults.from_json(status, None, headers)
            return
        error = faults.from_json(status, answer, headers)
        if not isinstance(error, Invalid | TooLarge):
            raise error
        if len(batch) > 1:  # one of them is at fault; the others must not suffer for it
            half = len(batch) // 2
            self._send(batch[:half])
            self._send(batch[half:])
            return
        spool.refuse(self._data, batch[0].entry.path, f"The server refused it: {error}")

    def _settle(self, batch: list[Item], answer: dict[str, Any]) -> None:
        """Remove what the server has, put away what it can never take; the rest stays."""
        told = 0
        for result in answer["results"] if isinstance(answer["results"], list) else []:
            index = result.get("index") if isinstance(result, dict) else None
            if type(index) is not int or not 0 <= index < len(batch):
                continue
            told += 1
            entry = batch[index].entry
            if result.get("outcome") == "dropped_invalid":
                spool.refuse(self._data, entry.path, "The server found it not valid: no session id, or a wrong value.")
            else:
                spool.done([entry])
        if told < len(batch) and "failed_index" not in answer:
            raise Unreachable("The server did not say what became of every event. See its log.")


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == ITEMS or size + len(item.data) + 1 > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.data) + 1
    if batch:
        yield batch


@contextmanager
def _alone(data: Path) -> Iterator[bool]:
    """Whether this is the one drainer of the data directory while the context lasts."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(data / "drain.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(fd)


def _plain(url: str) -> str:
    return url.rstrip("/").lower().replace("//localhost", "//127.0.0.1")
