"""A project's folder of pages: one OKF bundle and one git repository."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ai_memory import disk, git
from ai_memory.wiki.version import Version

MANIFEST = "project.json"

Step = Callable[[str], None]
"""Called with a name between the steps of a write; for tests that stop the process there."""


def quiet(name: str) -> None:
    """The step that does nothing."""


@dataclass(slots=True)
class Staged:
    """A version waiting for ``sync``. ``before`` and ``hand`` are what its path held in memory, to go back to.

    ``signature`` tells the working file that was compared from one put there since. A ``kept`` version is of bytes
    that a person wrote: they already stand in the working file.
    """

    version: Version
    serial: int
    signature: tuple[int, ...]
    before: Version | None
    hand: Version | None
    kept: bool


@dataclass(slots=True)
class Memo:
    """What the one writer remembers of a bundle; filled by ``known.load``, rebuilt from files at any time.

    ``known``: path → current version (its id is "" until asked for). ``hand``: the current versions that their file
    does not bear: edits by hand, deletions by a person. ``folded``: folded path or folder → the name in use.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    loaded: bool = False
    mended: bool = False
    suspect: bool = True
    healed: bool = False
    serial: int = 0
    known: dict[str, Version] = field(default_factory=dict)
    hand: dict[str, Version] = field(default_factory=dict)
    folded: dict[str, str] = field(default_factory=dict)
    staged: list[Staged] = field(default_factory=list)
    stats: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    entries: dict[str, tuple[str, str]] | None = None
    behind: dict[str, str] = field(default_factory=dict)
    listed: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The pages of one project: ``root/<workspace>/<project>``. Keep one instance a project: it carries the memo."""

    root: Path
    workspace: str
    project: str
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    @property
    def dir(self) -> Path:
        return self.root / self.workspace / self.project

    @property
    def repo(self) -> git.Repo:
        return git.Repo(self.dir)


def create(bundle: Bundle, manifest: Mapping[str, Any]) -> None:
    """The bundle's folder exists and says who it is; durable. Its repository is made with the first page."""
    disk.private_dir(bundle.dir)
    if read(bundle) != dict(manifest):
        data = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"
        with bundle.memo.lock:  # recovery clears drafts under it
            disk.write(bundle.dir / MANIFEST, data)


def read(bundle: Bundle) -> dict[str, Any]:
    """The manifest; empty if there is none that can be read."""
    try:
        found = json.loads((bundle.dir / MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
