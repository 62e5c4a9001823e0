"""The shell commands of a session: how often each ran and went, what failed and was mended, what is still broken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ai_memory.domain import event, excerpt, toolkind
from ai_memory.domain.digest import Command, Fix
from ai_memory.domain.observation import Observation, Tool
from ai_memory.learn import command

_COMMAND = 400
_FILES = 8
_PENDING = 64


@dataclass(frozen=True, slots=True)
class Runs:
    """``commands`` in the order of their first run, without those that only look: ``looks`` counts these."""

    commands: list[Command]
    fixes: list[Fix]
    broken: Command | None
    looks: int


@dataclass(slots=True)
class _Failure:
    text: str
    targets: tuple[str, ...]
    error: str
    edits: int
    at: int


@dataclass(slots=True)
class _Ledger:
    commands: dict[str, Command] = field(default_factory=dict)
    failures: dict[str, list[_Failure]] = field(default_factory=dict)
    edits: list[str] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    looks: int = 0
    runs: int = 0


def read(main: Iterable[Observation]) -> Runs:
    """What the tool calls among ``main`` ran."""
    ledger = _Ledger()
    for one in main:
        if one.kind != event.POST_TOOL or one.tool is None:
            continue
        if one.tool.command:
            _run(ledger, one.tool)
        elif one.tool.outcome != "error" and _changes(one.tool):
            ledger.edits += one.tool.paths
    open_ = [failure for failures in ledger.failures.values() for failure in failures]
    last = max(open_, key=lambda failure: failure.at, default=None)
    broken = replace(ledger.commands[last.text], error=last.error) if last is not None else None
    return Runs(list(ledger.commands.values()), ledger.fixes, broken, ledger.looks)


def _changes(tool: Tool) -> bool:
    return toolkind.kind(tool.name) in (toolkind.EDIT, toolkind.WRITE, toolkind.PATCH, toolkind.SHELL)


def _run(ledger: _Ledger, tool: Tool) -> None:
    if command.looks(tool.command):
        ledger.looks += 1
        return
    text = excerpt.line(tool.command.replace("\n", " ⏎ "), _COMMAND)
    ledger.runs += 1
    error = command.telling(tool.output) if tool.outcome == "error" else ""
    ledger.commands[text] = _counted(ledger.commands.get(text) or Command(text), tool.outcome, error)
    if tool.outcome == "error":
        _fail(ledger, tool.command, text, error)
    elif tool.outcome == "ok":
        _pass(ledger, tool.command, text)


def _counted(old: Command, outcome: str, error: str) -> Command:
    return replace(
        old,
        ok=old.ok + (outcome == "ok"),
        failed=old.failed + (outcome == "error"),
        unknown=old.unknown + (outcome not in ("ok", "error")),
        outcome=outcome,
        error=error or old.error,
    )


def _fail(ledger: _Ledger, raw: str, text: str, error: str) -> None:
    key, targets = command.work(raw)
    same = ledger.failures.setdefault(key, [])
    known = next((failure for failure in same if failure.text == text), None)
    if known is not None:
        same.remove(known)
        same.append(replace(known, error=error or known.error, at=ledger.runs))
    else:
        same.append(_Failure(text, targets, error, len(ledger.edits), ledger.runs))
    del same[:-_PENDING]


def _pass(ledger: _Ledger, raw: str, text: str) -> None:
    """Settle what this run mends: the same command, or the same work on all of its targets. A fix of the latter needs
    a change in between: without one the first command was only mistyped.
    """
    key, targets = command.work(raw)
    left = []
    for failure in ledger.failures.get(key, []):
        files = tuple(dict.fromkeys(ledger.edits[failure.edits :]))[-_FILES:]
        if failure.text == text:
            ledger.fixes.append(Fix(failure.text, failure.error, files))
        elif not command.covers(targets, failure.targets):
            left.append(failure)
        elif files:
            ledger.fixes.append(Fix(failure.text, failure.error, files, text))
    ledger.failures[key] = left
