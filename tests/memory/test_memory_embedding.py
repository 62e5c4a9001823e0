"""Vectors are made behind everything else, of what is new only, and their absence is no obstacle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ai_memory.embed.embedder import Embedder, Failed, Missing
from ai_memory.embed.hashing import Hashing
from ai_memory.index import pages, store
from ai_memory.index.store import Index
from ai_memory.index.values import PageRow
from ai_memory.index.vectors import Floats
from ai_memory.memory.embedding import Embedding
from ai_memory.memory.shadow import Shadow
from ai_memory.wiki.store import Wiki


class Counting:
    """The twin, which counts the texts it was given and fails while ``down``."""

    provider, model, dimension = "twin", "counting", 64

    def __init__(self) -> None:
        self._twin = Hashing(64)
        self.down = False
        self.seen = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        if self.down:
            raise Failed("busy", "The model is busy.")
        self.seen += len(texts)
        return self._twin.embed(texts, query=query)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = store.open(tmp_path / "index.db")
    yield opened
    opened.close()


def embedding(index: Index, tmp_path: Path, model: Callable[[], Embedder | Missing]) -> Embedding:
    return Embedding(index, Shadow(index, Wiki(tmp_path / "wiki"), tmp_path / "raw"), tmp_path / "vectors", model, lambda: False)


def put(index: Index, *paths: str) -> None:
    with index.writer() as db:
        for path in paths:
            pages.put(db, PageRow("w", "p", path, f"v-{path}", title=path, body=f"what {path} says"))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_new_gets_its_vector_and_a_restart_makes_none_again(index: Index, tmp_path: Path) -> None:
    model = Counting()
    put(index, "a.md", "b.md")
    first = embedding(index, tmp_path, lambda: model)
    first.start()
    until(lambda: first.space is not None and len(first.space.matrix) == 2)
    put(index, "c.md")
    until(lambda: first.space is not None and len(first.space.matrix) == 3 and first.pending == 0)
    first.close()
    made = model.seen
    again = embedding(index, tmp_path, lambda: model)
    again.start()
    until(lambda: again.space is not None and len(again.space.matrix) == 3)
    again.close()
    assert again.pending == 0 and model.seen - made <= 1  # the word a model is met with


def test_an_index_that_begins_again_finds_its_vectors(index: Index, tmp_path: Path) -> None:
    model = Counting()
    put(index, "a.md", "b.md")
    running = embedding(index, tmp_path, lambda: model)
    running.start()
    until(lambda: running.space is not None and len(running.space.matrix) == 2 and running.pending == 0)
    made, before = model.seen, running.space
    index.restart()
    put(index, "b.md", "a.md")
    until(lambda: running.space is not before and running.space is not None and running.space.like(1, model.embed(["x"])[0]) is not None)
    until(lambda: running.pending == 0)
    running.close()
    assert model.seen == made + 1


def test_without_a_model_it_says_why_and_rests(index: Index, tmp_path: Path) -> None:
    running = embedding(index, tmp_path, lambda: Missing("There are no weights."))
    running.start()
    until(lambda: running.reason == "There are no weights.")
    assert running.question("anything") is None and running.space is None and running.pending == 0
    running.close()


def test_a_question_that_fails_is_asked_by_words(index: Index, tmp_path: Path) -> None:
    model = Counting()
    running = embedding(index, tmp_path, lambda: model)
    running.start()
    until(lambda: running.space is not None)
    assert running.question("where is the cache") is not None
    model.down = True
    assert running.question("another") is None and running.question("where is the cache") is not None
    running.close()
