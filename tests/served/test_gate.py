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
