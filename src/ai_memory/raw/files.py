"""Evidence on disk: append-only JSON lines, one file a session. Lines are never changed; a torn last line is cut."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_memory import disk


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it lies on disk: its record, and the byte range [start, end) with its newline."""

    record: dict[str, Any]
    start: int
    end: int


def place(workspace: str, project: str, started: str, session: str) -> str:
    """Where a session's file lies below ``raw/``; ``started`` is RFC 3339."""
    return f"{workspace}/{project}/{started[:7]}/{session}.jsonl"


def encode(record: dict[str, Any]) -> bytes:
    """One record as a line. Lone surrogates are replaced, so that the file is always UTF-8."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def append(root: Path, file: str, lines: Sequence[bytes], expected: int) -> int:
    """Append whole lines to ``root/file``, not yet durably (see ``settle``); the new size in bytes.

    The file is created (0600, its directories 0700) if need be. ``expected`` is the committed size: what an earlier
    failed write left behind it is cut first.
    """
    path = root / file
    data = b"".join(lines)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    if expected == 0:
        disk.private_dir(path.parent)
    handle = os.open(path, flags, 0o600)
    try:
        if os.fstat(handle).st_size != expected:
            os.ftruncate(handle, expected)
        written = 0
        while written < len(data):
            written += os.pwrite(handle, data[written:], expected + written)
    finally:
        os.close(handle)
    return expected + len(data)


def restore(root: Path, file: str, start: int, data: bytes) -> None:
    """Write ``data`` where it belongs in ``root/file``; doing it twice is doing it once. Not yet durable."""
    path = root / file
    disk.private_dir(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        written = 0
        while written < len(data):
            written += os.pwrite(handle, data[written:], start + written)
    finally:
        os.close(handle)


def settle(root: Path, files: Iterable[str]) -> None:
    """What was appended to ``files``, and their names, are on stable storage on return. Missing files are passed over."""
    folders: dict[Path, Path] = {}
    for file in files:
        path = root / file
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue
        try:
            disk.flush(handle)
        finally:
            os.close(handle)
        folders.setdefault(path.parent, path)
    for path in folders.values():
        _sync_above(root, path)


def read(root: Path, file: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The whole lines of ``root/file`` from byte ``start`` up to ``end`` (None: to the end).

    A line that is not a JSON object is passed over: it can only be damage, and the rest stands. A missing file is empty.
    """
    try:
        handle = open(root / file, "rb")  # noqa: SIM115  (closed below; a generator cannot hold a with across a missing file)
    except FileNotFoundError:
        return
    with handle:
        handle.seek(start)
        at = start
        for raw in handle:
            if not raw.endswith(b"\n") or (end is not None and at + len(raw) > end):
                return
            record = _decode(raw)
            if record is not None:
                yield Line(record, at, at + len(raw))
            at += len(raw)


def whole(root: Path, file: str) -> int:
    """How many bytes of ``root/file`` are whole lines."""
    path = root / file
    size = path.stat().st_size
    with path.open("rb") as handle:
        at = size
        while at > 0:
            step = min(65_536, at)
            handle.seek(at - step)
            cut = handle.read(step).rfind(b"\n")
            if cut >= 0:
                return at - step + cut + 1
            at -= step
    return 0


def secure(root: Path, file: str, size: int) -> None:
    """Cut ``root/file`` to ``size`` bytes and make them and its name durable, whoever wrote them."""
    path = root / file
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_size != size:
            os.ftruncate(handle, size)
        disk.flush(handle)
    finally:
        os.close(handle)
    _sync_above(root, path)


def sizes(root: Path) -> Iterator[tuple[str, int]]:
    """Every evidence file below ``root`` with its size; symbolic links and foreign names are passed over."""
    for workspace in _dirs(root):
        for project in _dirs(workspace):
            for month in _dirs(project):
                yield from _files(root, month)


def _sync_above(root: Path, path: Path) -> None:
    while path != root:
        path = path.parent
        disk.sync_dir(path)


def _files(root: Path, month: Path) -> Iterator[tuple[str, int]]:
    with os.scandir(month) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                yield os.path.relpath(entry.path, root), entry.stat(follow_symlinks=False).st_size


def _dirs(path: Path) -> list[Path]:
    try:
        with os.scandir(path) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []


def _decode(raw: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(raw)
        if b"\\ud" in raw or b"\\uD" in raw:  # halves of characters, which no store takes
            record = json.loads(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
