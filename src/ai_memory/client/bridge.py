"""``ai-memory mcp``: an agent's stdio on one side, the server's ``/mcp`` on the other. Standard library only.

Each line is one JSON-RPC message. It is posted with the facts of the agent's directory and its session id, so that
scope is never guessed; the answer is one line. With no server, what it said of itself and its tools before is repeated,
and a call is answered by an error with the next step.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from ai_memory import config
from ai_memory.client import faults, lines, machine, recollection, wire
from ai_memory.client.lines import Line
from ai_memory.config import Config
from ai_memory.errors import MemoryFault

PATIENCE = 2.0  # seconds to wait for a server that is just starting
TIMEOUT = 120.0
LEAVE = 0.4  # seconds for what is under way when the agent has gone
_AT_ONCE = 16
_USAGE = "Usage: ai-memory mcp [--agent NAME]. Agents start it and talk to it over stdio."
_SESSIONS = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "GEMINI_SESSION_ID",
    "GROK_SESSION_ID",
    "CRUSH_SESSION_ID",
)
_AGENTS = {"codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini-cli"}


def main(words: Sequence[str]) -> int:
    """Carry messages until standard input ends. ``--agent NAME`` says who talks."""
    if list(words) in (["-h"], ["--help"]):
        print(_USAGE)
        return 0
    agent = words[1] if len(words) == 2 and words[0] == "--agent" else ""
    if words and not agent:
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        wire.address(config.load().url)
    except MemoryFault as error:
        print(f"ai-memory mcp: {error}", file=sys.stderr)
        return error.exit
    bridge = Bridge(sys.stdout.buffer, config.environment(), agent)
    try:
        for line in lines.read(sys.stdin.buffer):
            bridge.take(line)
        bridge.leave()
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    os._exit(0)  # a thread may wait for a server; nobody reads its answer any more


class Bridge:
    """Carries messages one way and answers the other. ``out`` takes one line a message, from any thread."""

    def __init__(self, out: BinaryIO, environment: Mapping[str, str], agent: str = "") -> None:
        self._out = out
        self._writing = threading.Lock()
        self._slots = threading.BoundedSemaphore(_AT_ONCE)
        self._place = _Place(environment)
        self._agent = agent or environment.get("AI_MEMORY_AGENT", "")
        self._agent = self._agent or ("claude-code" if environment.get("CLAUDECODE") else "")
        self._session = next((environment[name] for name in _SESSIONS if environment.get(name)), "")
        self._version = ""
        self._waited = False

    def take(self, line: Line) -> None:
        """Carry one line: requests side by side, ``initialize`` and notifications in their order."""
        if line.fault:
            self._say(lines.error(line.id, line.code, line.fault))
        elif line.method == "initialize" or not line.asks:
            self._carry(line)
        else:
            self._slots.acquire()
            threading.Thread(target=self._aside, args=(line,), daemon=True).start()

    def leave(self) -> None:
        """Give what is under way a moment to answer."""
        deadline = time.monotonic() + LEAVE
        for _ in range(_AT_ONCE):
            if not self._slots.acquire(timeout=max(0.0, deadline - time.monotonic())):
                return

    def _aside(self, line: Line) -> None:
        try:
            self._carry(line)
        finally:
            self._slots.release()

    def _carry(self, line: Line) -> None:
        if line.method == "initialize":
            info = line.params.get("clientInfo")
            name = str(info.get("name", "")).lower() if isinstance(info, dict) else ""
            self._agent = self._agent or _AGENTS.get(name, name)
        answered = not line.asks
        try:
            settings = config.load()
            for message in self._post(settings, line):
                self._learn(settings, line, message)
                self._say(message)
                answered = answered or lines.is_answer(message)
            trouble = "The memory server gave no answer. See its log, or try again."
        except MemoryFault as error:
            trouble = str(error)
            known = recollection.recall(config.data_dir(), line.method) if error.code == "unreachable" else None
            if known is not None and not answered:
                self._say(lines.result(line.id, recollection.fitted(known, line.params)))
                answered = True
        except (OSError, ValueError) as error:
            trouble = f"The memory server's answer could not be used ({error}). See its log, or try again."
        if not answered:
            self._say(lines.error(line.id, -32000, trouble))

    def _post(self, settings: Config, line: Line) -> Iterator[bytes]:
        """What the server answers: JSON messages as bytes."""
        to, headers = wire.address(settings.url), self._headers(settings, line)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer = wire.exchange(to, "POST", "/mcp", headers, line.data, TIMEOUT)
                break
            except ConnectionRefusedError as error:
                if self._waited or time.monotonic() >= deadline:
                    self._waited = True  # once is enough: an agent should not be slowed down by every call
                    raise faults.unreachable(settings.url, error) from error
                time.sleep(0.1)
            except OSError as error:
                raise faults.unreachable(settings.url, error) from error
        self._waited = False
        with answer:
            if answer.headers.get("content-type", "").startswith("text/event-stream") and answer.status < 300:
                yield from lines.events(answer.pieces())
                return
            body = answer.read()
            if answer.status >= 300 and not lines.is_answer(body):
                raise faults.refusal(settings.url, answer.status, body, answer.headers)
            if body.strip() and answer.status != 202:
                yield body

    def _headers(self, settings: Config, line: Line) -> dict[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "User-Agent": "ai-memory",
            "X-AI-Memory-Agent": _plain(self._agent),
            "X-AI-Memory-Session": _plain(lines.session(line) or self._session),
        }
        if line.method == "tools/call":
            headers["X-AI-Memory-Facts"] = self._place.header(settings)
        if settings.token:
            headers["Authorization"] = f"Bearer {settings.token}"
        version = lines.version(line)
        if version:
            headers["Mcp-Method"] = _plain(line.method)
            if isinstance(line.params.get("name"), str):
                headers["Mcp-Name"] = _plain(line.params["name"])
        if version or self._version:
            headers["MCP-Protocol-Version"] = _plain(version or self._version)
        return headers

    def _learn(self, settings: Config, line: Line, answer: bytes) -> None:
        if line.method not in recollection.METHODS:
            return
        try:
            result = json.loads(answer).get("result")
        except (ValueError, AttributeError):
            return
        if isinstance(result, dict):
            if line.method == "initialize":
                self._version = str(result.get("protocolVersion", ""))
            recollection.keep(settings.data, line.method, result)

    def _say(self, message: bytes) -> None:
        one = message.replace(b"\r", b" ").replace(b"\n", b" ").strip()
        with self._writing:
            self._out.write(one + b"\n")
            self._out.flush()


class _Place:
    """The facts of the agent's directory. What they need is loaded when the first call comes, not at the start."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._given = environment.get("CLAUDE_PROJECT_DIR", "")
        self._places: Any = None
        self._lock = threading.Lock()

    def header(self, settings: Config) -> str:
        from ai_memory.client import facts  # noqa: PLC0415 - see the class

        with self._lock:
            self._places = self._places or facts.Places(machine.id(settings.data), brief=True)
            return facts.header(self._places.facts(self._given if os.path.isdir(self._given) else _here()))


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _plain(text: str) -> str:
    """``text`` as a header may carry it."""
    return "".join(c for c in text if " " <= c <= "~")[:256]
