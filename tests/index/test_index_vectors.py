"""Vectors are kept by the hash of their text, survive a restart and a torn write, and are gone when dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ai_memory.index.vectors import Floats, Matrix


def unit(*seeds: int) -> Floats:
    rows = np.array([np.random.default_rng(seed).normal(size=8) for seed in seeds], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_a_vector_is_found_by_the_hash_of_its_text(tmp_path: Path) -> None:
    matrix = Matrix(tmp_path / "v", "model", 8)
    slots = matrix.add([key(1), key(2), key(1)], unit(1, 2, 1))
    assert slots[0] == slots[2] != slots[1] and len(matrix) == 2
    assert matrix.find([key(2), key(9)]).tolist() == [slots[1], -1]
    assert matrix.similar(slots[:2], unit(2)[0]) == pytest.approx(unit(1, 2) @ unit(2)[0], abs=1e-6)


@pytest.mark.parametrize("count", [1, 1_024, 3_000])
def test_vectors_outlive_the_process(tmp_path: Path, count: int) -> None:
    matrix = Matrix(tmp_path / "v", "model", 8)
    matrix.add([key(n + 1) for n in range(count)], unit(*range(count)))
    matrix.sync()
    again = Matrix(tmp_path / "v", "model", 8)
    slots = again.find([key(n + 1) for n in range(count)])
    assert len(again) == count and (slots >= 0).all()
    assert again.similar(slots[-1:], unit(count - 1)[0]) == pytest.approx([1.0], abs=1e-5)


def test_another_model_has_another_file(tmp_path: Path) -> None:
    Matrix(tmp_path / "v", "model a", 8).add([key(1)], unit(1))
    assert len(Matrix(tmp_path / "v", "model b", 8)) == 0


def test_a_torn_record_counts_as_missing(tmp_path: Path) -> None:
    matrix = Matrix(tmp_path / "v", "model", 8)
    slot = int(matrix.add([key(1), key(2)], unit(1, 2))[0])
    matrix.sync()
    with matrix.path.open("r+b") as file:
        file.seek(slot * (16 + 32) + 16 + 8)
        file.write(bytes(24))
    again = Matrix(tmp_path / "v", "model", 8)
    assert again.find([key(1)]).tolist() == [-1] and again.find([key(2)])[0] >= 0
    again.add([key(1)], unit(1))
    assert again.find([key(1)])[0] >= 0


def test_what_is_dropped_is_nowhere_in_the_file(tmp_path: Path) -> None:
    matrix = Matrix(tmp_path / "v", "model", 8)
    matrix.add([key(1), key(2)], unit(1, 2))
    assert matrix.drop({key(2)}) == 1
    matrix.sync()
    data = matrix.path.read_bytes()
    assert unit(1)[0].tobytes() not in data and unit(2)[0].tobytes() in data
    assert matrix.find([key(1), key(2)]).tolist()[0] == -1
