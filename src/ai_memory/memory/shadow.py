"""What follows the files: the index and git. Two threads, off the acknowledgement path; both catch up from the files."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ai_memory.domain.observation import Session
from ai_memory.index import store as indexes
from ai_memory.index.store import Index
from ai_memory.memory import follow
from ai_memory.memory.writer import Batch
from ai_memory.wiki import commits
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.store import Wiki
from ai_memory.wiki.version import Version

log = logging.getLogger(__name__)
# More new versions than this in memory, and they are read from the files again instead.
_MOST_VERSIONS = 2_000
_RETRY = 5.0
# Seconds from one taking of evidence to the next while it keeps coming: many short stretches cost more than one long.
_GATHER = 0.1


class Shadow:
    """Follows what the writer commits. ``hold`` keeps both threads still, for a rebuild."""

    def __init__(self, index: Index, wiki: Wiki, raw: Path) -> None:
        self._index = index
        self._wiki = wiki
        self._raw = raw
        self._files: dict[str, tuple[Session | None, int]] = {}
        self._versions: list[tuple[Bundle, Version]] = []
        self._behind: dict[Path, Bundle] = {}
        self._tips: dict[Path, Bundle] = {}
        self._dirty: dict[Path, Bundle] = {}
        self._news = threading.Condition()
        self._still = threading.Lock()
        self._committing = threading.Lock()
        self._busy = self._awaited = 0
        self._stop = False
        self._broken = False
        index.suspected = self._suspect
        self._threads = [
            threading.Thread(target=self._follow, name="index", daemon=True),
            threading.Thread(target=self._commit, name="git", daemon=True),
        ]

    def start(self) -> None:
        """Begin to follow."""
        for thread in self._threads:
            thread.start()

    def committed(self, batch: Batch) -> None:
        """Take note of a committed batch. Called by the writer; returns at once."""
        with self._news:
            self._files.update(batch.files)
            for bundle, version in batch.versions:
                self._dirty[bundle.dir] = bundle
                if len(self._versions) < _MOST_VERSIONS:
                    self._versions.append((bundle, version))
                else:
                    self._behind[bundle.dir] = bundle
            self._news.notify_all()

    def catch_up(self, files: dict[str, tuple[Session | None, int]], bundles: list[Bundle]) -> None:
        """Compare the index with these evidence files and bundles, in the background."""
        with self._news:
            self._files = files | self._files
            for bundle in bundles:
                self._behind[bundle.dir] = bundle
                self._dirty[bundle.dir] = bundle
            self._news.notify_all()

    @property
    def waiting(self) -> int:
        """Files and versions the index has not taken in."""
        return len(self._files) + len(self._versions) + len(self._behind)

    @property
    def uncommitted(self) -> int:
        """Bundles with versions that git does not have."""
        return len(self._dirty)

    @property
    def caught_up(self) -> bool:
        """Whether the index and git have everything."""
        with self._news:
            return self._quiet()

    def settle(self, timeout: float = 60.0) -> bool:
        """Wait until everything is followed; False after ``timeout`` seconds, or at once if nobody follows yet."""
        if not any(thread.is_alive() for thread in self._threads):
            return self.caught_up
        deadline = time.monotonic() + timeout
        with self._news:
            self._awaited += 1
            self._news.notify_all()
            try:
                while not self._quiet():
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return False
                    self._news.wait(min(left, 0.5))
            finally:
                self._awaited -= 1
        return True

    def hold(self, work: Callable[[Index], None]) -> None:
        """Run ``work`` on the index while nothing is followed."""
        with self._still:
            work(self._index)

    def close(self) -> None:
        """Stop; what is left is caught up at the next start."""
        with self._news:
            self._stop = True
            self._news.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(30)

    def _quiet(self) -> bool:
        return not (self._files or self._urgent() or self._dirty or self._busy)

    def _urgent(self) -> bool:
        """Whether there is more to do than evidence."""
        return bool(self._versions or self._behind or self._tips or self._broken)

    def _follow(self) -> None:
        next = 0.0
        while True:
            with self._news:
                while not (self._files or self._urgent() or self._stop):
                    self._news.wait()
                while not (self._urgent() or self._awaited or self._stop) and (left := next - time.monotonic()) > 0:
                    self._news.wait(left)
                if self._stop:
                    return
                next = time.monotonic() + _GATHER
                broken, self._broken = self._broken, False
                files, self._files = self._files, {}
                versions, self._versions = self._versions, []
                behind, self._behind = self._behind, {}
                tips, self._tips = self._tips, {}
                self._busy += 1
            done = self._guarded(lambda: self._take_in(files, versions, behind, tips), broken)  # noqa: B023
            with self._news:
                self._busy -= 1
                if not done:
                    self._files = files | self._files
                    self._behind |= behind | {bundle.dir: bundle for bundle, _ in versions} | tips
                self._news.notify_all()
                if not done and not self._stop and not self._broken:
                    self._news.wait(_RETRY)

    def _suspect(self) -> None:
        """A reader met damage: the index is built again."""
        with self._news:
            self._broken = True
            self._news.notify_all()

    def _take_in(
        self,
        files: dict[str, tuple[Session | None, int]],
        versions: list[tuple[Bundle, Version]],
        behind: dict[Path, Bundle],
        tips: dict[Path, Bundle],
    ) -> None:
        with self._still:
            follow.versions(self._index, versions)
            for bundle in behind.values():
                follow.bundle(self._index, bundle)
            for bundle in tips.values():
                follow.tip(self._index, bundle)
            follow.evidence(self._index, self._raw, files)

    def _guarded(self, work: Callable[[], None], broken: bool) -> bool:
        try:
            if broken:
                self._again()
            work()
        except sqlite3.DatabaseError as error:
            if not indexes.damaged(error):
                log.exception("the index could not be written; trying again")
                return False
            self._again()
        except Exception:
            log.exception("the index could not follow; trying again")
            return False
        return True

    def _again(self) -> None:
        log.error("the index is damaged and is built again from the files")
        with self._still:
            self._index.restart()
        with self._news:
            self._behind |= {bundle.dir: bundle for bundle in self._wiki.everything()}
            self._files = follow.everything(self._raw) | self._files

    def _commit(self) -> None:
        while True:
            with self._news:
                while not self._dirty and not self._stop:
                    self._news.wait()
                if self._stop:
                    return
                key, bundle = next(iter(self._dirty.items()))
                del self._dirty[key]
                self._busy += 1
            done = self._committed(bundle)
            with self._news:
                self._busy -= 1
                if done:
                    self._tips[key] = bundle
                else:
                    self._dirty[key] = bundle
                self._news.notify_all()
                if not done and not self._stop:
                    self._news.wait(_RETRY)

    def _committed(self, bundle: Bundle) -> bool:
        try:
            with self._committing:
                commits.make(bundle)
        except Exception:
            log.exception("git could not take a version; it waits")
            return False
        return True
