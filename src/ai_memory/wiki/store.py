"""All bundles of a data directory, one instance each, as the one writer and the readers share them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ai_memory.domain import paths
from ai_memory.domain.page import Edit, Page, Stamp
from ai_memory.errors import Missing
from ai_memory.wiki import bundle as bundles
from ai_memory.wiki import files, known, recovery
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version


class Wiki:
    """The bundles below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._bundles: dict[tuple[str, str], Bundle] = {}
        self._staged: dict[tuple[str, str], Bundle] = {}
        self._lock = threading.Lock()

    def bundle(self, workspace: str, project: str) -> Bundle:
        """The bundle of a project, whether it has pages or not."""
        with self._lock:
            key = (workspace, project)
            found = self._bundles.get(key)
            if found is None:
                found = self._bundles[key] = Bundle(self.root, workspace, project)
            return found

    def everything(self) -> Iterator[Bundle]:
        """Every bundle on disk."""
        for workspace in _folders(self.root):
            for project in _folders(self.root / workspace):
                yield self.bundle(workspace, project)

    def describe(self, workspace: str, project: str, manifest: Mapping[str, Any]) -> None:
        """Put a project's manifest into its folder, durably."""
        bundles.create(self.bundle(workspace, project), manifest)

    def read(self, workspace: str, project: str, path: str) -> tuple[Page, Stamp] | None:
        """The page as it stands in its file, or None."""
        try:
            page, stamp, _ = files.read(self.bundle(workspace, project), path)
        except Missing:
            return None
        return page, stamp

    def known(self, bundle: Bundle) -> dict[str, Version]:
        """The current version of each page of ``bundle`` as the writer knows it: in git, pending, or by hand."""
        recovery.bring_up(bundle)
        with bundle.memo.lock:
            known.load(bundle)
            return dict(bundle.memo.known)

    def stage(self, edit: Edit) -> Version | None:
        """Compare and prepare; see ``files.stage``. The writer's thread only, as are the four below."""
        bundle = self.bundle(edit.workspace, edit.project)
        self._staged[(edit.workspace, edit.project)] = bundle
        recovery.bring_up(bundle)
        return files.stage(bundle, edit)

    def adopt(self, workspace: str, project: str, path: str, stamp: Stamp) -> Version | None:
        """Take up what a person did to a page by hand; see ``files.adopt``."""
        bundle = self.bundle(workspace, project)
        self._staged[(workspace, project)] = bundle
        recovery.bring_up(bundle)
        return files.adopt(bundle, path, stamp)

    def unstage(self, edit: Edit, version: Version) -> None:
        """Take a staged version back."""
        files.unstage(self.bundle(edit.workspace, edit.project), version)

    def current(self, edit: Edit) -> str:
        """The version id that the page of ``edit`` has with all that is staged, "" for none."""
        bundle = self.bundle(edit.workspace, edit.project)
        with bundle.memo.lock:
            version = known.resolved(bundle, paths.check(edit.path))
        return version.version if version else ""

    def sync(self) -> Iterator[tuple[Bundle, Version]]:
        """Make everything staged stand, durably: each bundle with its new versions, in order, as they stand."""
        for key in list(self._staged):
            bundle = self._staged[key]
            made = files.sync(bundle)
            del self._staged[key]
            for version in made:
                yield bundle, version


def _folders(path: Path) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith("."))
    except FileNotFoundError:
        return []
