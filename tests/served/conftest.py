"""A real server in its own process, once a module; each test stands in a checkout of its own."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ai_memory.client import facts as facts_of
from ai_memory.client import http as ours
from ai_memory.client.facts import Places

TOKEN = "token-of-the-tests"
_COUNT = itertools.count()
_STARTED: list[subprocess.Popen[bytes]] = []


@dataclass
class Served:
    """One server: its place, and the ways to ask it."""

    root: Path
    port: int
    process: subprocess.Popen[bytes]
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {TOKEN}"})

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def raw(self, method: str, path: str, body: bytes | None = None, **headers: str | None) -> tuple[int, dict[str, str], bytes]:
        """One exchange as bytes; a header given as None is left out."""
        sent: dict[str, str | None] = {"Content-Type": "application/json", **self.headers}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            link.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    link.putheader(name, value)
            if body is not None:
                link.putheader("Content-Length", str(len(body)))
            link.endheaders(body)
            answer = link.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            link.close()

    def ask(self, method: str, path: str, body: Any = None, at: Path | None = None, **headers: str) -> tuple[int, Any]:
        """One exchange as JSON, standing in the checkout ``at``."""
        if at is not None:
            headers["X_AI_Memory_Facts"] = facts_of.header(self.facts(at))
        data = None if body is None and method in ("GET", "DELETE") else ours.encode({} if body is None else body)
        status, _, text = self.raw(method, path, data, **headers)
        return status, json.loads(text) if text else None

    def facts(self, at: Path) -> Any:
        return Places("machine1", str(self.home)).facts(str(at))

    def event(self, at: Path, event: str, session: str, key: str = "", agent: str = "claude-code", **payload: Any) -> str:
        """Post one event; its outcome."""
        key = key or f"key-{next(_COUNT)}"
        url = f"/hook?event={event}&agent={agent}&ingest_key={key}"
        status, answer = self.ask("POST", url, {"session_id": session, "cwd": str(at), **payload}, at)
        assert status == 202, answer
        return str(answer["outcome"])

    def session(self, at: Path, name: str, prompt: str, said: str = "Done so far.", agent: str = "claude-code") -> None:
        """A whole short session that ends."""
        self.event(at, "session-start", name, agent=agent, source="startup")
        self.event(at, "user-prompt", name, agent=agent, prompt=prompt)
        self.event(at, "stop", name, agent=agent, last_assistant_message=said)
        self.event(at, "session-end", name, agent=agent, reason="exit")

    def start(self, at: Path, agent: str, session: str, source: str = "startup") -> dict[str, Any]:
        """What a starting session is told."""
        status, answer = self.ask("POST", "/handoff", {"agent": agent, "session": session, "source": source}, at)
        assert status == 200, answer
        return dict(answer)

    def settled(self) -> dict[str, Any]:
        """The status once index and git have everything."""
        deadline = time.monotonic() + 20
        while True:
            status = self.ask("GET", "/api/v1/status")[1]
            if status["index"]["caught_up"] and not status["queues"]["chores"]:
                return dict(status)
            assert time.monotonic() < deadline, status
            time.sleep(0.05)

    def checkout(self, name: str, remote: str = "") -> Path:
        """A new git checkout below the home directory."""
        place = self.home / f"{name}-{next(_COUNT)}"
        place.mkdir(parents=True)
        run = ["git", "-C", str(place)]
        subprocess.run([*run, "init", "-q"], check=True)
        if remote:
            subprocess.run([*run, "remote", "add", "origin", remote], check=True)
        return place

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def launch(root: Path, port: int = 0, *extra: str, **environ: str) -> Served:
    """A server on ``root``, ready to answer."""
    port = port or _free()
    for name in ("home", "data"):
        (root / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AI_MEMORY", "GIT_"))}
    env |= {"HOME": str(root / "home"), "AI_MEMORY_DATA_DIR": str(root / "data"), "AI_MEMORY_AUTH_TOKEN": TOKEN}
    env |= {"AI_MEMORY_EMBEDDING__PROVIDER": "none", **environ}  # vectors where a test is about them
    with (root / "log").open("ab") as log:
        words = [sys.executable, "-m", "ai_memory", "serve", "--bind", f"127.0.0.1:{port}", *extra]
        process = subprocess.Popen(words, env=env, stdout=log, stderr=log, cwd=root)
    _STARTED.append(process)
    served = Served(root, port, process)
    deadline = time.monotonic() + 20
    while True:
        try:
            if served.raw("GET", "/healthz")[0] == 200:
                return served
        except OSError:
            assert process.poll() is None, (root / "log").read_text(encoding="utf-8")
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.05)


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session", autouse=True)
def none_left() -> Iterator[None]:
    """A server that a failing test left is ended."""
    yield
    for process in _STARTED:
        if process.poll() is None:
            process.kill()
            process.wait(10)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = launch(tmp_path_factory.mktemp("served"))
    yield served
    served.stop()


@pytest.fixture
def here(server: Served) -> Path:
    return server.checkout("shop")
