"""JSON-RPC messages as an agent writes and reads them: one a line, UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

LONGEST = 16 * 1024 * 1024
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
_HEAD, _TAIL = 1024, 512
_FIRST_ID = re.compile(rb'\A\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]{0,200}")')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]{0,200}")\s*\}\s*\Z')
# Where agents put their session id when the process was not started with one.
_SESSION_META = ("ai.opencode/sessionID", "threadId", "sessionId")


@dataclass(frozen=True, slots=True)
class Line:
    """One message: ``data`` is what to send, ``asks`` whether an answer is owed. With ``fault`` it is not to be sent."""

    data: bytes = b""
    id: Any = None
    method: str = ""
    asks: bool = False
    params: dict[str, Any] = field(default_factory=dict)
    fault: str = ""
    code: int = 0


def read(source: BinaryIO) -> Iterator[Line]:
    """The messages of a stream until it ends. Empty lines are passed over; a batch gives one message an element."""
    while True:
        data = source.readline(LONGEST + 1)
        if not data:
            return
        if len(data) > LONGEST:
            yield _oversize(source, data)
        elif data.strip():
            yield from parse(data)


def parse(data: bytes) -> Iterator[Line]:
    """The message, or messages, in one line."""
    try:
        text = data.decode("utf-8", "replace")
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield Line(fault="The line is not valid JSON.", code=PARSE_ERROR)
        return
    if isinstance(value, list):
        for item in value:
            yield _line(item, b"")
        if not value:
            yield Line(fault="The batch is empty.", code=INVALID_REQUEST)
        return
    exact = b"\\ud" not in data.lower() and "\ufffd" not in text
    yield _line(value, data.strip() if exact else b"")


def error(id: Any, code: int, message: str) -> bytes:
    """A JSON-RPC error."""
    return _encoded({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def result(id: Any, value: Any) -> bytes:
    """A JSON-RPC answer."""
    return _encoded({"jsonrpc": "2.0", "id": id, "result": value})


def is_answer(body: bytes) -> bool:
    """Whether ``body`` is the JSON-RPC answer to a request."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and ("result" in value or "error" in value) and value.get("id") is not None


def events(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each server-sent event, as it arrives."""
    rest = b""
    data: list[bytes] = []
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].lstrip(b" "))
            elif not line and data:
                message, data = b"\n".join(data), []
                if message.strip():
                    yield message
    if rest.startswith(b"data:"):
        data.append(rest[5:].strip())
    if b"".join(data).strip():
        yield b"\n".join(data)


def session(line: Line) -> str:
    """The agent's session id, where the message itself tells it."""
    meta = line.params.get("_meta")
    if not isinstance(meta, dict):
        return ""
    turn = meta.get("x-codex-turn-metadata")
    if isinstance(turn, str):
        try:
            turn = json.loads(turn)
        except (ValueError, RecursionError):
            turn = None
    found = turn.get("session_id") if isinstance(turn, dict) else None
    found = found or next((meta[name] for name in _SESSION_META if meta.get(name)), "")
    return found if isinstance(found, str) else ""


def version(line: Line) -> str:
    """The protocol version, where each message tells it (clients that do not initialise)."""
    meta = line.params.get("_meta")
    found = meta.get("io.modelcontextprotocol/protocolVersion") if isinstance(meta, dict) else None
    return found if isinstance(found, str) else ""


def _line(value: Any, data: bytes) -> Line:
    if not isinstance(value, dict):
        return Line(fault="A message is a JSON object.", code=INVALID_REQUEST)
    method, params, id = value.get("method"), value.get("params"), value.get("id")
    if not isinstance(method, str):
        # An answer to a request that no server made, or no JSON-RPC at all.
        if "result" in value or "error" in value:
            return Line(data or _encoded(value), id)
        return Line(id=id, fault="A message needs a method.", code=INVALID_REQUEST)
    return Line(data or _encoded(value), id, method, "id" in value, params if isinstance(params, dict) else {})


def _encoded(value: Any) -> bytes:
    """JSON in UTF-8; a lone surrogate, which UTF-8 cannot carry, becomes U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _oversize(source: BinaryIO, data: bytes) -> Line:
    """The fault of a line that is too long; what is left of it is read and forgotten."""
    head, tail = data[:_HEAD], data[-_TAIL:]
    while data and not data.endswith(b"\n"):
        data = source.readline(1 << 20)
        tail = (tail + data)[-_TAIL:]
    found = _FIRST_ID.search(head) or _LAST_ID.search(tail)
    id = json.loads(found[1].decode("utf-8", "replace")) if found else None
    return Line(id=id, fault=f"The message is longer than {LONGEST} bytes. Send less.", code=INVALID_REQUEST)
