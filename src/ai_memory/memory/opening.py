"""Opening and closing a data directory: crash recovery first, then the writer, then what catches up behind it."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from ai_memory import disk, sql
from ai_memory.config import Config
from ai_memory.domain.actor import SYSTEM
from ai_memory.domain.observation import Session
from ai_memory.domain.redaction import Redactor
from ai_memory.embed import choose as embedders
from ai_memory.embed.embedder import Embedder, Missing
from ai_memory.errors import Invalid, Unreachable
from ai_memory.index import store as indexes
from ai_memory.ledger import store as ledgers
from ai_memory.ledger.store import Ledger
from ai_memory.memory import adoption, sessions
from ai_memory.memory import handoffs as batons
from ai_memory.memory.chores import Chores
from ai_memory.memory.core import Core, rfc3339
from ai_memory.memory.embedding import Embedding
from ai_memory.memory.registry import Registry
from ai_memory.memory.shadow import Shadow
from ai_memory.memory.writer import Writer
from ai_memory.wiki import recovery
from ai_memory.wiki.store import Wiki

log = logging.getLogger(__name__)
# How long a stop waits for the index and git; what is left is caught up at the next start.
_PATIENCE = 3.0


class Lock:
    """The lock of a data directory: one process at a time. Its file says who holds it and stays behind."""

    def __init__(self, data: Path, url: str) -> None:
        disk.private_dir(data)
        self._fd = os.open(data / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.read(self._fd, 500).decode("utf-8", "replace")
            os.close(self._fd)
            raise Unreachable(f"Another ai-memory uses {data}{_holder(said)}. Stop it first.") from None
        if url:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, json.dumps({"url": url, "pid": os.getpid()}).encode(), 0)

    def close(self) -> None:
        """Let go."""
        os.close(self._fd)


def _holder(said: str) -> str:
    """Who holds a lock, as its file says."""
    try:
        held = json.loads(said)
        return f": process {held['pid']}, {held['url']}"
    except (ValueError, TypeError, KeyError):
        return ""


def open_core(config: Config, clock: Callable[[], float] = time.time) -> Core:
    """Open the stores of ``config.data``, whose lock the caller holds. Recovers what a crash left, and catches up behind."""
    sql.require()
    data = config.data
    for name in ("raw", "wiki"):
        disk.private_dir(data / name)
    wiki = Wiki(data / "wiki")
    try:
        ledger, changed = _recovered(data, wiki)
    except sqlite3.DatabaseError as error:
        if not ledgers.damaged(error):
            raise
        aside = ledgers.set_aside(data / "ledger.db", rfc3339(clock()).translate({45: None, 58: None, 46: None}))
        log.error("ledger.db is damaged (%s) and begins again from evidence and manifests; the old one is %s", error, aside)
        ledger, changed = _recovered(data, wiki)
    try:
        redactor = Redactor(tuple(config["sanitize.extra_patterns"]), tuple(config["sanitize.allowlist"]))
    except ValueError as error:
        raise Invalid(f"A pattern in [sanitize] extra_patterns cannot be used: {error}") from error
    index = indexes.open(data / "index.db")
    shadow = Shadow(index, wiki, data / "raw")
    writer = Writer(ledger, data / "raw", wiki, shadow.committed, config["queue_limit"])
    core = Core(config, ledger, index, wiki, writer, shadow, redactor, Registry(ledger), clock)
    core.duties.append(_chores(core))
    core.vectors.append(_embedding(core))
    if changed:
        log.info("%d evidence files were brought up after a crash", changed)
    return core


def _recovered(data: Path, wiki: Wiki) -> tuple[Ledger, int]:
    """The ledger, knowing what manifests and evidence say; how many evidence files it had not known so."""
    ledger = Ledger(data / "ledger.db")
    try:
        adoption.projects(ledger, wiki)
        adoption.unsettled(ledger, data / "raw")
        return ledger, adoption.evidence(ledger, data / "raw")
    except BaseException:
        ledger.close()
        raise


def settle(core: Core) -> None:
    """What may follow once the server answers: bundles mended, the index caught up, ended sessions written up."""
    bundles = list(core.wiki.everything())
    for bundle in bundles:
        try:
            recovery.mend(bundle)
        except Exception:
            log.exception("a bundle could not be mended")
    core.shadow.catch_up(known_files(core), bundles)
    core.shadow.start()
    core.embedding.start()
    adoption.by_hand(core, bundles)
    for row in core.ledger.all("session_ending"):
        core.chores.finish(row["id"])


def close(core: Core) -> None:
    """Drain the writer, finish what follows, close the stores."""
    core.chores.close()
    core.writer.close()
    core.embedding.close()
    core.shadow.settle(_PATIENCE)
    core.shadow.close()
    core.index.close()
    core.ledger.close()


def known_files(core: Core) -> dict[str, tuple[Session | None, int]]:
    """Every evidence file with its committed size."""
    return {row["file"]: (None, row["bytes"]) for row in core.ledger.all("session_all")}


def _chores(core: Core) -> Chores:
    def pending(project: str) -> list[str]:
        return [row["id"] for row in core.ledger.all("session_ending") if row["project"] == project]

    return Chores(
        claim=lambda session: batons.claim(core, SYSTEM, session, tells=False),
        finish=lambda session: sessions.finish(core, session, "ended"),
        pending=pending,
    )


def _embedding(core: Core) -> Embedding:
    config = core.config

    def model() -> Embedder | Missing:
        return embedders.choose(
            str(config["embedding.provider"]), str(config["embedding.model"]), str(config["embedding.path"]),
            str(config["embedding.url"]), str(config["embedding.key"]), config.data, str(config["embedding.sha256"]),
        )  # fmt: skip

    return Embedding(core.index, core.shadow, config.data / "vectors", model, lambda: core.writer.waiting > 0)
