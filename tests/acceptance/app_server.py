"""Codex's app server over stdio: listing and trusting hooks, compaction, interruption."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from tests.acceptance.agents import World


class AppServer:
    """One ``codex app-server``; use as a context manager. It is killed after ``seconds`` whatever happens."""

    def __init__(self, world: World, seconds: float = 60.0) -> None:
        self._world = world
        self._process = subprocess.Popen(
            [str(world.programs["codex"]), "app-server"], cwd=world.project, env=world.environ(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
        )  # fmt: skip
        self._deadline = threading.Timer(seconds, self._process.kill)
        self._next = 0

    def __enter__(self) -> AppServer:
        self._deadline.start()
        self.ask("initialize", {"clientInfo": {"name": "acceptance", "title": "acceptance", "version": "1"}})
        self._send({"method": "initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._process.stdout.close()
        self._deadline.cancel()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request. Raises RuntimeError on an error answer."""
        self._next += 1
        number = self._next
        self._send({"id": number, "method": method, "params": params})
        answer = self.until(lambda message: message.get("id") == number and "method" not in message)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return dict(answer["result"])

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is ``wanted``; the others are dropped."""
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            if wanted(message):
                return dict(message)
        raise RuntimeError("the app server ended")

    def hooks(self) -> list[dict[str, Any]]:
        """Every hook handler seen from the checkout: key, currentHash, trustStatus, command."""
        listed = self.ask("hooks/list", {"cwds": [str(self._world.project)]})
        return [hook for place in listed["data"] for hook in place["hooks"]]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def trust_hooks(world: World) -> int:
    """Trust every hook of the home as a person would with ``/hooks``; how many there are."""
    with AppServer(world) as server:
        hooks = server.hooks()
    lines = [f'\n[hooks.state."{h["key"]}"]\ntrusted_hash = "{h["currentHash"]}"\n' for h in hooks]
    with (world.codex_dir / "config.toml").open("a", encoding="utf-8") as out:
        out.writelines(lines)
    return len(hooks)
