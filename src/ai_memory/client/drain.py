"""``ai-memory hook-drain``: sends the spool to a server that is not this data directory's own. One at a time.

Every event is redacted before it leaves the machine. Nothing is removed before the server has acknowledged it.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ai_memory import config, disk
from ai_memory.client import http, machine, spool
from ai_memory.client.facts import Places
from ai_memory.client.spool import Entry
from ai_memory.config import Config
from ai_memory.domain.facts import to_json
from ai_memory.domain.redaction import Redactor
from ai_memory.errors import Busy, Invalid, MemoryFault

_BATCH = 256
_BYTES = 8 * 1024 * 1024
_FIRST, _LONGEST, _GIVE_UP = 0.25, 60.0, 600.0
_QUIET = 1.0


class Drainer:
    """One run over the spool of a data directory."""

    def __init__(self, settings: Config) -> None:
        self._data = settings.data
        self._server = http.connect(settings, timeout=30.0)
        self._places = Places(machine.id(settings.data))
        extra, allowed = tuple(settings["sanitize.extra_patterns"]), tuple(settings["sanitize.allowlist"])
        self._redactor = Redactor(extra, allowed)

    def run(self) -> None:
        """Send until nothing waits and a second has been quiet; back off while the server does not answer."""
        wait, since = _FIRST, time.monotonic()
        while time.monotonic() - since < _GIVE_UP:
            waiting = spool.names(self._data)
            if not waiting:
                time.sleep(_QUIET)
                if not spool.names(self._data):
                    return
                continue
            try:
                sent = self._batch(waiting)
            except Busy as error:
                time.sleep(error.retry_after)
                continue
            except MemoryFault:
                time.sleep(wait * (0.5 + random.random()))
                wait = min(wait * 2, _LONGEST)
                continue
            if sent:
                wait, since = _FIRST, time.monotonic()
            else:
                time.sleep(_QUIET)

    def _batch(self, waiting: list[str]) -> int:
        """Send the first events that fit in one request; how many left the spool."""
        entries: list[Entry] = []
        items: list[dict[str, Any]] = []
        size = 0
        for entry in spool.take(self._data, waiting[:_BATCH]):
            item = self._item(entry)
            size += len(http.encode(item))
            if items and size > _BYTES:
                break
            entries.append(entry)
            items.append(item)
        if not items:
            return len(waiting[:_BATCH])
        try:
            _, answer = self._server.request("POST", "/hook/batch", items)
        except Invalid as error:
            if len(entries) > 1:
                return sum(self._alone(entry) for entry in entries)
            spool.refuse(self._data, entries[0].path, str(error))
            return 1
        return self._settle(entries, answer)

    def _alone(self, entry: Entry) -> int:
        try:
            _, answer = self._server.request("POST", "/hook/batch", [self._item(entry)])
        except Invalid as error:
            spool.refuse(self._data, entry.path, str(error))
            return 1
        return self._settle([entry], answer)

    def _settle(self, entries: list[Entry], answer: Any) -> int:
        results = answer.get("results") if isinstance(answer, dict) else None
        gone = 0
        for result in results if isinstance(results, list) else []:
            entry = entries[result["index"]]
            if result["outcome"] == "dropped_invalid":
                spool.refuse(self._data, entry.path, "The server refused the event as invalid.")
            else:
                spool.done([entry])
            gone += 1
        return gone

    def _item(self, entry: Entry) -> dict[str, Any]:
        query = {"event": entry.event, "agent": entry.agent, "ingest_key": entry.key, "occurred_at": entry.at}
        if entry.session:
            query["session_id"] = entry.session
        return {
            "url": f"/hook?{urlencode(query, errors='replace')}",
            "body": self._redactor.value(entry.body),
            "facts": to_json(self._places.facts(entry.cwd)),
        }


def main(words: Sequence[str]) -> int:
    """Drain the spool once; 0 also when another drainer is at it."""
    settings = config.load()
    disk.private_dir(settings.data)
    lock = _lock(settings.data)
    if lock is None:
        return 0
    try:
        spool.trim(settings.data)
        Drainer(settings).run()
    except MemoryFault:
        return 1
    finally:
        os.close(lock)
    return 0


def _lock(data: Path) -> int | None:
    fd = os.open(data / "drain.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    os.utime(fd)
    return fd
