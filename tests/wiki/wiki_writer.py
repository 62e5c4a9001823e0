"""A bundle to write to, and a writer with a clock and ids of its own."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

from ai_memory.domain import ids
from ai_memory.domain.page import Edit, Page, Stamp
from ai_memory.wiki import bundle as bundles
from ai_memory.wiki import commits, files
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version


class Writer:
    """Writes pages to one bundle; each version is a second later than the one before."""

    def __init__(self, root: Path, start: int = 1) -> None:
        self.root = root
        self.bundle = Bundle(root, "w", "p")
        bundles.create(self.bundle, {"workspace": "acme", "project": "api"})
        self.dir = self.bundle.dir
        self._ticks = itertools.count(start)

    def stamp(self, by: str = "process:test/1", *, manual: bool = False) -> Stamp:
        tick = next(self._ticks)
        version = ids.version7(1_700_000_000_000 + 1000 * tick, tick.to_bytes(10, "big"))
        at = f"2026-11-30T{tick // 3600:02}:{tick // 60 % 60:02}:{tick % 60:02}.000Z"
        return Stamp(version=version, by=by, at=at, manual=manual)

    def edit(self, path: str, body: str | None, **options: object) -> Edit:
        manual = bool(options.pop("manual", False))
        meta = options.pop("meta", {})
        page = None if body is None else Page(path, meta, body)  # type: ignore[arg-type]
        stamp = self.stamp("human:ana" if manual else "process:test/1", manual=manual)
        return Edit("w", "p", path, page, stamp, **options)  # type: ignore[arg-type]

    def stage(self, path: str, body: str | None, **options: object) -> Version | None:
        return files.stage(self.bundle, self.edit(path, body, **options))

    def write(self, path: str, body: str | None, **options: object) -> Version:
        version = self.stage(path, body, **options)
        assert version is not None
        files.sync(self.bundle)
        return version

    def hand(self, path: str, data: bytes) -> Path:
        place = self.dir / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return place

    def commit(self) -> int:
        return commits.make(self.bundle)

    def again(self) -> Writer:
        """A writer after a restart: nothing in memory, the same ticking clock."""
        other = Writer(self.root)
        other._ticks = self._ticks
        return other

    def git(self, *args: str) -> str:
        """What git prints to a person who stands in the folder."""
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ana",
            "GIT_AUTHOR_EMAIL": "ana@example.org",
            "GIT_COMMITTER_NAME": "Ana",
            "GIT_COMMITTER_EMAIL": "ana@example.org",
        }
        done = subprocess.run(["git", *args], cwd=self.dir, env=env, capture_output=True, check=True, timeout=60)
        return done.stdout.decode()
