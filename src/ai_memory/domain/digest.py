"""A session in short: what session pages and handoffs are made of. Bounded, whatever the session's size."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing that was asked, as text without the agent's markup."""

    text: str
    at: str


@dataclass(frozen=True, slots=True)
class File:
    """One file with how often it was read and changed."""

    path: str
    read: int = 0
    edited: int = 0
    created: bool = False
    deleted: bool = False

    @property
    def how(self) -> str:
        """created, deleted, edited or read: the strongest that applies."""
        if self.deleted:
            return "deleted"
        return "created" if self.created else "edited" if self.edited else "read"


@dataclass(frozen=True, slots=True)
class Command:
    """One shell command with how its runs went; ``outcome`` is the last run's, ``error`` its telling line."""

    text: str
    ok: int = 0
    failed: int = 0
    unknown: int = 0
    outcome: str = "unknown"
    error: str = ""

    @property
    def runs(self) -> int:
        return self.ok + self.failed + self.unknown


@dataclass(frozen=True, slots=True)
class Fix:
    """A command that failed with ``error`` and passed later; ``files`` were changed in between, ``by`` passed."""

    command: str
    error: str
    files: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Subagent:
    """What one kind of subagent did, in counts."""

    name: str
    runs: int = 0
    calls: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Digest:
    """``session`` is its id, ``agent`` the harness. Lists over their bound keep head and tail; the counts are whole.

    ``said`` is the agent's last text in the main thread. ``unanswered`` tells that no text of the agent came after the
    last prompt. ``unfinished`` are open items of the agent's own plan, ``question`` what it asked last and nobody
    answered, ``broken`` the last failing command that never passed. Times are RFC 3339 in UTC, ``seconds`` is a length.
    """

    session: str
    agent: str
    title: str
    started: str
    ended: str
    seconds: int = 0
    branch: str = ""
    cwd: str = ""
    reason: str = ""
    prompts: tuple[Prompt, ...] = ()
    prompt_count: int = 0
    files: tuple[File, ...] = ()
    file_count: int = 0
    commands: tuple[Command, ...] = ()
    command_count: int = 0
    looks: int = 0
    fixes: tuple[Fix, ...] = ()
    fix_count: int = 0
    said: str = ""
    summary: str = ""
    unanswered: bool = False
    unfinished: tuple[str, ...] = ()
    question: str = ""
    broken: Command | None = None
    tools: tuple[tuple[str, int], ...] = field(default=())
    calls: int = 0
    failures: int = 0
    subagents: tuple[Subagent, ...] = ()

    @property
    def empty(self) -> bool:
        """No prompt with words in it, no tool result, no text of the agent: nothing to write down."""
        return not (self.prompt_count or self.calls or self.said or self.subagents)
