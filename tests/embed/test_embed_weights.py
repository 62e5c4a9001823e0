"""Where weights come from and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from ai_memory.embed import weights
from ai_memory.embed.embedder import Missing
from ai_memory.embed.weights import Weights

PINNED = hashlib.sha256(b"weights").hexdigest()


@pytest.fixture(autouse=True)
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is not installed, unless a test puts one in place."""
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_of_weights")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def model(path: Path, content: bytes = b"weights") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def reason(found: Weights | Missing) -> str:
    assert isinstance(found, Missing)
    assert "\n" not in found.reason
    return found.reason


def test_nothing_anywhere_is_a_line_that_says_what_to_do(data: Path) -> None:
    said = reason(weights.find(None, data))
    assert "install the Python package" in said and str(data / "models" / weights.MODEL) in said


def test_the_path_a_person_gives_comes_first_and_may_be_a_folder(data: Path, tmp_path: Path) -> None:
    given = model(tmp_path / "given" / "model.onnx")
    model(data / "models" / weights.MODEL / "model.onnx", b"other")
    found = weights.find(given, data, PINNED)
    assert found == Weights(given, f"{weights.MODEL}@{PINNED[:12]}", PINNED)
    assert weights.find(given.parent, data, f"SHA256:{PINNED.upper()} ") == found


def test_the_data_directory_comes_before_the_package(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = model(tmp_path / "site" / "weights_for_this_test" / "model.onnx")
    (packaged.parent / "__init__.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.setattr(weights, "PACKAGE", "weights_for_this_test")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    found = weights.find(None, data, PINNED)
    assert isinstance(found, Weights) and found.path == packaged
    own = model(data / "models" / weights.MODEL / "model.onnx")
    found = weights.find(None, data, PINNED)
    assert isinstance(found, Weights) and found.path == own


def test_an_unknown_file_is_refused_with_the_pin_that_would_allow_it(data: Path, tmp_path: Path) -> None:
    said = reason(weights.find(model(tmp_path / "m.onnx"), data))
    assert f'embedding.sha256 = "{PINNED}"' in said


def test_a_pin_allows_nothing_else(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.KNOWN, PINNED, "known")
    given = model(tmp_path / "m.onnx")
    found = weights.find(given, data)
    assert isinstance(found, Weights) and found.model == "known"
    assert "not the one in embedding.sha256" in reason(weights.find(given, data, "ab" * 32))


def test_a_damaged_file_does_not_give_way_to_the_next_place(data: Path, tmp_path: Path) -> None:
    model(data / "models" / weights.MODEL / "model.onnx", b"damaged")
    assert "damaged or unknown" in reason(weights.find(None, data))
    assert "cannot be read" in reason(weights.find(tmp_path / "gone.onnx", data))


def test_what_is_no_file_is_refused_and_never_waited_for(data: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in reason(weights.find(tmp_path / "pipe", data))
    (tmp_path / "folder" / "model.onnx").mkdir(parents=True)
    assert "not a file" in reason(weights.find(tmp_path / "folder", data))
    sparse = model(tmp_path / "large.onnx")
    os.truncate(sparse, (1 << 30) + 1)
    assert "larger than 1 GiB" in reason(weights.find(sparse, data))


def test_a_checked_file_is_not_read_again_until_it_changes(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = model(tmp_path / "m.onnx")
    read: list[int] = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *args: (read.append(1), digest(*args))[1])
    for _ in range(3):
        assert isinstance(weights.find(given, data, PINNED), Weights)
    assert len(read) == 1
    os.utime(given, ns=(1, 1))
    assert isinstance(weights.find(given, data, PINNED), Weights)
    assert len(read) == 2
    model(given, b"changed, and of another size")
    reason(weights.find(given, data, PINNED))
    assert len(read) == 3


@pytest.mark.parametrize("notes", [b"{", b"[]", b'{"x": 1}', b"\xff", b"[" * 100_000])
def test_damaged_notes_only_cost_a_reading(data: Path, tmp_path: Path, notes: bytes) -> None:
    given = model(tmp_path / "m.onnx")
    model(data / "models" / "checked.json", notes.replace(b'"x"', json.dumps(str(given)).encode()))
    assert isinstance(weights.find(given, data, PINNED), Weights)
    assert str(given) in json.loads((data / "models" / "checked.json").read_text(encoding="utf-8"))


def test_notes_that_cannot_be_written_are_done_without(data: Path, tmp_path: Path) -> None:
    data.write_text("a file where the data directory should be", encoding="utf-8")
    assert isinstance(weights.find(model(tmp_path / "m.onnx"), data, PINNED), Weights)


def test_notes_are_private_and_few(data: Path, tmp_path: Path) -> None:
    for number in range(20):
        weights.find(model(tmp_path / f"{number}.onnx"), data, PINNED)
    notes = data / "models" / "checked.json"
    assert notes.stat().st_mode & 0o777 == 0o600
    kept = json.loads(notes.read_text(encoding="utf-8"))
    assert len(kept) == 16 and str(tmp_path / "19.onnx") in kept
