"""What is kept of one event: the value behind one line of evidence."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool call. ``outcome`` is ok, error or unknown; texts are redacted and capped."""

    name: str
    call: str = ""
    arguments: str = ""
    outcome: str = "unknown"
    output: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """One event of a session, redacted and capped.

    ``kind`` is a word of ``domain.event``; ``role`` is user, assistant, tool or system; ``at`` is RFC 3339 in UTC;
    ``key`` is the idempotency key; ``subagent`` names the subagent it came from, empty for the main agent.
    """

    id: str
    key: str
    session: str
    at: str
    kind: str
    role: str
    text: str = ""
    tool: Tool | None = None
    subagent: str = ""
    source: str = ""
    note: str = ""
    data: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Session:
    """The header of a session's evidence file."""

    id: str
    agent: str
    native: str
    workspace: str
    project: str
    started: str
    cwd: str = ""
    branch: str = ""
    machine: str = ""
