"""A session and its observations as JSON objects: the lines of ``raw``. ``docs/formats.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ai_memory.domain import event, excerpt
from ai_memory.domain.observation import Observation, Session, Tool

_WORDS = ("id", "key", "session", "at", "kind", "role", "text", "subagent", "source", "note")
_TOOL_WORDS = ("name", "call", "arguments", "command", "outcome", "output")


def record(observation: Observation) -> dict[str, Any]:
    """The JSON object of ``observation``: fixed key order, what is empty left out, every text safe to write."""
    line: dict[str, Any] = {}
    for word in _WORDS:
        if value := getattr(observation, word):
            line[word] = excerpt.harmless(value)
    if observation.tool is not None:
        line["tool"] = _tool(observation.tool)
    if observation.data:
        line["data"] = {
            excerpt.harmless(key): excerpt.harmless(value) for key, value in sorted(observation.data.items())
        }
    return line


def _tool(tool: Tool) -> dict[str, Any]:
    line: dict[str, Any] = {word: excerpt.harmless(value) for word in _TOOL_WORDS if (value := getattr(tool, word))}
    if tool.paths:
        line["paths"] = [excerpt.harmless(path) for path in tool.paths]
    return line


def from_record(line: Mapping[str, Any]) -> Observation:
    """The observation of a line. Unknown keys are passed over; a value of the wrong type counts as absent."""
    words = {word: value for word in _WORDS if isinstance(value := line.get(word), str)}
    tool, data = line.get("tool"), line.get("data")
    return Observation(
        id=words.get("id", ""),
        key=words.get("key", ""),
        session=words.get("session", ""),
        at=words.get("at", ""),
        kind=words["kind"] if words.get("kind") in event.KINDS else event.OTHER,
        role=words.get("role", "system"),
        text=words.get("text", ""),
        tool=_from_tool(tool) if isinstance(tool, Mapping) else None,
        subagent=words.get("subagent", ""),
        source=words.get("source", ""),
        note=words.get("note", ""),
        data={key: value for key, value in data.items() if isinstance(value, str)} if isinstance(data, Mapping) else {},
    )


def _from_tool(line: Mapping[str, Any]) -> Tool:
    words = {word: value for word in _TOOL_WORDS if isinstance(value := line.get(word), str)}
    paths = line.get("paths")
    return Tool(
        name=words.get("name", ""),
        call=words.get("call", ""),
        arguments=words.get("arguments", ""),
        outcome=words.get("outcome", "unknown"),
        output=words.get("output", ""),
        paths=tuple(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else (),
        command=words.get("command", ""),
    )


_HEADER = ("id", "agent", "native", "workspace", "project", "started", "cwd", "branch", "machine")


def header(session: Session) -> dict[str, Any]:
    """The JSON object of a file's first line."""
    words = {word: excerpt.harmless(value) for word in _HEADER if (value := getattr(session, word))}
    return {"type": "session", **words}


def from_header(line: Mapping[str, Any]) -> Session | None:
    """The session of a header line; None if ``line`` is another kind of line or names no session."""
    words = {word: value for word in _HEADER if isinstance(value := line.get(word), str)}
    if line.get("type") != "session" or not words.get("id"):
        return None
    return Session(**{"agent": "", "native": "", "workspace": "", "project": "", "started": "", **words})
