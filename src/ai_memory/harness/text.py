"""Text out of the shapes that agents wrap it in: a string, a list of parts, an object with streams."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_DEEPEST = 8
_STREAMS = ("stdout", "stderr", "output", "result", "error", "message")


def clean(text: str) -> str:
    """``text`` with each lone surrogate replaced, so that it can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plain(value: Any, depth: int = 0) -> str:
    """The words in a prompt or a message: a string, parts with ``text``, or an object with ``content`` or ``parts``."""
    if isinstance(value, str):
        return clean(value)
    if depth >= _DEEPEST:
        return ""
    if isinstance(value, list):
        return "\n".join(text for part in value if (text := plain(part, depth + 1)))
    if isinstance(value, dict):
        return next(
            (text for key in ("text", "content", "parts") if (text := plain(value.get(key), depth + 1))),
            "",
        )
    return ""


def compact(value: Any) -> str:
    """``value`` as one line of JSON; a string as itself."""
    if isinstance(value, str):
        return clean(value)
    try:
        return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))
    except (ValueError, RecursionError):
        return ""


def output(value: Any) -> str:
    """What a tool gave back, as text: its streams or its content where it has such, else the value as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        inner = unwrap(value)
        return clean(value) if inner is None else plain(inner["output"])
    if isinstance(value, list):
        return plain(value) or (compact(value) if value else "")
    if isinstance(value, dict):
        return _streams(value)
    return compact(value)


def unwrap(text: str) -> Mapping[str, Any] | None:
    """The object in ``text`` if it is JSON that wraps a tool's output with its exit code."""
    if not (text.startswith("{") and ("exit_code" in text or "exitCode" in text)):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "output" in value else None


def _streams(value: Mapping[str, Any]) -> str:
    file = value.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return clean(file["content"])
    if value.get("content"):
        return plain(value["content"]) or compact(value["content"])
    if any(isinstance(value.get(key), str) for key in _STREAMS):
        return "\n".join(clean(part) for key in _STREAMS if isinstance(part := value.get(key), str) and part)
    return compact(value) if value else ""
