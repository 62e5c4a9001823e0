"""ai-memory as a person runs it: the command line, one server a world, and what lies in its data directory."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.acceptance.agents import World

PROGRAM = Path(sys.executable).with_name("ai-memory")


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: str, ready: Callable[[], Any], seconds: float = 10.0) -> Any:
    """Ask ``ready`` until it answers something true, and give that. Raises AssertionError with ``what``."""
    end = time.monotonic() + seconds
    while True:
        found = ready()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.05)


class Product:
    """The program in one world. The server's address stays the same when it is started again."""

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.data = Path(world.env["AI_MEMORY_DATA_DIR"])
        self._bind = f"127.0.0.1:{port}"
        self._server: subprocess.Popen[bytes] | None = None
        self._log = world.root / "server.log"

    def call(self, *arguments: str, check: bool = True, seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run one command in the checkout. Raises AssertionError if it fails and ``check``."""
        done = subprocess.run(
            [str(PROGRAM), *arguments], cwd=self.world.project, env=self.world.environ(), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, encoding="utf-8", timeout=seconds, check=False,
        )  # fmt: skip
        if check and done.returncode:
            told = (done.stderr.strip() or done.stdout.strip())[-600:]
            raise AssertionError(f"ai-memory {' '.join(arguments)} exited {done.returncode}: {told}")
        return done

    def ask(self, *arguments: str) -> Any:
        """The JSON answer of one command."""
        done = self.call(*arguments, "--json")
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"ai-memory {' '.join(arguments)} --json printed: {done.stdout[:300]}") from None

    def serve(self) -> None:
        """Start the server and wait until it is ready."""
        with self._log.open("ab") as log:
            command = [str(PROGRAM), "serve", "--data-dir", str(self.data), "--bind", self._bind]
            self._server = subprocess.Popen(
                command, cwd=self.world.root, env=self.world.environ(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_for("the server is ready", self._ready, 20)

    def _ready(self) -> bool:
        assert self._server
        if self._server.poll() is not None:
            raise AssertionError(f"the server ended: {self._log.read_text(encoding='utf-8')[-600:]}")
        try:
            with urllib.request.urlopen(f"http://{self._bind}/healthz", timeout=1) as answer:
                return int(answer.status) == 200
        except OSError:
            return False

    def stop(self) -> None:
        """Stop the server as a service manager does."""
        if self._server is None:
            return
        self._server.send_signal(signal.SIGTERM)
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait(10)
            raise AssertionError("the server did not stop within 20 s of SIGTERM") from None
        finally:
            self._server = None

    def install(self, *agents: str) -> None:
        """Wire hooks and MCP of ``agents``."""
        for agent in agents:
            self.call("install-hooks", "--agent", agent, "--apply")
            self.call("install-mcp", "--agent", agent, "--apply")

    def sessions(self) -> list[dict[str, Any]]:
        """The sessions of the checkout's project."""
        return rows(self.ask("sessions"), "sessions")

    def handoffs(self, *arguments: str) -> list[dict[str, Any]]:
        """The handoffs of the checkout's project, whatever their state."""
        return rows(self.ask("handoffs", *arguments), "handoffs", "batons")

    def search(self, query: str) -> list[dict[str, Any]]:
        """What a search in the checkout finds."""
        return rows(self.ask("search", query), "results", "hits", "evidence")

    def page(self, path: str) -> str:
        """A page's text."""
        return self.call("read-page", path).stdout

    def pages(self) -> dict[str, str]:
        """Every Markdown file of the wiki that is about one session, by path in its bundle."""
        found = sorted(self.data.glob("wiki/*/*/sessions/*.md"))
        return {f"sessions/{p.name}": p.read_text(encoding="utf-8") for p in found if p.name != "index.md"}

    def page_with(self, words: str, seconds: float = 10.0) -> str:
        """The path of the session page that says ``words``, waiting for it."""

        def look() -> str:
            return next((path for path, text in self.pages().items() if words in text), "")

        return str(wait_for(f"a session page that says {words!r}", look, seconds))

    def evidence(self) -> str:
        """Every line of evidence there is."""
        return "\n".join(p.read_text(encoding="utf-8") for p in sorted(self.data.glob("raw/**/*.jsonl")))

    def everything(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the data directory with its bytes; compressed git objects are unpacked as well."""
        for path in sorted(p for p in self.data.rglob("*") if p.is_file() and not p.is_symlink()):
            try:
                content = path.read_bytes()
            except FileNotFoundError:  # a temporary file of a running server
                continue
            yield str(path.relative_to(self.data)), content
            if "/objects/" in str(path) and path.suffix == "":
                try:
                    yield f"{path.relative_to(self.data)} (unpacked)", zlib.decompress(content)
                except zlib.error:
                    pass
        for repository in sorted(p.parent for p in self.data.rglob("objects") if (p.parent / "HEAD").is_file()):
            yield f"{repository.relative_to(self.data)} (packs)", _unpacked(repository)

    def traces(self, *needles: str) -> list[str]:
        """Where any of ``needles`` stands in the data directory."""
        wanted = [n.encode() for n in needles]
        return [f"{name}: {n.decode()}" for name, content in self.everything() for n in wanted if n in content]


def _unpacked(repository: Path) -> bytes:
    """Every object of a git repository, packed ones too."""
    command = ["git", "--git-dir", str(repository), "cat-file", "--batch-all-objects", "--batch"]
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.run(command, capture_output=True, timeout=30, check=False, env=env).stdout


def rows(answer: Any, *names: str) -> list[dict[str, Any]]:
    """The list in an answer that is a list or an object with one of ``names``."""
    if isinstance(answer, list):
        return answer
    found = next((answer[name] for name in names if isinstance(answer.get(name), list)), None)
    assert found is not None, f"no list of {names} in {str(answer)[:300]}"
    return found
