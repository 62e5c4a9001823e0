"""Versions that git does not have yet: one durable file each, in ``.git/ai-memory/pending``.

A file holds a JSON line about the version, then its bytes. While staged its name ends in ``.staged`` and it counts for
nothing; ``settle`` makes it stand.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ai_memory import disk, git
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version

_STAGED = ".staged"


@dataclass(frozen=True, slots=True)
class Entry:
    """A settled version and its place in the order."""

    serial: int
    version: Version


def folder(bundle: Bundle) -> Path:
    return bundle.repo.own / "pending"


def stage(bundle: Bundle, serial: int, version: Version) -> None:
    """Write ``version`` so that ``settle`` only has to rename; its bytes are durable."""
    header = {
        "op": "delete" if version.deleted else "write",
        "path": version.path,
        "version": version.version,
        "supersedes": version.supersedes,
        "by": version.by,
        "at": version.at,
        "manual": version.manual,
        "stamped": version.stamped,
        "blob": version.blob,
    }
    line = json.dumps(header, ensure_ascii=True).encode("ascii")
    disk.create(folder(bundle) / (_name(serial, version) + _STAGED), line + b"\n" + version.data)


def unstage(bundle: Bundle, serial: int, version: Version) -> bool:
    """Take a staged version back; False, and nothing done, if it stands already or was never there."""
    try:
        (folder(bundle) / (_name(serial, version) + _STAGED)).unlink()
    except FileNotFoundError:
        return False
    return True


def settle(bundle: Bundle, serial: int, version: Version) -> None:
    """Let a staged version stand; durable once the folder is synced. Doing it twice is doing it once."""
    name = folder(bundle) / _name(serial, version)
    with contextlib.suppress(FileNotFoundError):
        os.replace(name.with_name(name.name + _STAGED), name)


def remove(bundle: Bundle, entry: Entry) -> None:
    (folder(bundle) / _name(entry.serial, entry.version)).unlink(missing_ok=True)


def entries(bundle: Bundle) -> Iterator[Entry]:
    """The settled versions in order. One that vanishes meanwhile is in git; one whose bytes are torn is left out."""
    for name in _names(bundle):
        if not name.endswith(_STAGED):
            entry = _read(folder(bundle) / name)
            if entry is not None:
                yield entry


def clear(bundle: Bundle) -> list[str]:
    """Remove what a crash left that was never acknowledged: staged and torn files. Gives their names."""
    gone = [name for name in _names(bundle) if name.endswith(_STAGED) or _read(folder(bundle) / name) is None]
    for name in gone:
        (folder(bundle) / name).unlink(missing_ok=True)
    return gone


def _names(bundle: Bundle) -> list[str]:
    try:
        return sorted(os.listdir(folder(bundle)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _name(serial: int, version: Version) -> str:
    return f"{serial:020d}-{version.version}"


def _read(path: Path) -> Entry | None:
    try:
        line, _, data = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        version = Version(
            path=header["path"],
            version=header["version"],
            by=header["by"],
            at=header["at"],
            blob=header["blob"],
            supersedes=header["supersedes"],
            manual=header["manual"],
            deleted=header["op"] == "delete",
            stamped=header["stamped"],
            data=data,
        )
        serial = int(path.name.partition("-")[0])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    whole = not data if version.deleted else git.blob(data) == version.blob
    return Entry(serial, version) if whole else None
