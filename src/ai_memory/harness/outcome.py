"""Whether a tool call went well, from the signs that agents give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ai_memory.domain import event as events
from ai_memory.harness import text as texts

OK, ERROR, UNKNOWN = "ok", "error", "unknown"

_FAILED = ("is_error", "isError", "interrupted", "is_interrupt", "timed_out", "timedOut")
_CODES = ("exit_code", "exitCode", "returnCode", "returncode", "code")
_LINE = re.compile(
    r"\A(?:Error: )?(?:Exit code:?|(?:Process exited|Command failed) with (?:exit )?code|exit status:?) (-?\d{1,10})\b",
    re.IGNORECASE,
)
_LATER = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d{1,10})$", re.MULTILINE | re.IGNORECASE)
_HEAD = 400


def judge(named: str, body: Mapping[str, Any], answer: Any) -> str:
    """The outcome told by the event called ``named``, its ``body`` and the tool's ``answer`` in it.

    A failure event is an error whatever it holds. A tool that answered without any sign of failure went well.
    """
    if events.normalise(named) != events.POST_TOOL:
        return UNKNOWN
    if named.replace("-", "").replace("_", "").lower().endswith("failure"):
        return ERROR
    told = _flags(body) or _answer(answer)
    # Codex (the one that tells a turn_id) answers with the bare output, whether the tool failed or not.
    return told or (UNKNOWN if answer is None or (isinstance(answer, str) and "turn_id" in body) else OK)


def _answer(answer: Any) -> str:
    if isinstance(answer, str):
        wrapped = texts.unwrap(answer)
        return _flags(wrapped) if wrapped is not None else _line(answer)
    return _flags(answer) if isinstance(answer, dict) else ""


def _flags(value: Mapping[str, Any]) -> str:
    if any(value.get(key) is True for key in _FAILED):
        return ERROR
    if value.get("success") is False or value.get("ok") is False:
        return ERROR
    inner = value.get("metadata")
    for holder in (value, inner if isinstance(inner, dict) else {}):
        for key in _CODES:
            code = holder.get(key)
            if isinstance(code, int) and not isinstance(code, bool):
                return ERROR if code else OK
    if value.get("error"):
        return ERROR
    return OK if any(value.get(key) is False for key in ("is_error", "isError")) else ""


def _line(text: str) -> str:
    """An exit code told in the first line, or on a line of its own near the top."""
    found = _LINE.match(text) or _LATER.search(text[:_HEAD])
    if found is None:
        return ""
    return OK if int(found[1]) == 0 else ERROR
