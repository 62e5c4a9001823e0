"""``ai-memory mcp``: an agent's stdio on one side, the server's ``/mcp`` on the other. Standard library only.

Each line is one JSON-RPC message. It is posted with the facts of this directory and the agent's session id, so that
scope is never guessed; the answer is one line. A server that is down answers as a JSON-RPC error with the next step.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from ai_memory import config
from ai_memory.client import http, machine, wire
from ai_memory.client.facts import Places
from ai_memory.errors import MemoryFault

_LONGEST = 16 * 1024 * 1024
_PATIENCE = 2.0
_TIMEOUT = 120.0
_SESSIONS = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID")


class Bridge:
    """Carries messages one way and answers the other."""

    def __init__(self, out: BinaryIO) -> None:
        settings = config.load()
        self._url, self._token = settings.url, settings.token
        self._to = wire.address(self._url)
        self._places = Places(machine.id(settings.data))
        self._out = out
        self._lock = threading.Lock()
        self._version = ""

    def carry(self, line: bytes) -> None:
        """Post one message and write what comes back."""
        try:
            message = json.loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            self._say(_error(None, -32700, "The line is not valid JSON."))
            return
        asks = isinstance(message, dict) and "id" in message and "method" in message
        id = message.get("id") if isinstance(message, dict) else None
        try:
            for answer in self._post(http.encode(message)):
                self._learn(answer)
                self._say(answer)
        except MemoryFault as error:
            if asks:
                self._say(_error(id, -32000, str(error)))
        except (OSError, ValueError) as error:
            if asks:
                self._say(_error(id, -32000, f"The memory server's answer could not be used ({error})."))

    def _post(self, data: bytes) -> Iterator[Any]:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                answer = wire.exchange(self._to, "POST", "/mcp", self._headers(), data, _TIMEOUT)
                break
            except ConnectionRefusedError as error:
                if time.monotonic() > deadline:
                    raise http.unreachable(self._url, error) from error
                time.sleep(0.1)
            except OSError as error:
                raise http.unreachable(self._url, error) from error
        with answer:
            kind = answer.headers.get("content-type", "")
            body = answer.read()
            if kind.startswith("text/event-stream"):
                yield from _events(body)
            elif body.strip():
                value = json.loads(body)
                if answer.status >= 300 and not (isinstance(value, dict) and "jsonrpc" in value):
                    raise http.from_json(answer.status, value, answer.headers)
                yield value

    def _headers(self) -> dict[str, str]:
        facts = self._places.facts(_here())
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "X-AI-Memory-Facts": http.facts_header(facts),
            "X-AI-Memory-Agent": _ascii(config.environment().get("AI_MEMORY_AGENT", "")),
            "X-AI-Memory-Session": _ascii(_session()),
        }
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._version:
            headers["MCP-Protocol-Version"] = self._version
        return headers

    def _learn(self, answer: Any) -> None:
        result = answer.get("result") if isinstance(answer, dict) else None
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            self._version = _ascii(result["protocolVersion"])

    def _say(self, message: Any) -> None:
        with self._lock:
            self._out.write(http.encode(message) + b"\n")
            self._out.flush()


def main(words: Sequence[str]) -> int:
    """Carry messages until standard input ends."""
    if words:
        print("ai-memory mcp takes no arguments; agents start it and talk to it over stdio.", file=sys.stderr)
        return 2
    try:
        bridge = Bridge(sys.stdout.buffer)
    except MemoryFault as error:
        print(f"ai-memory: {error}", file=sys.stderr)
        return error.exit
    pool = ThreadPoolExecutor(8, thread_name_prefix="carry")
    try:
        _read(sys.stdin.buffer, bridge, pool)
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    pool.shutdown(wait=False, cancel_futures=False)
    _leave(pool)
    return 0


def _read(source: BinaryIO, bridge: Bridge, pool: ThreadPoolExecutor) -> None:
    """Carry each line; the first one, and every notification, in order, the rest side by side."""
    while line := source.readline(_LONGEST):
        if not line.strip():
            continue
        if b'"initialize"' in line or b'"id"' not in line:
            bridge.carry(line)
        else:
            pool.submit(bridge.carry, line)


def _leave(pool: ThreadPoolExecutor) -> None:
    """Give what is under way a moment, then go: nobody reads the answers any more."""
    deadline = time.monotonic() + 0.3
    while pool._work_queue.qsize() or any(thread.is_alive() for thread in pool._threads):
        if time.monotonic() > deadline:
            sys.stdout.flush()
            os._exit(0)
        time.sleep(0.01)


def _events(body: bytes) -> Iterator[Any]:
    for block in body.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = b"\n".join(line[5:].strip() for line in block.split(b"\n") if line.startswith(b"data:"))
        if data:
            yield json.loads(data)


def _error(id: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def _session() -> str:
    found = config.environment()
    return next((found[name] for name in _SESSIONS if found.get(name)), "")


def _here() -> str:
    try:
        return config.environment().get("CLAUDE_PROJECT_DIR") or os.getcwd()
    except FileNotFoundError:
        return ""


def _ascii(text: str) -> str:
    return "".join(c for c in text if c.isascii() and c.isprintable())[:256]
