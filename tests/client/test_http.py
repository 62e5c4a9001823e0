"""Asking the server, and what its refusals become."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from client_twin import Reply, Seen, Twin

from ai_memory import config, errors
from ai_memory.client import http, wire
from ai_memory.client.http import Server
from ai_memory.domain.facts import Facts

Make = Callable[..., Twin]


def refusing(status: int, code: str, **more: Any) -> Callable[[Seen], Reply]:
    body = json.dumps({"error": {"code": code, "message": f"It is {code}.", **more}}).encode()
    return lambda seen: Reply(status, body, {"Retry-After": "7"})


def test_a_request_carries_token_facts_query_and_json(twin: Make) -> None:
    server = twin(lambda seen: Reply(200, b'{"a": "\xc3\xa9"}'))
    asked = Server(server.url, "t0ken", 5)
    status, answer = asked.request("POST", "/x y", {"b": "ü"}, Facts(cwd="/é"), {"q": "a&b", "n": 3, "t": True, "no": None})
    assert (status, answer) == (200, {"a": "é"})
    (seen,) = server.seen
    assert seen.path == "/x%20y?q=a%26b&n=3&t=true"
    assert seen.headers["authorization"] == "Bearer t0ken"
    assert seen.headers["content-type"] == "application/json"
    assert seen.facts == {"cwd": "/é"}
    assert seen.body == '{"b":"ü"}'.encode()


def test_a_get_has_no_body_and_an_empty_answer_is_none(twin: Make) -> None:
    server = twin(lambda seen: Reply(204, b""))
    assert Server(server.url).request("GET", "/x") == (204, None)
    assert server.seen[0].body == b""
    assert "authorization" not in server.seen[0].headers


def test_the_path_of_a_mounted_server_is_kept(twin: Make) -> None:
    server = twin()
    Server(server.url + "/memory/").request("GET", "/x")
    assert server.seen[0].path == "/memory/x"


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid", errors.Invalid),
        (400, "scope_required", errors.ScopeRequired),
        (401, "refused", errors.Refused),
        (403, "forbidden", errors.Forbidden),
        (404, "not_found", errors.Missing),
        (409, "conflict", errors.Conflict),
        (413, "too_large", errors.TooLarge),
        (429, "busy", errors.Busy),
        (503, "unreachable", errors.Unreachable),
        (500, "internal", errors.MemoryFault),
        (404, "a-code-of-tomorrow", errors.Missing),
        (400, "a-code-of-tomorrow", errors.Invalid),
        (418, "a-code-of-tomorrow", errors.MemoryFault),
    ],
)
def test_each_refusal_is_the_error_it_was(twin: Make, status: int, code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        Server(twin(refusing(status, code)).url).request("GET", "/x")
    assert type(caught.value) is kind
    assert str(caught.value) == f"It is {code}."


def test_a_conflict_says_what_holds_now_and_a_full_queue_how_long_to_wait(twin: Make) -> None:
    with pytest.raises(errors.Conflict) as conflict:
        Server(twin(refusing(409, "conflict", current={"v": 1})).url).request("GET", "/x")
    assert conflict.value.current == {"v": 1}
    with pytest.raises(errors.Busy) as busy:
        Server(twin(refusing(429, "busy")).url).request("GET", "/x")
    assert busy.value.retry_after == 7


def test_redirects_are_not_followed(twin: Make) -> None:
    goal = twin()
    server = twin(lambda seen: Reply(307, b"{}", {"Location": f"{goal.url}/x"}))
    with pytest.raises(errors.Unreachable, match="redirect"):
        Server(server.url, "t").request("POST", "/x", {})
    assert goal.seen == []


def test_no_server_is_unreachable_with_the_next_step(nowhere: str) -> None:
    with pytest.raises(errors.Unreachable, match="ai-memory serve") as caught:
        Server(nowhere).request("GET", "/x")
    assert caught.value.exit == 7


def test_proxies_of_the_environment_are_not_used(twin: Make, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, nowhere)
    assert Server(twin().url).request("GET", "/x") == (200, {})


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}", b"HTTP/1.1 200 OK"])
def test_what_is_no_http_server_is_unreachable(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            link, _ = listener.accept()
            link.recv(65536)
            link.sendall(said)
            link.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(errors.Unreachable):
            Server(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=5).request("GET", "/x")
        thread.join(5)


def test_a_server_of_another_kind_is_named(twin: Make) -> None:
    with pytest.raises(errors.Unreachable, match="not an ai-memory server"):
        Server(twin(lambda seen: Reply(200, b"<html>", {"Content-Type": "text/html"})).url).request("GET", "/x")


def test_a_silent_server_is_given_up(nowhere: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = time.monotonic()
        with pytest.raises(errors.Unreachable, match="in time"):
            Server(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.2).request("GET", "/x")
        assert time.monotonic() - started < 3


def test_a_large_body_that_is_refused_early_gives_the_refusal() -> None:
    refusal = b'{"error":{"code":"too_large","message":"Too large."}}'
    head = b"HTTP/1.1 413 Too Large\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(refusal)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def answer() -> None:
            link, _ = listener.accept()
            with link:
                link.recv(1000)
                link.sendall(head + refusal)
                link.shutdown(socket.SHUT_WR)
                while link.recv(1 << 20):
                    pass
                done.wait(5)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(errors.TooLarge):
            Server(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=5).request("POST", "/x", {"a": "x" * 20_000_000})
        done.set()
        thread.join(5)


def test_a_chunked_answer_is_put_together(twin: Make) -> None:
    server = twin(lambda seen: Reply(chunks=[b'{"a":', b"[1,", b"2]}"]))
    assert Server(server.url).request("GET", "/x") == (200, {"a": [1, 2]})


def test_text_that_utf8_cannot_carry_is_sent_as_an_escape(twin: Make) -> None:
    server = twin()
    Server(server.url).request("POST", "/x", {"a": "\ud800é"})
    assert server.seen[0].json == {"a": "\ud800é"}


@pytest.mark.parametrize(
    "url", ["", "x", "ftp://x", "http://", "http://u:p@x", "http://x:99999", "http://x:0", "http://x y", "http://x?q", "http://ü"]
)
def test_an_address_that_cannot_be_used_is_invalid(url: str) -> None:
    with pytest.raises(errors.Invalid):
        wire.address(url)


def test_addresses_are_taken_apart() -> None:
    assert wire.address("http://127.0.0.1:49374") == wire.Address(False, "127.0.0.1", 49374, "")
    assert wire.address("https://h/p/").authority == "h"
    assert wire.address("http://[::1]:8/x") == wire.Address(False, "::1", 8, "/x")
    assert wire.address("http://[::1]:8").authority == "[::1]:8"


def test_a_line_break_cannot_enter_a_header(twin: Make) -> None:
    server = twin()
    with pytest.raises(ValueError, match="line break"):
        wire.exchange(wire.address(server.url), "GET", "/x", {"X": "a\r\nY: b"}, None, 5)
    assert server.seen == []


def test_the_settings_name_server_and_token(home: Any) -> None:
    (home / "data" / "server-url").write_text("http://127.0.0.1:1/\n", encoding="utf-8")
    (home / "data" / "auth-token").write_text("abc\n", encoding="utf-8")
    assert http.connect(config.load()) == Server("http://127.0.0.1:1", "abc", 30.0)


def test_the_environment_stands_above_the_files(home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AI_MEMORY_SERVER_URL", "http://h:2")
    monkeypatch.setenv("AI_MEMORY_AUTH_TOKEN", "env")
    assert http.connect(config.load(), 3) == Server("http://h:2", "env", 3)
    monkeypatch.setenv("AI_MEMORY_AUTH_TOKEN", "tök")
    with pytest.raises(errors.Invalid, match="token"):
        http.connect(config.load())
