"""Files that survive a power cut: the primitives every store writes through.

A rename is durable only after its directory is synced, and a new directory only after its parent is; the functions here
do both. Files are made 0600 and directories 0700.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FULL = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: fsync stops at the drive's cache
_DATA = getattr(os, "fdatasync", os.fsync)


def flush(fd: int, *, data: bool = False) -> None:
    """What was written to ``fd`` is on stable storage on return. ``data`` alone leaves out times, not the size."""
    if _FULL is not None:
        fcntl.fcntl(fd, _FULL)
    elif data:
        _DATA(fd)
    else:
        os.fsync(fd)


def sync_dir(path: Path) -> None:
    """Names made, moved or removed in the directory ``path`` are on stable storage on return."""
    fd = os.open(path, _DIRECTORY)
    try:
        flush(fd)
    finally:
        os.close(fd)


def private_dir(path: Path) -> None:
    """``path`` exists as a directory, 0700 where it was missing, as were its parents; what was made is durable."""
    made: list[Path] = []
    where = path
    while not where.is_dir():
        made.append(where)
        where = where.parent
    for folder in reversed(made):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        sync_dir(folder.parent)


def send(fd: int, data: bytes) -> None:
    """All of ``data`` is written to ``fd``, however often the system takes only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write(path: Path, data: bytes, *, sync: bool = True, temp: Path | None = None) -> None:
    """Replace ``path`` by ``data``: a reader sees the old bytes or the new, never a part.

    With ``sync`` the bytes and the name are durable on return. The temporary file stands beside ``path``, or in the
    directory ``temp`` of the same file system, and is removed on failure.
    """
    draft = (temp or path.parent) / f".{os.urandom(8).hex()}.tmp"
    try:
        create(draft, data, sync=sync)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if sync:
        sync_dir(path.parent)


def create(path: Path, data: bytes, *, sync: bool = True) -> None:
    """A new file with ``data``, durable with ``sync`` but for its name. Raises FileExistsError, never replaces."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        send(fd, data)
        if sync:
            flush(fd)
    finally:
        os.close(fd)


def append(path: Path, data: bytes) -> int:
    """Add ``data`` to the end of ``path``, which is made if missing; durable on return. Gives the offset it begins at.

    For one writer: two at once would not know whose offset is whose.
    """
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        start = os.fstat(fd).st_size
        send(fd, data)
        flush(fd, data=True)
    finally:
        os.close(fd)
    if start == 0:
        sync_dir(path.parent)
    return start


@contextlib.contextmanager
def beneath(root: Path, folders: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of ``root/folders…`` reached without following a link. ``make`` adds what is missing, durably.

    Raises FileNotFoundError, or NotADirectoryError where a link or a file stands in the way.
    """
    fd = os.open(root, _DIRECTORY)
    try:
        for name in folders:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=fd)
                    flush(fd)
            inner = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)
