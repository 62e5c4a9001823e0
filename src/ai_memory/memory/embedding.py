"""The thread that gives passages their vectors, behind everything else; without a model it rests and says why."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ai_memory.embed.embedder import Embedder, Failed, Missing, identity, meet
from ai_memory.index import passages
from ai_memory.index.passages import Passage
from ai_memory.index.space import Space
from ai_memory.index.store import Index
from ai_memory.index.vectors import Floats, Matrix
from ai_memory.memory.shadow import Shadow

log = logging.getLogger(__name__)
_CUT = 64  # owners cut into passages at a time
_BATCH = 8  # passages embedded at a time
_IDLE = 0.5  # seconds between looks for new work
_FLUSH = 30.0
_YIELD = 0.05  # seconds given up while somebody writes or asks
_RETRY, _LATER = 60.0, 3_600.0
_KEPT = 256  # questions whose vectors are kept


class Embedding:
    """Opens the model in the background, cuts and embeds what is new, and embeds questions.

    ``open`` gives the model, or why there is none. ``busy`` tells whether something in the foreground waits.
    """

    def __init__(
        self, index: Index, shadow: Shadow, folder: Path, open: Callable[[], Embedder | Missing], busy: Callable[[], bool]
    ) -> None:
        self._index = index
        self._shadow = shadow
        self._folder = folder
        self._open = open
        self._busy = busy
        self._embedder: Embedder | None = None
        self._space: Space | None = None
        self._generation = -1
        self._asked: dict[str, Floats] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.reason = "The model is being opened."
        self._thread = threading.Thread(target=self._work, name="embed", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what has no vector yet gets it after the next start."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)
        if self._space is not None:
            self._space.matrix.sync()

    @property
    def space(self) -> Space | None:
        """The passages and their vectors, once there is a model."""
        return self._space

    @property
    def model(self) -> str:
        """Provider, model and dimension; empty while there is none."""
        return identity(self._embedder) if self._embedder is not None else ""

    @property
    def pending(self) -> int:
        """Passages that wait for a vector."""
        return self._space.waiting if self._space is not None else 0

    def question(self, text: str) -> Floats | None:
        """The vector of a question; None without a model, or if it fails."""
        embedder = self._embedder
        if embedder is None or self._space is None:
            return None
        with self._lock:
            known = self._asked.get(text)
        if known is not None:
            return known
        try:
            vector: Floats = embedder.embed([text], query=True)[0]
        except Failed as error:
            log.warning("a question could not be embedded: %s", error)
            return None
        with self._lock:
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            self._asked[text] = vector
        return vector

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                if not self._opened():
                    return
                self._follow()
            except Failed as error:
                self.reason = str(error)
                log.warning("passages could not be embedded: %s", error)
                self._stop.wait(_RETRY if error.passing else _LATER)
            except Exception as error:
                self.reason = f"Embedding stopped: {error}. It is tried again in a minute."
                log.exception("passages could not be embedded; trying again")
                self._stop.wait(_RETRY)

    def _opened(self) -> bool:
        if self._embedder is None:
            found = self._open()
            if isinstance(found, Missing):
                self.reason = found.reason
                log.info("search goes by words alone: %s", found.reason)
                return False
            meet(found)
            self._embedder = found
        self.reason = ""
        return True

    def _follow(self) -> None:
        flushed = time.monotonic()
        while not self._stop.is_set():
            space = self._current()
            moved = self._cut(space) + self._fill(space)
            if not moved:
                self._stop.wait(_IDLE)
            elif self._busy():
                self._stop.wait(_YIELD)
            if time.monotonic() - flushed > _FLUSH:
                space.matrix.sync()
                flushed = time.monotonic()

    def _current(self) -> Space:
        """The space of the index as it is; begun again where the index was."""
        assert self._embedder is not None
        if self._space is None or self._generation != self._index.generation:
            generation = self._index.generation
            space = Space(Matrix(self._folder, identity(self._embedder), self._embedder.dimension))
            with self._index.reader() as db:
                space.load(db)
            self._space, self._generation = space, generation
        return self._space

    def _cut(self, space: Space) -> int:
        made: list[Passage] = []

        def work(index: Index) -> None:
            with index.writer() as db:
                cut = passages.cut_pages(db, _CUT) + passages.cut_sessions(db, _CUT)
            made.extend(one for one, _ in cut)

        with self._index.reader() as db:
            if not passages.uncut(db):
                return 0
        self._shadow.hold(work)
        space.put(made)
        return len(made)

    def _fill(self, space: Space) -> int:
        assert self._embedder is not None
        chosen = space.next(_BATCH)
        if not chosen:
            return 0
        with self._index.reader() as db:
            texts = passages.texts(db, chosen)
        space.give_up([one for one, text in zip(chosen, texts, strict=True) if not text])
        kept = [(one, text) for one, text in zip(chosen, texts, strict=True) if text]
        if kept:
            space.fill([one for one, _ in kept], self._embedder.embed([text for _, text in kept]))
        return len(chosen)
