"""Edits of agents' files: planned as values, shown, applied with a backup, and undone to the byte.

What a file held before our first edit is remembered beside the data (0600), with a digest of what we made of it: an
uninstall gives the old bytes back where nobody has edited since, and else takes out our entries only.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import hashlib
import itertools
import json
import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ai_memory import disk
from ai_memory.errors import Conflict, Invalid
from ai_memory.harness.adapter import Part, Wiring

_MEMORY = "installed.json"
_OURS = (b"ai-memory", b"ai_memory", b"bin/hook.py")  # in a file without any of these is no entry of ours


@dataclass(frozen=True, slots=True)
class Edit:
    """One file to change: ``before`` is None if it is new, ``after`` None if it is to be removed.

    ``spare`` says that nothing of a person's is lost by it, so that no backup is needed.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    spare: bool = False

    @property
    def changes(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        """What would change, as a unified diff."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), n=2)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def installing(parts: Iterable[Part], wiring: Wiring) -> list[Edit]:
    """The edits that put our entries in. Raises ``Invalid`` for a file that cannot be read as what it is."""
    return [_edit(part, wiring, part.put) for part in parts]


def removing(parts: Iterable[Part], wiring: Wiring) -> list[Edit]:
    """The edits that take our entries out. Raises ``Invalid`` for a file that holds some and cannot be read."""
    remembered = _remembered(wiring.data)
    return [_undo(part, wiring, remembered.get(str(part.path))) for part in parts]


def apply(edits: Iterable[Edit], wiring: Wiring, *, remember: bool) -> list[Path]:
    """Make the edits: a backup beside each file that existed, then an atomic write. The backups.

    Raises ``Conflict``, and changes none of them, if a file is not what it was when the edits were planned: an agent that
    runs meanwhile writes to its own files. A file that holds our token is left for its owner alone.
    """
    edits = [edit for edit in edits if edit.changes]
    for edit in edits:
        if _read(edit.path) != edit.before:
            raise Conflict(f"{edit.path} was changed meanwhile and is left alone. Run this again.")
    backups = []
    remembered = _remembered(wiring.data)
    for edit in edits:
        old = remembered.get(str(edit.path))
        known = old is not None and old["after"] == _digest(edit.before)  # nobody has written there since our last edit
        if edit.before is not None and not edit.spare and not (remember and known):
            backups.append(_backup(edit))
        secret = bool(wiring.token) and wiring.token.encode() in (edit.after or b"")
        made = _write(edit, old, 0o600 if secret else 0o777)
        if remember and edit.after is not None:
            first = old["before"] if old and known else _packed(edit.before)
            folder = "made" if made or _made(remembered, edit.path.parent) else ""
            remembered[str(edit.path)] = {"before": first, "after": _digest(edit.after), "folder": folder}
        else:
            remembered.pop(str(edit.path), None)
    if remembered or (wiring.data / _MEMORY).exists():
        disk.private_dir(wiring.data)
        disk.write(wiring.data / _MEMORY, json.dumps(remembered, indent=1).encode())
    return backups


def _edit(part: Part, wiring: Wiring, change: object) -> Edit:
    before = _read(part.path)
    text = _text(part.path, before)
    try:
        after = part.put(text, wiring) if change is part.put else part.drop(text, wiring)
    except (Invalid, ValueError) as error:
        raise Invalid(f"{part.path} is left alone: {error}. Mend it and run this again.") from error
    return Edit(part.path, before, before if after == text else after.encode("utf-8"))


def _undo(part: Part, wiring: Wiring, remembered: dict[str, str] | None) -> Edit:
    before = _read(part.path)
    if before is None:
        return Edit(part.path, None, None)
    if remembered and remembered["after"] == _digest(before):
        return Edit(part.path, before, _unpacked(remembered["before"]), spare=True)
    try:
        edit = _edit(part, wiring, part.drop)
    except Invalid:
        if any(mark in before for mark in _OURS):
            raise
        return Edit(part.path, before, before)
    ours_alone = remembered is not None and not remembered["before"] and edit.after is not None
    if ours_alone and edit.after is not None and edit.after.strip() in (b"", b"{}"):
        return Edit(part.path, before, None)
    return edit


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Invalid(f"{path} cannot be read ({error.strerror}). Mend it and run this again.") from error


def _text(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 and is left alone.") from error


def _backup(edit: Edit) -> Path:
    """A copy beside the file, under a name that no earlier copy has."""
    stamp = f"{edit.path.name}.ai-memory-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([f"{stamp}.bak"], (f"{stamp}-{count}.bak" for count in itertools.count(2)))
    for name in names:
        place = edit.path.with_name(name)
        with contextlib.suppress(FileExistsError):
            disk.create(place, edit.before or b"")
            return place
    raise AssertionError("there is always another name")


def _write(edit: Edit, known: dict[str, str] | None, most: int) -> bool:
    """Make the edit, with no more rights than ``most``; whether its folder had to be made.

    A folder we made goes with the last file in it.
    """
    target = Path(os.path.realpath(edit.path))
    if edit.after is None:
        target.unlink(missing_ok=True)
        if known and known.get("folder"):
            with contextlib.suppress(OSError):
                target.parent.rmdir()
        return False
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
    made = not target.parent.is_dir()
    target.parent.mkdir(parents=True, exist_ok=True)
    disk.write(target, edit.after)
    target.chmod(mode & most)
    return made


def _remembered(data: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads((data / _MEMORY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, dict) and {"before", "after"} <= v.keys()}


def _made(remembered: dict[str, dict[str, str]], folder: Path) -> bool:
    return any(one.get("folder") and Path(name).parent == folder for name, one in remembered.items())


def _packed(data: bytes | None) -> str:
    return "" if data is None else "=" + base64.b64encode(data).decode("ascii")


def _unpacked(text: str) -> bytes | None:
    return base64.b64decode(text[1:]) if text else None


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data or b"").hexdigest()
