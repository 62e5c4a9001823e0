"""A refused or failed request as an error of the catalogue, with the next step."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ai_memory import errors
from ai_memory.errors import Busy, Conflict, MemoryFault, Unreachable

_KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, MemoryFault)]
_CODES: dict[str, type[MemoryFault]] = {kind.code: kind for kind in _KINDS}
_STATUSES: dict[int, type[MemoryFault]] = {kind.status: kind for kind in _KINDS if kind.code != "scope_required"}
_LONGEST_WAIT = 3_600


def unreachable(url: str, error: OSError) -> Unreachable:
    """The error for a server that cannot be reached."""
    if isinstance(error, TimeoutError):
        return Unreachable(f"The server at {url} did not answer in time. See its log, or try again.")
    why = error.strerror or str(error) or type(error).__name__
    return Unreachable(
        f"No ai-memory server answers at {url} ({why}). Start it with `ai-memory serve`, or run `ai-memory setup` once."
    )


def foreign(url: str, status: int) -> Unreachable:
    """The error for an answer that no server of ours gives."""
    return Unreachable(
        f"What answers at {url} (status {status}) is not an ai-memory server. Check AI_MEMORY_SERVER_URL."
    )


def refusal(url: str, status: int, body: bytes, headers: Mapping[str, str]) -> MemoryFault:
    """The error in an answer that is not decoded yet."""
    try:
        value = json.loads(body) if body.strip() else None
    except (ValueError, RecursionError):
        return foreign(url, status)
    return from_json(status, value, headers)


def from_json(status: int, value: object, headers: Mapping[str, str]) -> MemoryFault:
    """The error in an answer: by the code in ``{"error": {"code", "message"}}``, else by the status."""
    said = value.get("error") if isinstance(value, dict) else None
    said = said if isinstance(said, dict) else {}
    message = said.get("message")
    text = message if isinstance(message, str) and message else f"The server answered with status {status}."
    if 300 <= status < 400:
        return Unreachable("The server redirects, which is not followed. Set AI_MEMORY_SERVER_URL to where it leads.")
    kind = _CODES.get(str(said.get("code"))) or _STATUSES.get(status, MemoryFault)
    if kind is Busy:
        return Busy(text, _retry_after(headers))
    if kind is Conflict:
        return Conflict(text, said.get("current"))
    return kind(text)


def _retry_after(headers: Mapping[str, str]) -> int:
    """Seconds to wait; 1 when the header does not say, at most an hour."""
    said = headers.get("retry-after", "")
    return min(int(said), _LONGEST_WAIT) if said.isascii() and said.isdigit() and len(said) < 9 else 1
