"""The twin for tests."""

from __future__ import annotations

import pytest

from ai_memory.embed.embedder import identity
from ai_memory.embed.hashing import Hashing

np = pytest.importorskip("numpy", reason="numpy is not installed")


def test_shared_words_make_texts_near() -> None:
    a, b, c = Hashing().embed(["the index is rebuilt", "rebuilt is the Index!", "lunch menu"])
    assert np.isclose(a @ b, 1) and abs(a @ c) < 0.3


def test_every_text_has_a_vector_of_length_one() -> None:
    found = Hashing(64).embed(["", "...", "\ud83d", "a b c", "日本語"])
    assert found.shape == (5, 64) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert Hashing().embed([]).shape == (0, 256)


def test_vectors_are_the_same_in_every_process() -> None:
    assert [int(i) for i in np.flatnonzero(Hashing(16).embed(["alpha beta"])[0])] == [8, 14]
    assert identity(Hashing(16)) == "hashing/words/16"
