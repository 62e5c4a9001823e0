"""From an agent's event to the observation that is kept. Pure: values in, a value out.

The order is fixed: what we injected and what the agent's program put in is taken out, then the whole text is redacted,
then it is capped. A text is never cut before it is redacted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from ai_memory.capture import arguments
from ai_memory.domain import caps, event, excerpt, fence, scaffold, toolkind
from ai_memory.domain.observation import Observation, Tool
from ai_memory.domain.redaction import Redactor
from ai_memory.harness import text as texts
from ai_memory.harness.payload import Call, Payload

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
_ROLES = {event.USER_PROMPT: USER, event.STOP: ASSISTANT, event.SUBAGENT_STOP: ASSISTANT, event.POST_TOOL: TOOL}
_CAPS = {
    event.USER_PROMPT: "prompt",
    event.STOP: "assistant",
    event.SUBAGENT_STOP: "assistant",
    event.POST_COMPACT: "compaction",
    event.NOTIFICATION: "notification",
}
_SILENT = (event.USER_PROMPT, event.NOTIFICATION, event.POST_COMPACT, event.OTHER)
_DEEPEST = 24
# What makes two spellings of one path differ; without it the text is enough.
_ODD = re.compile(r"//|/\./|/\.?\Z")
_MOST_PATHS = 20


def observe(
    payload: Payload, *, kind: str, id: str, key: str, session: str, at: str, redactor: Redactor, agent: str
) -> Observation | None:
    """What is kept of ``payload``, or None if nothing in it is news.

    ``kind`` is a word of ``domain.event``, ``id`` the observation's own id, ``key`` the idempotency key, ``session``
    our session id, ``at`` RFC 3339 in UTC, ``agent`` the harness. Nothing is kept of an event before a tool runs, nor
    of a prompt or notice that holds only what we or the agent's program put there.
    """
    if kind == event.PRE_TOOL:
        return None
    clean = _Clean(redactor)
    text = clean.words(payload.text, _CAPS.get(kind, "other"))
    tool: Tool | None = None
    data: dict[str, str] = {}
    if kind == event.POST_TOOL:
        if payload.tool is None or not payload.tool.name:
            return None
        tool, data = _tool(payload.tool, payload.cwd, clean)
    elif not text and kind in _SILENT:
        return None
    return Observation(
        id=id,
        key=key,
        session=session,
        at=at,
        kind=kind,
        role=_ROLES.get(kind, SYSTEM),
        text=text,
        tool=tool,
        subagent=_subagent(payload, kind, clean),
        source=clean.text(payload.source, "name"),
        note=clean.text("; ".join(payload.losses), "other"),
        data=data,
    )


@dataclass(frozen=True, slots=True)
class _Clean:
    """The one way from a text of the agent to a text that is kept."""

    redactor: Redactor

    def whole(self, text: str) -> str:
        """``text`` without our fence, harmless and redacted, uncapped."""
        return self.redactor.text(excerpt.harmless(fence.strip(text))) if text else ""

    def text(self, text: str, cap: str) -> str:
        return caps.clip(self.whole(text), cap) if text else ""

    def words(self, text: str, cap: str) -> str:
        """``text`` that a person or a model wrote: without the agent's markup too."""
        return self.text(scaffold.strip(text), cap) if text else ""

    def value(self, value: Any) -> Any:
        """A JSON value likewise: a secret is found here as it is, before quotes or line breaks are written otherwise."""
        return self.redactor.value(_bare(value))


def _bare(value: Any, depth: int = 0) -> Any:
    """``value`` with our fence and what is harmful out of its texts; what is too deep to read is left out."""
    if isinstance(value, str):
        return excerpt.harmless(fence.strip(value))
    if depth >= _DEEPEST and isinstance(value, Mapping | list):
        return excerpt.MORE
    if isinstance(value, Mapping):
        return {str(name): _bare(inner, depth + 1) for name, inner in value.items()}
    return [_bare(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def _subagent(payload: Payload, kind: str, clean: _Clean) -> str:
    return clean.text(payload.subagent, "name") or ("subagent" if kind == event.SUBAGENT_STOP else "")


def _tool(call: Call, cwd: str, clean: _Clean) -> tuple[Tool, dict[str, str]]:
    given = clean.value(call.input)
    call = replace(
        call,
        input=given,
        arguments="" if given is None else texts.compact(given),
        command=clean.whole(call.command),
        output=clean.whole(call.output) if _tells(call) else "",
    )
    tool = Tool(
        name=clean.text(call.name, "name"),
        call=clean.text(call.call, "name"),
        arguments=clean.text(arguments.describe(call), "arguments"),
        outcome=call.outcome,
        output=caps.clip(call.output, "output"),
        paths=tuple(_path(path, cwd, clean) for path in call.paths[:_MOST_PATHS]),
        command=caps.clip(arguments.command(call), "command"),
    )
    changed = {
        how: "\n".join(_path(path, cwd, clean) for path in paths[:_MOST_PATHS])
        for how, paths in arguments.changes(call).items()
    }
    return tool, changed


def _tells(call: Call) -> bool:
    """Whether the tool's output is news. What we recalled is history already: kept again it would come back as news.
    An edit that went well only repeats its arguments and the file.
    """
    if toolkind.ours(call.name):
        return False
    return call.outcome != "ok" or toolkind.kind(call.name) not in (toolkind.EDIT, toolkind.WRITE)


def _path(path: str, cwd: str, clean: _Clean) -> str:
    """``path`` relative to ``cwd`` when it lies below it."""
    plain = path.replace("\n", " ")
    below = f"{cwd.rstrip('/')}/"
    if len(below) > 1 and plain.startswith(below) and not _ODD.search(plain):
        plain = plain[len(below) :]
    elif cwd.strip("/") and plain.startswith("/"):
        here = PurePosixPath(cwd)
        there = PurePosixPath(plain)
        plain = str(there.relative_to(here)) if there.is_relative_to(here) else plain
    return clean.text(plain, "path")
