"""What every verb works on: the stores of one data directory, the writer, and the clock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ai_memory.config import Config
from ai_memory.domain import ids
from ai_memory.domain.redaction import Redactor
from ai_memory.index.store import Index
from ai_memory.index.turns import Turns
from ai_memory.ledger.store import Ledger
from ai_memory.memory.chores import Chores
from ai_memory.memory.embedding import Embedding
from ai_memory.memory.registry import Registry
from ai_memory.memory.shadow import Shadow
from ai_memory.memory.writer import Writer
from ai_memory.wiki.store import Wiki


def rfc3339(seconds: float) -> str:
    """Unix ``seconds`` as RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(text: str) -> float:
    """RFC 3339 ``text`` as Unix seconds. ValueError: it is no time, or carries no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time needs a zone, such as 2026-05-01T12:00:00Z")
    return moment.timestamp()


class Noise:
    """The system's random bytes, fetched many at a time: each fetch gives up the interpreter to other threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bytes = b""

    def take(self, count: int) -> bytes:
        with self._lock:
            if len(self._bytes) < count:
                self._bytes = os.urandom(4096)
            taken, self._bytes = self._bytes[:count], self._bytes[count:]
            return taken


@dataclass(frozen=True)
class Core:
    """One open data directory."""

    config: Config
    ledger: Ledger
    index: Index
    wiki: Wiki
    writer: Writer
    shadow: Shadow
    redactor: Redactor
    sessions: Registry
    clock: Callable[[], float] = time.time
    making: threading.Lock = field(default_factory=threading.Lock)
    duties: list[Chores] = field(default_factory=list)
    noise: Noise = field(default_factory=Noise)
    turns: Turns = field(default_factory=Turns)
    vectors: list[Embedding] = field(default_factory=list)

    @property
    def chores(self) -> Chores:
        """The thread for work that follows; there once the core is open."""
        return self.duties[0]

    @property
    def embedding(self) -> Embedding:
        """The thread that makes vectors; there once the core is open."""
        return self.vectors[0]

    @property
    def raw(self) -> Path:
        """Where evidence lies."""
        return self.config.data / "raw"

    def now(self) -> str:
        """The time, RFC 3339 in UTC."""
        return rfc3339(self.clock())

    def new_id(self) -> str:
        """A fresh UUIDv7."""
        return ids.version7(int(self.clock() * 1000), self.noise.take(10))
