"""A place to run the real hook file in: its own HOME, data directory and checkout, and a scripted server."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ai_memory.hook import packed


@dataclass
class Place:
    """Where one test runs hooks. ``env`` is the whole environment that they get."""

    hook: Path
    home: Path
    data: Path
    repo: Path
    env: dict[str, str] = field(default_factory=dict)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-I", "-S", str(self.hook), *arguments]

    def run(
        self, event: str, payload: Any = None, agent: str = "claude-code", **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a hook to its end; it must say exit 0 and nothing on stderr, whatever it met."""
        if isinstance(payload, dict):
            payload = {"session_id": "s-1", "cwd": str(self.repo), "hook_event_name": event, **payload}
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        arguments = more.pop("arguments", [event, agent])
        command, env = self.command(*arguments), {**self.env, **more}
        done = subprocess.run(command, input=raw, env=env, cwd=self.repo, capture_output=True, timeout=30)
        assert (done.returncode, done.stderr) == (0, b"")
        return done

    def check(self, event: str, payload: Any) -> dict[str, Any]:
        done = self.run(event, payload, arguments=["--check-capture", event, "claude-code"])
        return dict(json.loads(done.stdout))

    def spooled(self) -> list[tuple[dict[str, Any], bytes]]:
        """(header, payload) of each spool file, oldest first."""
        found = []
        for path in sorted((self.data / "spool").glob("*.json")):
            head, _, body = path.read_bytes().partition(b"\n")
            found.append((json.loads(head), body))
        return found

    def marker(self, text: str, folder: Path | None = None) -> None:
        ((folder or self.repo) / ".ai-memory.toml").write_text(text, encoding="utf-8")

    def ignore(self, *patterns: str, folder: Path | None = None) -> None:
        self.marker(f"[capture]\nignore_paths = {json.dumps(patterns, ensure_ascii=False)}\n", folder)

    def local_server(self, url: str) -> None:
        """As if a server on this data directory answered at ``url``."""
        (self.data / "serve.lock").write_text(json.dumps({"url": url, "pid": 1, "host": "h"}), encoding="utf-8")
        self.env["AI_MEMORY_SERVER_URL"] = url


@pytest.fixture(scope="session")
def hook_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("installed") / "hook.py"
    path.write_text(packed.text(), encoding="utf-8")
    return path


@pytest.fixture
def place(tmp_path: Path, hook_file: Path) -> Place:
    home, data = tmp_path / "home", tmp_path / "data"
    repo = home / "work" / "repo"
    (repo / ".git").mkdir(parents=True)
    data.mkdir()
    env = {"HOME": str(home), "PATH": os.defpath, "AI_MEMORY_DATA_DIR": str(data)}
    made = Place(hook_file, home, data, repo, env)
    made.local_server("http://127.0.0.1:9")
    return made


@dataclass
class Server:
    """A server whose answers are given: path → JSON value, or a function that may take its time."""

    url: str
    answers: dict[str, Any]
    requests: list[tuple[str, dict[str, str], Any]]


@pytest.fixture
def server() -> Iterator[Server]:
    answers: dict[str, Any] = {}
    requests: list[tuple[str, dict[str, str], Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append((self.path, dict(self.headers), body))
            answer = answers.get(self.path, {})
            answer = answer() if callable(answer) else answer
            status, value = answer if isinstance(answer, tuple) else (200, answer)
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except OSError:
                pass

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield Server(f"http://127.0.0.1:{httpd.server_address[1]}", answers, requests)
    httpd.shutdown()
    httpd.server_close()
    thread.join(5)
