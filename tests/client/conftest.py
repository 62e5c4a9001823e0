"""A little server that records what it is sent and answers as it is told; real git repositories."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def facts(self) -> Any:
        return json.loads(base64.urlsafe_b64decode(self.headers["x-ai-memory-facts"]))


@dataclass
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] | None = None


class Twin:
    """Answers every request with ``reply(seen)``; ``seen`` lists what came."""

    def __init__(self, reply: Callable[[Seen], Reply]) -> None:
        self.seen: list[Seen] = []
        self.reply = reply
        twin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, headers, self.rfile.read(length))
                twin.seen.append(seen)
                reply = twin.reply(seen)
                self.send_response(reply.status)
                for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
                    self.send_header(name, value)
                if reply.chunks is None:
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)
                    return
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for chunk in reply.chunks:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_DELETE = do_PUT = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def twin() -> Iterator[Callable[[Callable[[Seen], Reply]], Twin]]:
    made: list[Twin] = []

    def make(reply: Callable[[Seen], Reply] = lambda seen: Reply()) -> Twin:
        made.append(Twin(reply))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def nowhere() -> str:
    """An address on which nothing listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_address[1]
    server.server_close()
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own, with a data directory that the environment names."""
    place = tmp_path / "home"
    place.mkdir()
    for name in list(os.environ):
        if name.startswith(("AI_MEMORY_", "CLAUDE", "CODEX", "XDG_", "GIT_", "GEMINI")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("AI_MEMORY_DATA_DIR", str(place / "data"))
    (place / "data").mkdir(mode=0o700)
    return place


def git(place: Path, *words: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main")
    world = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *settings, *words], cwd=place, env=world, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a repository with one commit, and with the remotes given by name."""

    def make(name: str, commit: str = "first", **remotes: str) -> Path:
        place = tmp_path / "home" / name
        place.mkdir(parents=True)
        git(place, "init", "-q")
        if commit:
            (place / "a").write_text(commit, encoding="utf-8")
            git(place, "add", "a")
            git(place, "commit", "-qm", commit)
        for remote, url in remotes.items():
            git(place, "remote", "add", remote, url)
        return place

    return make
