"""A Claude Code process that takes several prompts, as an open terminal does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from typing import Any

from tests.acceptance.agents import World


class Conversation:
    """One ``claude -p`` on a stream of messages; use as a context manager. Killed after ``seconds`` at the latest."""

    def __init__(self, world: World, *, resume: str = "", seconds: float = 90.0) -> None:
        streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        chosen = ("--resume", resume) if resume else ()
        command = [str(world.programs["claude-code"]), "-p", *streams, "--dangerously-skip-permissions", *chosen]
        self._process = subprocess.Popen(
            command, cwd=world.project, env=world.environ(), text=True, encoding="utf-8", start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.pid = self._process.pid
        self.session = ""
        self._limit = threading.Timer(seconds, self.kill)

    def __enter__(self) -> Conversation:
        self._limit.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        if self._process.poll() is None:
            self.end()
        self._limit.cancel()
        self._process.stdout.close()
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def send(self, prompt: str) -> None:
        """Type ``prompt`` and go on."""
        assert self._process.stdin
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def ask(self, prompt: str) -> dict[str, Any]:
        """Type ``prompt`` and wait for the result of the turn."""
        self.send(prompt)
        return self.result()

    def result(self) -> dict[str, Any]:
        """The next result. Raises RuntimeError if the process ends before."""
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            self.session = message.get("session_id") or self.session
            if message.get("type") == "result":
                return dict(message)
        raise RuntimeError("claude ended in the middle of a turn")

    def end(self) -> None:
        """Close the terminal: SIGTERM, which still runs the session-end hook."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """kill -9; no hook runs."""
        if self._process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self._process.wait(10)
