"""The events of this machine that wait for a server: one file each, in the order they happened.

A file is a line of JSON that the hook wrote, then the agent's payload as it came. It is removed once the server has
the event on disk. What can never be sent goes to ``refused/`` with the reason beside it.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MOST = 10_000
OLDEST = 7 * 86_400
_REFUSED = 1_000
_LONGEST = 32 * 1024 * 1024
_DRAFT = 3_600


@dataclass(frozen=True, slots=True)
class Entry:
    """One event that waits. ``body`` is the payload's JSON object, not yet redacted; ``at`` is RFC 3339 in UTC.

    ``reduced`` tells that the hook left only ids in the body. ``session`` is the native id if the hook knew it.
    """

    path: Path
    event: str
    agent: str
    key: str
    at: str
    cwd: str
    body: dict[str, Any]
    session: str = ""
    reduced: bool = False


def folder(data: Path) -> Path:
    """Where events wait; its time changes when one comes or goes."""
    return data / "spool"


def names(data: Path) -> list[str]:
    """The files that wait, the oldest first."""
    return sorted(_listed(folder(data)))


def take(data: Path, chosen: Iterable[str]) -> Iterator[Entry]:
    """The events in the ``chosen`` files, one in memory at a time; one that is gone is passed over, a bad one refused."""
    for name in chosen:
        path = folder(data) / name
        try:
            entry = _entry(path, _read(path))
        except FileNotFoundError:
            continue
        except ValueError as error:
            refuse(data, path, str(error))
        except OSError:
            continue  # no permission now, or a disk that fails: it waits
        else:
            yield entry


def done(entries: Iterable[Entry]) -> None:
    """Remove events that a server has on disk."""
    for entry in entries:
        with suppress(FileNotFoundError):
            os.unlink(entry.path)


def refuse(data: Path, path: Path, reason: str) -> None:
    """Move a file to ``refused/``, with ``reason`` (which never quotes the event) in a file beside it."""
    away = folder(data) / "refused"
    try:
        away.mkdir(mode=0o700, exist_ok=True)
        os.replace(path, away / path.name)
        note = os.open(away / f"{path.name}.reason", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(note, "w", encoding="utf-8", errors="replace") as file:
            file.write(reason[:500] + "\n")
    except FileNotFoundError:
        pass


def trim(data: Path, most: int = MOST, oldest: float = OLDEST) -> int:
    """Drop what is over ``most`` files or older than ``oldest`` seconds; how many. The file ``dropped`` counts them.

    Also old drafts, and the oldest refused events beyond a thousand or the same age.
    """
    place = folder(data)
    _clear(place, _stale_drafts(place))
    away = place / "refused"
    refused = sorted(_listed(away))
    _clear(away, [f"{name}{end}" for name in _excess(refused, _REFUSED, oldest) for end in ("", ".reason")])
    if not _excess(names(data), most, oldest):
        return 0
    try:
        fd = os.open(place / "dropped", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return 0
    with open(fd, "r+", encoding="ascii", errors="replace") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return 0  # a hook is at it
        dropped = _clear(place, _excess(names(data), most, oldest))
        before = file.read().strip()
        file.seek(0)
        file.write(f"{dropped + (int(before) if before.isdigit() else 0)}\n")
    return dropped


def counts(data: Path) -> dict[str, Any]:
    """``waiting``, ``oldest_seconds``, ``refused``, ``dropped``, and ``problem`` if the last delivery failed."""
    waiting = names(data)
    first = _born(waiting[0]) if waiting else 0.0
    found: dict[str, Any] = {
        "waiting": len(waiting),
        "oldest_seconds": max(0, int(time.time() - first)) if waiting else 0,
        "refused": len(_listed(folder(data) / "refused")),
        "dropped": _number(folder(data) / "dropped"),
    }
    said = problem(data)
    return found | ({"problem": said} if said and waiting else {})


def problem(data: Path, said: str | None = None) -> str:
    """Why the last delivery failed; with ``said``, note it for ``status`` (empty: all is well)."""
    path = folder(data) / "problem"
    try:
        if said is None:
            return path.read_text(encoding="utf-8", errors="replace").strip()
        if said:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with open(fd, "w", encoding="utf-8", errors="replace") as file:
                file.write(said + "\n")
        else:
            path.unlink(missing_ok=True)
    except OSError:
        pass
    return said or ""


def _listed(place: Path) -> list[str]:
    try:
        return [name for name in os.listdir(place) if name.endswith(".json") and not name.startswith(".")]
    except OSError:
        return []


def _read(path: Path) -> bytes:
    """The file's bytes, with as few calls as will do: there may be thousands of files.

    ValueError: it is no file, or larger than an event can be.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LONGEST:
            raise ValueError("The file is larger than an event can be, or no file.")
        data = os.read(fd, found.st_size)
        while len(data) < found.st_size and (more := os.read(fd, found.st_size - len(data))):
            data += more
        return data
    finally:
        os.close(fd)


def _entry(path: Path, data: bytes) -> Entry:
    """Raises ValueError with the reason if this is no event."""
    line, found, payload = data.partition(b"\n")
    if not found:
        raise ValueError("The file was cut short.")
    header = _json(line, "The header is not a JSON object.")
    body = _json(payload, "The payload is not a JSON object.")
    if header.get("v") != 1:
        raise ValueError("The header has a version that this program does not know.")
    texts = {name: header.get(name, "") for name in ("event", "agent", "key", "cwd", "session")}
    at = header.get("at")
    if not all(isinstance(text, str) for text in texts.values()) or type(at) is not int or not 0 <= at < 1 << 43:
        raise ValueError("The header has a value of the wrong type.")
    if not texts["event"] or not texts["agent"]:
        raise ValueError("The header names no event or no agent.")
    when = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Entry(path=path, at=when, body=body, reduced=header.get("reduced") is True, **texts)


def _json(data: bytes, reason: str) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError(reason)
    return value


def _excess(waiting: list[str], most: int, oldest: float) -> list[str]:
    """Of files in order, those that are too many or too old."""
    limit = time.time() - oldest
    return [name for n, name in enumerate(waiting) if n < len(waiting) - most or 0 < _born(name) < limit]


def _born(name: str) -> float:
    """When a file was written, in Unix seconds, as its name says; 0 if it does not."""
    said = name.partition("-")[0]
    return int(said) / 1000 if len(said) == 13 and said.isdigit() else 0.0


def _stale_drafts(place: Path) -> list[str]:
    limit = time.time() - _DRAFT
    found = []
    try:
        for item in os.scandir(place):
            if item.name.startswith(".") and item.name.endswith(".tmp") and item.stat().st_mtime < limit:
                found.append(item.name)
    except OSError:
        pass
    return found


def _clear(place: Path, chosen: list[str]) -> int:
    gone = 0
    for name in chosen:
        try:
            os.unlink(place / name)
            gone += 1
        except OSError:
            pass
    return gone


def _number(path: Path) -> int:
    try:
        said = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return 0
    return int(said) if said.isdigit() else 0
