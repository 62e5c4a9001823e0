"""``ai-memory demo``: the main job on a bundled recording of a real session, in a temporary home that is removed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ai_memory import config
from ai_memory.cli.ask import counted
from ai_memory.client import machine
from ai_memory.client.facts import Places
from ai_memory.client.http import Server
from ai_memory.demo import recording
from ai_memory.errors import Unreachable
from ai_memory.hook import packed

_START = 20.0


@click.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
def command(as_json: bool) -> int:
    """Play a recorded Claude Code session through the real hooks, then start Codex in the same checkout."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ai-memory-demo-") as folder:
        stage = _Stage(Path(folder).resolve())
        with stage.server() as server:
            played = stage.play()
            received = stage.next_agent()
            found = stage.ask(server)
    told = {"events": played, "received": received, "page": found["page"], "hits": found["hits"]}
    told["seconds"] = round(time.monotonic() - began, 1)
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        _tell(told)
    return 0 if received and found["page"] else 1


class _Stage:
    """A home, a data directory and a small checkout below one temporary folder."""

    def __init__(self, root: Path) -> None:
        self.home, self.data, self.cwd = root / "home", root / "data", root / "project"
        for folder in (self.home, self.data / "bin", self.cwd):
            folder.mkdir(parents=True)
        (self.data / "bin" / "hook.py").write_text(packed.text(), encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(self.cwd)], check=True, capture_output=True)
        self.port = _free_port()
        self.env = {
            **config.environment(),
            "HOME": str(self.home),
            "AI_MEMORY_DATA_DIR": str(self.data),
            "AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{self.port}",
        }

    @contextmanager
    def server(self) -> Iterator[Server]:
        """A server of our own, until the block ends."""
        words = [sys.executable, "-m", "ai_memory", "serve", "--bind", f"127.0.0.1:{self.port}"]
        log = self.data / "serve.log"
        with log.open("wb") as out, subprocess.Popen(words, env=self.env, stdout=out, stderr=out, cwd=self.home) as process:
            try:
                server = Server(self.env["AI_MEMORY_SERVER_URL"])
                _await(server, process, log)
                yield server
            finally:
                process.terminate()
                process.wait(20)

    def play(self) -> int:
        """Hand every recorded event to the hook, as Claude Code did; how many."""
        events = recording.read(str(self.cwd), str(self.home))
        for one in events:
            self._hook(one.event, one.agent, dict(one.payload))
        session = str(events[0].payload["session_id"])
        self._hook("session-end", events[0].agent, {"session_id": session, "cwd": str(self.cwd), "reason": "exit"})
        return len(events) + 1

    def next_agent(self) -> str:
        """What Codex is told when it starts here."""
        start = {"session_id": "demo-codex", "cwd": str(self.cwd), "source": "startup"}
        said = self._hook("session-start", "codex", start)
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    def ask(self, server: Server) -> dict[str, Any]:
        """The session's page, and what a search finds."""
        facts = Places(machine.id(self.data), str(self.home)).facts(str(self.cwd))
        row = server.request("GET", "/api/v1/sessions", facts=facts)[1]["sessions"]
        path = next((one["page"] for one in row if one["page"]), "")
        page = server.request("GET", f"/api/v1/pages/{path}", facts=facts)[1]["body"] if path else ""
        hits = server.request("POST", "/api/v1/search", {"q": "failing test", "limit": 3}, facts)[1]
        return {"page": page, "hits": hits["hits"]}

    def _hook(self, event: str, agent: str, payload: dict[str, Any]) -> str:
        words = [sys.executable, "-I", "-S", str(self.data / "bin" / "hook.py"), event, agent]
        body = json.dumps(payload).encode()
        return subprocess.run(words, input=body, env=self.env, capture_output=True, cwd=self.cwd, timeout=20).stdout.decode()


def _tell(told: dict[str, Any]) -> None:
    print(f"1. Claude Code worked and was quit mid-task: {told['events']} events captured by the real hooks.\n")
    print("2. The page that was written of it, without a model:\n")
    print(_indented(told["page"], 40))
    print("3. Codex starts in the same checkout and is told, once:\n")
    print(_indented(told["received"], 60))
    print(f"4. A search for 'failing test' finds {counted(len(told['hits']), 'passage')}.\n")
    print(f"All in {told['seconds']} s, on this machine, with no model, no key and no network. For daily use: ai-memory setup")


def _indented(text: str, most: int) -> str:
    lines = text.strip().splitlines()
    more = [f"   … {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join([*(f"   {line}" for line in lines[:most]), *more, ""])


def _await(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        try:
            server.request("GET", "/healthz")
            return
        except Unreachable:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    raise Unreachable(f"The demo's server did not start: {log.read_text(encoding='utf-8', errors='replace')[-500:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

