"""Who is let in, and what a request may be."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from ai_memory.api.app import ROUTES

from .conftest import Served


def test_health_needs_no_token(server: Served) -> None:
    assert server.raw("GET", "/healthz", Authorization=None)[0] == 200


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p, _, _ in ROUTES] + [("POST", "/mcp")])
@pytest.mark.parametrize("token", [None, "Bearer wrong", "Basic dG9rZW4=", "Bearer"])
def test_every_other_route_needs_the_token(server: Served, method: str, path: str, token: str | None) -> None:
    status, headers, body = server.raw(method, path.replace("{path:path}", "a.md").replace("{id}", "x"), b"{}", Authorization=token)
    assert status == 401
    assert headers["www-authenticate"] == "Bearer"
    assert "token" in json.loads(body)["error"]["message"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:49374", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_refused_before_anything_else(server: Served, host: str) -> None:
    assert server.raw("GET", "/healthz", Host=host)[0] == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
def test_a_foreign_origin_is_refused(server: Served, origin: str) -> None:
    assert server.raw("GET", "/api/v1/status", Origin=origin)[0] == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_may_be_sent(server: Served, kind: str) -> None:
    status, _, body = server.raw("POST", "/hook?event=stop&agent=codex", b"{}", Content_Type=kind)
    assert status == 400
    assert "application/json" in json.loads(body)["error"]["message"]


def test_a_body_over_the_limit_is_refused_by_its_length(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as link:
        head = f"POST /hook?event=stop&agent=codex HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {server.headers['Authorization']}\r\n"
        link.sendall((head + "Content-Type: application/json\r\nContent-Length: 20971520\r\n\r\n").encode())
        assert b" 413 " in link.recv(200)


def test_a_body_over_the_limit_is_refused_while_it_streams(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as link:
        head = f"POST /hook?event=stop&agent=codex HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {server.headers['Authorization']}\r\n"
        link.sendall((head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        try:
            for _ in range(20):
                link.sendall(piece)
        except OSError:
            pass
        assert b" 413 " in link.recv(200)


def test_what_is_not_there_is_said(server: Served) -> None:
    status, answer = server.ask("GET", "/nowhere")
    assert status == 404
    assert "/nowhere" in answer["error"]["message"]


def test_answers_are_never_cached(server: Served) -> None:
    assert server.raw("GET", "/api/v1/status")[1]["cache-control"] == "no-store"


def test_the_data_directory_is_private(server: Served, here: Path) -> None:
    server.session(here, "private", "Please keep this.")
    server.settled()
    open_ones = [p for p in server.data.rglob("*") if not p.is_symlink() and p.stat().st_mode & 0o077 and "/.git/" not in f"{p}/"]
    assert open_ones == []


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "[", "//", "http://[v1.x]", "http://evil@127.0.0.1", "\xff"])
def test_a_broken_origin_is_refused_not_a_failure(server: Served, origin: str) -> None:
    status, _, body = server.raw("GET", "/api/v1/status", Origin=origin)
    assert (status, json.loads(body)["error"]["code"]) == (403, "forbidden")


def exchange(server: Served, head: str, body: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), 10) as link:
        link.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        return link.recv(60)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Host: evil.example", "Host: 127.0.0.1"),
        ("Authorization: Bearer wrong", "Authorization: Bearer token-of-the-tests"),
        ("Origin: https://evil.example", "Origin: http://127.0.0.1"),
        ("Content-Type: text/plain", "Content-Type: application/json"),
    ],
)
def test_a_header_that_decides_may_be_said_once(server: Served, first: str, second: str) -> None:
    rest = [line for line in ("Host: 127.0.0.1", f"Authorization: {server.headers['Authorization']}") if line.split(":")[0] not in first]
    assert b" 400 " in exchange(server, "\n".join(["GET /api/v1/status HTTP/1.1", first, second, *rest]))


def test_two_lengths_are_refused(server: Served) -> None:
    head = f"POST /hook?event=stop&agent=codex HTTP/1.1\nHost: 127.0.0.1\nAuthorization: {server.headers['Authorization']}\n"
    head += "Content-Type: application/json\nContent-Length: 2\n"
    assert b" 400 " in exchange(server, head + "Transfer-Encoding: chunked", b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert b" 400 " in exchange(server, head + "Content-Length: 30", b"{}")


@pytest.mark.parametrize("path", ["/hook?event=stop&agent=codex", "/hook/batch", "/handoff", "/mcp", "/api/v1/search"])
def test_every_route_refuses_twenty_megabytes_in_chunks(server: Served, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as link:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {server.headers['Authorization']}\r\n"
        link.sendall((head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        try:
            for _ in range(320):
                link.sendall(b"10000\r\n" + b"a" * 65_536 + b"\r\n")
        except OSError:
            pass  # it does not listen any more
        assert b" 413 " in link.recv(200)


@pytest.mark.parametrize("path", ["//healthz", "/healthz/", "/healthz%2f..%2fapi", "/HEALTHZ"])
def test_only_health_itself_is_open(server: Served, path: str) -> None:
    assert server.raw("GET", path, Authorization=None)[0] == 401


@pytest.mark.parametrize("method", ["PATCH", "OPTIONS", "TRACE", "CONNECT", "DELETE"])
@pytest.mark.parametrize("path", ["/hook", "/healthz", "/api/v1/status"])
def test_another_method_is_told_so(server: Served, method: str, path: str) -> None:
    assert server.raw(method, path, b"{}")[0] == 405
