"""Remote models, against a real server on loopback."""

from __future__ import annotations

import json
import socket
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embed_twin import Asked, Reply, serve, vectors

from ai_memory.embed.choose import choose
from ai_memory.embed.embedder import Failed, identity, meet
from ai_memory.embed.remote import BATCH, CHARS, Remote

np = pytest.importorskip("numpy", reason="numpy is not installed")
KEY = "sk-test-" + "abc123"
Answer = Callable[[int, Asked], Reply]


def remote(url: str, provider: str = "openai-compatible", model: str = "some-model", **more: Any) -> Remote:
    found = choose(provider, model, "", url, KEY, Path("unused"))
    assert isinstance(found, Remote)
    for name, value in more.items():
        setattr(found, name, value)
    return found


def failure(answer: Answer, texts: int = 2, **more: Any) -> tuple[Failed, int]:
    """How a call fails, and how many requests it took. No error shows the key."""
    with serve(answer) as twin, pytest.raises(Failed) as caught:
        remote(twin.url, **more).embed(["text"] * texts)
    told = "".join(traceback.format_exception(caught.value))
    assert KEY not in told
    return caught.value, len(twin.asked)


def test_vectors_come_in_the_order_of_the_texts_and_have_length_one() -> None:
    with serve(lambda n, asked: vectors(asked)) as twin:
        embedder = remote(twin.url)
        found = embedder.embed(["a", "b", "c"])
    assert found.shape == (3, 4) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert np.allclose(found[:, 0] / found[:, -1], [1, 2, 3], atol=1e-5)
    assert identity(embedder) == "openai-compatible/some-model/4"
    asked = twin.asked[0]
    assert asked.path == "/v1/embeddings" and asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {"model": "some-model", "input": ["a", "b", "c"]}


def test_no_texts_ask_nobody() -> None:
    assert remote("http://127.0.0.1:9").embed([]).shape == (0, 0)


def test_the_identity_is_not_told_before_the_first_answer() -> None:
    with serve(lambda n, asked: vectors(asked)) as twin:
        embedder = remote(twin.url)
        with pytest.raises(ValueError, match="not answered yet"):
            identity(embedder)
        assert meet(embedder) == "openai-compatible/some-model/4"


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1beta/openai", "/v1beta/openai/embeddings"),
        ("/deployments/x/embeddings", "/deployments/x/embeddings"),
    ],
)
def test_the_address_may_be_the_server_its_version_or_the_whole_path(base: str, path: str) -> None:
    with serve(lambda n, asked: vectors(asked)) as twin:
        remote(twin.url + base).embed(["a"])
    assert twin.asked[0].path == path


@pytest.mark.parametrize(
    ("model", "question", "passage", "extra"),
    [
        ("text-embedding-3-small", "t", "t", None),
        ("nomic-embed-text:latest", "search_query: t", "search_document: t", None),
        ("multilingual-e5-small", "query: t", "passage: t", None),
        ("voyage-3.5", "t", "t", ("query", "document")),
    ],
)
def test_models_that_tell_questions_from_passages_are_told(
    model: str, question: str, passage: str, extra: tuple[str, str] | None
) -> None:
    with serve(lambda n, asked: vectors(asked)) as twin:
        embedder = remote(twin.url, model=model)
        embedder.embed(["t"], query=True)
        embedder.embed(["t"])
    assert [asked.body["input"] for asked in twin.asked] == [[question], [passage]]
    assert [asked.body.get("input_type") for asked in twin.asked] == list(extra or (None, None))


def test_google_is_asked_in_its_own_form() -> None:
    body = json.dumps({"embeddings": [{"values": [3, 4]}, {"values": [1, 0]}]}).encode()
    with serve(lambda n, asked: (200, {}, body)) as twin:
        embedder = remote(twin.url + "/v1beta", "google", "gemini-embedding-001")
        found = embedder.embed(["a", "b"], query=True)
    assert np.allclose(found, [[0.6, 0.8], [1, 0]])
    asked = twin.asked[0]
    assert asked.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert asked.headers["x-goog-api-key"] == KEY and "authorization" not in asked.headers
    assert asked.body["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "b"}]},
        "taskType": "RETRIEVAL_QUERY",
    }


def test_many_texts_go_in_batches_and_odd_ones_are_made_sendable() -> None:
    with serve(lambda n, asked: vectors(asked)) as twin:
        found = remote(twin.url).embed(["", " \n", "half \ud83d", "x" * (CHARS + 5)] + ["t"] * BATCH)
    assert found.shape == (BATCH + 4, 4)
    assert [len(asked.body["input"]) for asked in twin.asked] == [BATCH, 4]
    assert twin.asked[0].body["input"][:4] == [".", ".", "half ?", "x" * CHARS]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html><body>Sign in</body></html>", "answer"),
        (b"", "answer"),
        (b'{"data": [{"embedding": [1, 2]}', "answer"),
        (b'{"error": {"message": "no"}}', "answer"),
        (b'{"data": [{"embedding": [1, 2]}]}', "answer"),
        (b'{"data": []}', "answer"),
        (b'{"data": [{"embedding": [1, NaN]}, {"embedding": [1, 2]}]}', "answer"),
        (b'{"data": [{"embedding": [1, null]}, {"embedding": [1, 2]}]}', "answer"),
        (b'{"data": [{"embedding": [1, 1e999]}, {"embedding": [1, 2]}]}', "answer"),
        (b'{"data": [{"embedding": [1e300, 1e300]}, {"embedding": [1, 2]}]}', "answer"),
        (b'{"data": [{"embedding": [0, 0]}, {"embedding": [1, 2]}]}', "answer"),
        (b'{"data": [{"embedding": []}, {"embedding": []}]}', "answer"),
        (b'{"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}', "answer"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "answer"),
        (b'{"data": [{"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]}]}', "answer"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"embedding": [1]}]}', "answer"),
        (b'{"data": [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}]}', "dimension"),
        (b"\xff\xfe{}", "answer"),
        (b'{"x":' + b"[" * 100_000, "answer"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_without_asking_again(body: bytes, kind: str) -> None:
    failed, requests = failure(lambda n, asked: (200, {"Content-Type": "application/json"}, body))
    assert (failed.kind, failed.passing, requests) == (kind, False, 1)


def test_an_answer_that_was_refused_teaches_no_dimension() -> None:
    with serve(lambda n, asked: (200, {}, b'{"data": [{"embedding": [0, 0]}]}') if n == 0 else vectors(asked)) as twin:
        embedder = remote(twin.url)
        with pytest.raises(Failed):
            embedder.embed(["a"])
        assert embedder.dimension == 0
        assert embedder.embed(["a"]).shape == (1, 4)


def test_a_dimension_once_learned_is_held() -> None:
    with serve(lambda n, asked: vectors(asked, 4 if n == 0 else 5)) as twin:
        embedder = remote(twin.url)
        embedder.embed(["a"])
        with pytest.raises(Failed, match="another length than 4") as caught:
            embedder.embed(["a"])
    assert caught.value.kind == "dimension" and embedder.dimension == 4


@pytest.mark.parametrize(
    ("status", "kind", "requests"),
    [(400, "refused", 1), (401, "refused", 1), (403, "refused", 1), (404, "refused", 1), (204, "refused", 1)],
)
def test_a_refusal_is_final_and_repeats_nothing_of_its_text(status: int, kind: str, requests: int) -> None:
    failed, asked = failure(lambda n, asked: (status, {}, f"Incorrect key {KEY}".encode() if status != 204 else b""))
    assert (failed.kind, failed.passing, asked) == (kind, False, requests)
    assert str(status) in str(failed) and "Incorrect" not in str(failed)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with serve(lambda n, asked: vectors(asked)) as other:
        failed, _ = failure(lambda n, asked: (status, {"Location": other.url + "/v1/embeddings"}, b""))
    assert failed.kind == "refused" and "redirects" in str(failed) and not other.asked


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_as_soon_as_it_says(status: int) -> None:
    with serve(lambda n, asked: (status, {"Retry-After": "0"}, b"") if n < 2 else vectors(asked)) as twin:
        assert remote(twin.url).embed(["a"]).shape == (1, 4)
    assert len(twin.asked) == 3


def test_retries_are_counted_over_all_requests_of_a_call() -> None:
    def answer(n: int, asked: Asked) -> Reply:
        return vectors(asked) if n in (1, 3) else (429, {"Retry-After": "0"}, b"")

    failed, requests = failure(answer, texts=3 * BATCH)
    assert (failed.kind, failed.passing, requests) == ("busy", True, 5)


def test_the_wait_that_is_asked_for_is_kept() -> None:
    started = time.monotonic()
    with serve(lambda n, asked: (429, {"Retry-After": "1"}, b"") if n == 0 else vectors(asked)) as twin:
        remote(twin.url).embed(["a"])
    assert 1.0 <= time.monotonic() - started < 20


@pytest.mark.parametrize("asked_for", ["3600", "Wed, 21 Oct 2093 07:28:00 GMT"])
def test_a_wait_beyond_the_deadline_fails_at_once_and_is_told(asked_for: str) -> None:
    started = time.monotonic()
    failed, requests = failure(lambda n, asked: (429, {"Retry-After": asked_for}, b""))
    assert time.monotonic() - started < 5 and requests == 1
    assert failed.kind == "busy" and failed.after >= 3600


@pytest.mark.parametrize("odd", ["soon", "nan", "-5", "inf"])
def test_an_odd_wait_is_still_bounded(odd: str) -> None:
    failed, requests = failure(lambda n, asked: (503, {"Retry-After": odd}, b""))
    assert failed.kind == "busy" and requests == 3


def test_a_server_that_hangs_is_left_at_the_deadline() -> None:
    with serve(lambda n, asked: (twin.stop.wait(30), (200, {}, b""))[1]) as twin:
        started = time.monotonic()
        with pytest.raises(Failed) as caught:
            remote(twin.url, deadline=0.4).embed(["a"])
    assert caught.value.kind == "slow" and caught.value.passing and 0.3 < time.monotonic() - started < 5


def test_a_question_has_less_patience() -> None:
    with serve(lambda n, asked: (twin.stop.wait(30), (200, {}, b""))[1]) as twin:
        started = time.monotonic()
        with pytest.raises(Failed, match="in time"):
            remote(twin.url, patience=0.3).embed(["a"], query=True)
    assert time.monotonic() - started < 5


def test_a_server_that_sends_a_byte_at_a_time_is_left_at_the_deadline() -> None:
    with serve(lambda n, asked: (200, {"X-Drip": "1"}, b" " * 2000)) as twin:
        started = time.monotonic()
        with pytest.raises(Failed) as caught:
            remote(twin.url, deadline=0.5).embed(["a"])
    assert caught.value.kind == "slow" and time.monotonic() - started < 5


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Failed) as caught:
        remote(url).embed(["a"])
    assert caught.value.kind == "unreachable" and caught.value.passing


def test_an_answer_that_is_cut_short_is_refused() -> None:
    failed, _ = failure(lambda n, asked: (200, {"Content-Length": "5000"}, b'{"data": ['))
    assert failed.kind in ("answer", "unreachable")


def test_the_key_is_not_in_what_is_printed() -> None:
    assert KEY not in repr(remote("http://127.0.0.1:9"))


def test_a_server_that_speaks_no_tls_is_unreachable_over_https() -> None:
    with serve(lambda n, asked: vectors(asked)) as twin, pytest.raises(Failed) as caught:
        remote(twin.url.replace("http:", "https:"), deadline=5.0).embed(["a"])
    assert caught.value.kind == "unreachable" and not twin.asked
