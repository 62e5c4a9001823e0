"""What the scripted model says: rules that look at the person's last prompt, and steps taken one per tool result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """Final text; the turn ends."""

    text: str


@dataclass(frozen=True)
class Shell:
    """One call of the agent's own shell tool."""

    command: str
    say: str = ""


@dataclass(frozen=True)
class Call:
    """One call of a named tool. ``name`` is matched against the offered tools by its end, so ``memory_query`` finds
    ``mcp__ai-memory__memory_query``; if none is offered the name is sent as it stands. ``arguments`` may be worked out
    from the request."""

    name: str
    arguments: dict[str, Any] | Callable[[Asked], dict[str, Any]]
    say: str = ""


@dataclass(frozen=True)
class Hold:
    """Answer nothing until ``release`` is set (or ``seconds`` have passed), then ``then``. ``held`` is set on entry."""

    then: Say
    seconds: float = 30.0
    held: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)


Step = Say | Shell | Call | Hold


@dataclass(frozen=True)
class Rule:
    """``steps`` for a prompt that contains ``match``: step n is the answer once n tool results came in."""

    match: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Asked:
    """One request, read the same way from every dialect.

    ``prompt`` is the person's last message without text that the agent or a hook put beside it; ``results`` are the
    tool results that came after it; ``tools`` are the names of the offered tools.
    """

    prompt: str
    results: tuple[str, ...]
    tools: tuple[str, ...]
    stream: bool
    system: str = ""


@dataclass(frozen=True)
class Reply:
    """What a dialect renders: text, then at most one tool call (``tool`` is its name in the request)."""

    text: str
    tool: str = ""
    arguments: dict[str, Any] | None = None
    shell: bool = False


DEFAULT = Say("Done.")


class Script:
    """Rules in order; the first whose ``match`` is in the prompt answers."""

    def __init__(self, *rules: Rule) -> None:
        self._rules = list(rules)

    def add(self, *rules: Rule) -> None:
        """Put ``rules`` before the others."""
        self._rules[:0] = rules

    def step(self, asked: Asked) -> Step:
        """The step for this request; text when the request offers no tools (titles and other side calls)."""
        rule = next((r for r in self._rules if r.match in asked.prompt), None)
        if rule is None:
            return DEFAULT
        step = rule.steps[min(len(asked.results), len(rule.steps) - 1)]
        return step if asked.tools or isinstance(step, Say) else DEFAULT


def answer(step: Step, asked: Asked) -> Reply:
    """``step`` as a reply, waiting where it says to."""
    if isinstance(step, Hold):
        step.held.set()
        step.release.wait(step.seconds)
        return Reply(step.then.text)
    if isinstance(step, Say):
        return Reply(step.text)
    if isinstance(step, Shell):
        return Reply(step.say, arguments={"command": step.command}, shell=True)
    arguments = step.arguments(asked) if callable(step.arguments) else step.arguments
    return Reply(step.say, tool=offered(step.name, asked.tools), arguments=arguments)


def offered(name: str, tools: tuple[str, ...]) -> str:
    """The offered tool that ends with ``name``, or ``name``."""
    return next((t for t in tools if t == name), next((t for t in tools if t.endswith(name)), name))
