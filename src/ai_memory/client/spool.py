"""The spool: one file an event, written by the hook, taken in by the local server or sent by the drainer.

A file is a line of JSON (who, where, when) and then the agent's payload, byte for byte. ``docs/hooks.md`` describes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ai_memory import disk

MOST = 10_000
_OLDEST = 7 * 86_400
_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One event that waits. ``header`` is the hook's line, ``body`` the payload as JSON."""

    path: Path
    header: Mapping[str, Any]
    body: Any

    @property
    def event(self) -> str:
        return _word(self.header, "event")

    @property
    def agent(self) -> str:
        return _word(self.header, "agent")

    @property
    def key(self) -> str:
        return _word(self.header, "key")

    @property
    def session(self) -> str:
        return _word(self.header, "session")

    @property
    def cwd(self) -> str:
        """Where it happened: what the hook found, which has looked into the payload too."""
        return _word(self.header, "cwd")

    @property
    def at(self) -> str:
        """When, RFC 3339 in UTC; empty if the header does not say."""
        value = self.header.get("at")
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 253_402_300_000_000:
            return ""
        moment = datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")
        return moment.replace("+00:00", "Z")


def folder(data: Path) -> Path:
    """Where the spool of a data directory lies."""
    return data / "spool"


def names(data: Path) -> list[str]:
    """The names of what waits, oldest first."""
    try:
        return sorted(n for n in os.listdir(folder(data)) if n.endswith(".json") and not n.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def take(data: Path, waiting: list[str]) -> Iterator[Entry]:
    """The entries of ``waiting`` in order. One that cannot be read is moved to ``refused`` with the reason."""
    for name in waiting:
        entry = _read(data, folder(data) / name)
        if entry is not None:
            yield entry


def done(entries: list[Entry]) -> None:
    """Remove what was acknowledged."""
    for entry in entries:
        with contextlib.suppress(FileNotFoundError):
            entry.path.unlink()


def refuse(data: Path, path: Path, reason: str) -> None:
    """Move an item to ``refused``, with a file beside it that says why."""
    place = folder(data) / "refused"
    disk.private_dir(place)
    with contextlib.suppress(FileNotFoundError):
        os.replace(path, place / path.name)
        disk.write(place / f"{path.name}.why", reason.encode("utf-8", "replace")[:1_000] + b"\n", sync=False)


def trim(data: Path) -> int:
    """Drop what is over the bounds (10,000 files, seven days), oldest first; how many. The count is kept."""
    waiting = names(data)
    old = f"{int((time.time() - _OLDEST) * 1000):013d}"
    over = [name for at, name in enumerate(waiting) if at < len(waiting) - MOST or name < old]
    for name in over:
        with contextlib.suppress(FileNotFoundError):
            (folder(data) / name).unlink()
    if over:
        count = counts(data)["dropped"] + len(over)
        disk.write(folder(data) / "dropped", f"{count}\n".encode(), sync=False)
    return len(over)


def counts(data: Path) -> dict[str, int]:
    """What waits, how old the oldest is in seconds, what was refused, what was dropped."""
    waiting = names(data)
    oldest = 0
    if waiting and waiting[0][:13].isdigit():
        oldest = max(0, int(time.time() - int(waiting[0][:13]) / 1000))
    try:
        refused = sum(name.endswith(".json") for name in os.listdir(folder(data) / "refused"))
    except (FileNotFoundError, NotADirectoryError):
        refused = 0
    try:
        text = (folder(data) / "dropped").read_text(encoding="ascii").strip()
        dropped = int(text) if text.isdigit() else 0
    except (OSError, UnicodeDecodeError):
        dropped = 0
    return {"waiting": len(waiting), "oldest_seconds": oldest, "refused": refused, "dropped": dropped}


def _read(data: Path, path: Path) -> Entry | None:
    try:
        with _open(path) as file:
            raw = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        refuse(data, path, f"The file cannot be read: {error.strerror}.")
        return None
    line, _, payload = raw.partition(b"\n")
    try:
        header = json.loads(line)
        body = json.loads(payload.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        refuse(data, path, f"Not an event: {error}.")
        return None
    if len(raw) > _LARGEST or not isinstance(header, dict) or not isinstance(body, dict):
        refuse(data, path, "Not an event: a JSON object was expected, of at most 16 MiB.")
        return None
    return Entry(path, header, body)


def _open(path: Path) -> Any:
    """The file at ``path``, which must not be a link."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK), "rb")


def _word(header: Mapping[str, Any], name: str) -> str:
    value = header.get(name)
    return value if isinstance(value, str) else ""
