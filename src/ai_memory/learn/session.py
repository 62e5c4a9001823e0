"""A session's observations in short, by rule: no model, no clock. Each pass is linear in the observations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ai_memory.domain import event, excerpt, scaffold, toolkind, wording
from ai_memory.domain.digest import Digest, File, Prompt, Subagent
from ai_memory.domain.observation import Observation, Session
from ai_memory.learn import plan, question, runs
from ai_memory.learn.page import render

__all__ = ["render", "summarise"]

T = TypeVar("T")
_NUMBERED = re.compile(r"[0-9a-f-]{12,}")
_WRAPPING = re.compile(r"</?(?:summary|analysis)>")
_TITLE = 100
_PROMPT, _SAID, _SUMMARY = 2_000, 4_000, 3_000
_MOST = {"prompts": 40, "files": 60, "commands": 40, "fixes": 16, "tools": 12, "subagents": 12, "unfinished": 20}


def summarise(session: Session, observations: Sequence[Observation], now: str) -> Digest | None:
    """The digest of ``session``, or None if nothing happened in it: no prompt with words, no tool result, no answer.

    ``observations`` are in order of time; ``now`` (RFC 3339) stands for their times where there are none.
    """
    digest = _digest(session, observations, now)
    return None if digest.empty else digest


def _digest(session: Session, observations: Sequence[Observation], now: str) -> Digest:
    main = [one for one in observations if not one.subagent]
    prompts = [(at, prompt) for at, one in enumerate(main) if (prompt := _prompt(one))]
    answers = [(at, one.text) for at, one in enumerate(main) if _speaks(one)]
    asked_at, said_at = (pairs[-1][0] if pairs else -1 for pairs in (prompts, answers))
    said = excerpt.block(answers[-1][1], _SAID) if answers else ""
    shell = runs.read(main)
    files = _files(observations)
    started, ended, reason = _span(session, main, observations, now)
    counts = Counter(one.tool.name for one in main if one.kind == event.POST_TOOL and one.tool)
    return Digest(
        session=session.id,
        agent=session.agent,
        title=_title([prompt.text for _, prompt in prompts]),
        started=started,
        ended=ended,
        seconds=wording.between(started, ended),
        branch=session.branch,
        cwd=session.cwd,
        reason=reason,
        prompts=_ends([prompt for _, prompt in prompts], "prompts"),
        prompt_count=len(prompts),
        files=_ends(files, "files"),
        file_count=len(files),
        commands=_ends(shell.commands, "commands"),
        command_count=len(shell.commands),
        looks=shell.looks,
        fixes=_ends(shell.fixes, "fixes"),
        fix_count=len(shell.fixes),
        said=said,
        summary=_summary(main),
        unanswered=asked_at > said_at,
        unfinished=_ends(plan.unfinished(main), "unfinished"),
        question=question.trailing(answers[-1][1]) if answers and said_at > asked_at else "",
        broken=shell.broken,
        tools=tuple(counts.most_common(_MOST["tools"])),
        calls=counts.total(),
        failures=sum(1 for one in main if one.kind == event.POST_TOOL and one.tool and one.tool.outcome == "error"),
        subagents=_subagents(observations),
    )


def _prompt(one: Observation) -> Prompt | None:
    if one.kind != event.USER_PROMPT:
        return None
    text = excerpt.block(scaffold.asked(one.text), _PROMPT)
    return Prompt(text, one.at) if text else None


def _speaks(one: Observation) -> bool:
    spoken = one.kind not in (event.POST_COMPACT, event.SUBAGENT_STOP)
    return spoken and one.role == "assistant" and bool(one.text.strip())


def _title(prompts: Sequence[str]) -> str:
    """The first line with words of the first prompt that has one; empty if none has."""
    for text in prompts:
        for part in text.split("\n"):
            words = part.strip().lstrip("#>*-+=~`|/ \t").strip("` \t")
            if any(sign.isalnum() for sign in words):
                return excerpt.line(words, _TITLE)
    return ""


def _summary(main: Iterable[Observation]) -> str:
    found = [one.text for one in main if one.kind == event.POST_COMPACT and one.text.strip()]
    return excerpt.block(_WRAPPING.sub("", found[-1]), _SUMMARY) if found else ""


def _files(observations: Iterable[Observation]) -> list[File]:
    """The files that tools touched: changed ones first, each group in the order of its last change or first reading."""
    found: dict[str, File] = {}
    for one in observations:
        if one.kind != event.POST_TOOL or one.tool is None or one.tool.outcome == "error":
            continue
        kind = toolkind.kind(one.tool.name)
        patched = kind == toolkind.PATCH or (kind == toolkind.SHELL and bool(one.tool.paths))
        changes = patched or kind in (toolkind.EDIT, toolkind.WRITE)
        if not changes and kind != toolkind.READ:
            continue
        made, gone = (one.data.get(how, "").split("\n") for how in ("created", "deleted"))
        for path in filter(None, one.tool.paths):
            old = found.pop(path, None) if changes else found.get(path)
            file = old or File(path)
            if not changes:
                file = replace(file, read=file.read + 1)
            elif path in gone:
                file = replace(file, deleted=True)
            else:
                # An agent reads a file before it writes over it: what it writes unread is new.
                created = file.created or path in made or (kind == toolkind.WRITE and old is None)
                file = replace(file, edited=file.edited + 1, created=created, deleted=False)
            found[path] = file
    return sorted(found.values(), key=lambda file: file.how == "read")


def _subagents(observations: Iterable[Observation]) -> tuple[Subagent, ...]:
    """Counts for each kind of subagent; a name ``kind:id`` counts with its kind."""
    found: dict[str, Subagent] = {}
    seen: set[str] = set()
    for one in observations:
        if not one.subagent:
            continue
        name = excerpt.line(one.subagent.split(":", 1)[0], 80)
        name = "subagent" if not name or _NUMBERED.fullmatch(name) else name
        old = found.get(name, Subagent(name))
        called = one.kind == event.POST_TOOL and one.tool is not None
        found[name] = replace(
            old,
            runs=old.runs + (one.subagent not in seen),
            calls=old.calls + called,
            failed=old.failed + (called and one.tool is not None and one.tool.outcome == "error"),
        )
        seen.add(one.subagent)
    return tuple(sorted(found.values(), key=lambda sub: (-sub.calls, sub.name))[: _MOST["subagents"]])


def _span(
    session: Session, main: Sequence[Observation], observations: Sequence[Observation], now: str
) -> tuple[str, str, str]:
    """When it started and ended, and why it ended: empty unless the last thing that happened was an end."""
    started = session.started or (observations[0].at if observations else now)
    last = next((one for one in reversed(main) if one.kind != event.OTHER), None)
    ended = observations[-1].at if observations else now
    return started, ended or now, last.source if last is not None and last.kind == event.SESSION_END else ""


def _ends(items: Sequence[T], name: str) -> tuple[T, ...]:
    """``items`` within the bound called ``name``: the first half of it and the last."""
    most = _MOST[name]
    if len(items) <= most:
        return tuple(items)
    return (*items[: most // 2], *items[len(items) - (most - most // 2) :])
