"""Which machine this is, so that two directories of one path on two machines stay two."""

from __future__ import annotations

import os
from pathlib import Path


def id(data: Path) -> str:
    """The random hex in the file ``machine-id`` of the data directory, made if missing; empty if it cannot be written.

    Two processes that start together agree: a link is made once.
    """
    path = os.path.join(data, "machine-id")
    known = _read(path)
    if known:
        return known
    made = os.urandom(16).hex()
    draft = f"{path}.{made[:8]}.tmp"
    try:
        os.makedirs(data, mode=0o700, exist_ok=True)
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, made.encode() + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(draft)
    except OSError:
        return ""
    return _read(path)


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            said = file.read(256).strip()
    except OSError:
        return ""
    return said[:64] if said.isascii() and said.isalnum() else ""
