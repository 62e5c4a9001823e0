"""What an agent's hook says, as one value. Pure: a JSON value in, a ``Payload`` out, and nothing here raises.

Agents name the same thing differently; the tables below list the names, first hit wins. What has the wrong type is
left out and named in ``losses``, so that a strange payload costs its strange part only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ai_memory.domain import event as events
from ai_memory.harness import outcome as outcomes
from ai_memory.harness import text as texts

_SESSION = (
    "session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "session.id", "info.id",
    "properties.sessionID", "properties.info.id",
)  # fmt: skip
_CWD = ("cwd", "current_dir", "working_dir", "directory", "workspacePaths.0", "workspace_roots.0", "workspaceRoot")
_EVENT = ("hook_event_name", "hookEventName", "event.type", "event")
_PROMPT = ("prompt", "text", "parts", "userPrompt")
_ANSWER = ("last_assistant_message", "lastAssistantMessage", "prompt_response", "text")
_SUMMARY = ("compact_summary", "compactSummary", "summary")
_NOTICE = ("message", "title", "text")
_TOOL = ("tool_name", "toolName", "toolCall.name", "tool")
_INPUT = ("tool_input", "toolInput", "toolCall.args", "output.args", "input", "args")
_CALL = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "callID")
_OUTPUT = ("tool_response", "tool_output", "toolResult", "output.output", "error", "content")
_SUBAGENT = ("agent_id", "agent_type", "subagentType", "parentID")
_SOURCE = {
    events.SESSION_START: ("source",),
    events.SESSION_END: ("reason",),
    events.PRE_COMPACT: ("trigger",),
    events.POST_COMPACT: ("trigger",),
    events.NOTIFICATION: ("notification_type", "notificationType"),
}
_TRANSCRIPT = ("transcript_path", "transcriptPath")
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "filename")
_COMMAND = ("command", "cmd", "script")
_PATCH = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_LONGEST_ID = 256
_MOST_PATHS = 64


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as the agent told it: nothing is redacted or capped yet.

    ``input`` is the JSON value itself and ``arguments`` the same as compact JSON (text stays text). ``outcome`` is ok,
    error or unknown. ``command`` is the shell command if the tool runs one, ``paths`` the files the arguments name.
    """

    name: str
    call: str = ""
    input: Any = None
    arguments: str = ""
    output: str = ""
    outcome: str = "unknown"
    command: str = ""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Payload:
    """One hook event, normalised.

    ``event`` is a word of ``domain.event``, ``named`` what the agent called it. ``text`` is what the event says: the
    prompt, the last assistant message, the compaction summary or the notice. ``source`` says why: how a session
    started, why it ended, what set off a compaction. ``subagent`` is empty for the main agent.
    """

    event: str
    named: str = ""
    session: str = ""
    cwd: str = ""
    text: str = ""
    tool: Call | None = None
    subagent: str = ""
    source: str = ""
    transcript: str = ""
    losses: tuple[str, ...] = ()


def parse(event: str, body: Any) -> Payload:
    """``body`` is the payload as parsed JSON, ``event`` the name on the hook's command line (it wins if we know it)."""
    losses: list[str] = []
    if not isinstance(body, dict):
        losses.append(f"the payload was {_kind(body)}, not an object")
        body = {}
    named = event
    kind = events.normalise(event)
    if kind == events.OTHER:
        named = _word(body, _EVENT, losses) or event
        kind = events.normalise(named)
    return Payload(
        event=kind,
        named=named,
        session=_identity(_word(body, _SESSION, losses), losses),
        cwd=_word(body, _CWD, losses),
        text=_text(kind, body, losses),
        tool=_tool(named, body, losses) if kind in (events.PRE_TOOL, events.POST_TOOL) else None,
        subagent=_subagent(body, losses),
        source=_word(body, _SOURCE.get(kind, ()), losses),
        transcript=_word(body, _TRANSCRIPT, losses),
        losses=tuple(losses),
    )


def _text(kind: str, body: Mapping[str, Any], losses: list[str]) -> str:
    names = {
        events.USER_PROMPT: _PROMPT,
        events.STOP: _ANSWER,
        events.SUBAGENT_STOP: _ANSWER,
        events.POST_COMPACT: _SUMMARY,
        events.NOTIFICATION: _NOTICE,
    }.get(kind, ())
    for name in names:
        value = _at(body, name)
        if value is None or value == "":
            continue
        if isinstance(value, str | list | dict):
            return texts.plain(value)
        losses.append(f"{name} was {_kind(value)}, not text")
    return ""


def _tool(named: str, body: Mapping[str, Any], losses: list[str]) -> Call:
    name = _word(body, _TOOL, losses)
    given = _first(body, _INPUT)
    answer = _first(body, _OUTPUT)
    if given is not None and not isinstance(given, dict | list | str):
        losses.append(f"the tool's input was {_kind(given)}, not an object")
    fields = given if isinstance(given, dict) else {}
    command = _command(name, fields)
    return Call(
        name=name,
        call=_word(body, _CALL, losses),
        input=given,
        arguments="" if given is None else texts.compact(given),
        output=texts.output(answer),
        outcome=outcomes.judge(named, body, answer),
        command=command,
        paths=_paths(fields, command),
    )


def _command(name: str, fields: Mapping[str, Any]) -> str:
    for key in _COMMAND:
        value = fields.get(key)
        if isinstance(value, str):
            return texts.clean(value)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            words = value[2:] if len(value) == 3 and value[1] in ("-c", "-lc") else value
            return texts.clean(" ".join(words))
    return ""


def _paths(fields: Mapping[str, Any], command: str) -> tuple[str, ...]:
    found = [texts.clean(value) for key in _PATHS if isinstance(value := fields.get(key), str) and value]
    patch = command if "*** Begin Patch" in command else fields.get("input") or fields.get("patch")
    if isinstance(patch, str) and "*** Begin Patch" in patch:
        for line in patch.splitlines():
            found += [texts.clean(line[len(mark) :].strip()) for mark in _PATCH if line.startswith(mark)]
    return tuple(dict.fromkeys(found))[:_MOST_PATHS]


def _subagent(body: Mapping[str, Any], losses: list[str]) -> str:
    kind, name = _word(body, ("agent_type", "subagentType"), losses), _word(body, ("agent_id", "parentID"), losses)
    if kind or name:
        return f"{kind}:{name}" if kind and name else kind or name
    return "sidechain" if body.get("isSidechain") is True else ""


def _word(body: Mapping[str, Any], names: tuple[str, ...], losses: list[str]) -> str:
    """The first of ``names`` that is a string or a whole number, as text."""
    for name in names:
        value = _at(body, name)
        if isinstance(value, str):
            if value:
                return texts.clean(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        elif value is not None and not (name in ("event", "tool") and isinstance(value, dict)):
            losses.append(f"{name} was {_kind(value)}, not text")
    return ""


def _first(body: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value for name in names if (value := _at(body, name)) is not None), None)


def _at(body: Any, path: str) -> Any:
    """The value at a dotted ``path``; a number steps into a list. None if there is none."""
    if "." not in path:
        return body.get(path) if isinstance(body, dict) else None
    for step in path.split("."):
        if isinstance(body, dict):
            body = body.get(step)
        elif isinstance(body, list) and step.isdigit() and int(step) < len(body):
            body = body[int(step)]
        else:
            return None
    return body


def _identity(native: str, losses: list[str]) -> str:
    """A native session id; one too long to be an id is named by its digest."""
    if len(native) <= _LONGEST_ID:
        return native
    losses.append(f"the session id had {len(native)} characters; its digest stands for it")
    return "sha256:" + hashlib.sha256(native.encode()).hexdigest()


def _kind(value: Any) -> str:
    names = {bool: "a truth value", int: "a number", float: "a number", str: "text", list: "a list", type(None): "null"}
    return names.get(type(value), "an object")
