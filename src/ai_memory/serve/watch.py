"""Edits by hand are noticed while the server runs: a watcher on the wiki, and one thread that takes them up."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import watchfiles

from ai_memory.memory import adoption
from ai_memory.memory.core import Core

log = logging.getLogger(__name__)


class Watch:
    """Watches the pages of every bundle; what git and ai-memory keep below dot folders is passed over."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(5)

    def _work(self) -> None:
        root = self._core.wiki.root
        try:
            changes = watchfiles.watch(
                root, watch_filter=_is_page, debounce=400, step=100, rust_timeout=1_000, stop_event=self._stop,
                raise_interrupt=False, ignore_permission_denied=True,
            )  # fmt: skip
            for found in changes:
                folders = {Path(path).relative_to(root).parts[:2] for _, path in found}
                bundles = [self._core.wiki.bundle(*parts) for parts in folders if len(parts) == 2]
                adoption.by_hand(self._core, bundles)
        except Exception:
            log.exception("edits by hand are not watched for; they are taken up at the next start")


def _is_page(change: watchfiles.Change, path: str) -> bool:
    return path.endswith(".md") and "/.git/" not in path
