"""The page of a session, from its digest. At most 12 KB, whatever the session's size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ai_memory.domain import excerpt, wording
from ai_memory.domain.digest import Command, Digest, File, Fix, Prompt
from ai_memory.domain.page import Page
from ai_memory.learn import markdown

# Bytes for each part, escapes included. With the headings and the front matter they stay under 12 KB.
BUDGET = {
    "prompts": 3_300, "prompt": 900, "summary": 900, "files": 1_200, "commands": 1_300, "fixes": 800,
    "said": 1_300, "open": 800,
}  # fmt: skip


def render(digest: Digest) -> tuple[str, Page]:
    """The path and the page of the session."""
    title = digest.title or f"Session with {digest.agent or 'an agent'} on {digest.started[:10]}"
    lines = [f"# {markdown.heading(title)}", "", *_facts(digest)]
    for part in (_asked(digest), _done(digest), _stopped(digest)):
        lines += part
    return path(digest), Page(path(digest), _meta(digest, title), "\n".join(lines).rstrip() + "\n")


def path(digest: Digest) -> str:
    """Where the page lies: the day it started and the first eight hex digits of the session's id."""
    return f"sessions/{digest.started[:10]}-{digest.session[:8]}.md"


def _meta(digest: Digest, title: str) -> dict[str, Any]:
    meta: dict[str, Any] = {
        "type": "session",
        "title": excerpt.line(title, 120),
        "description": describe(digest),
        "tags": ["session", *([digest.agent] if digest.agent else [])],
        "sources": [{"resource": f"ai-memory://session/{digest.session}", "author": digest.agent or "unknown"}],
        "session_id": digest.session,
        "agent": digest.agent,
        "branch": excerpt.line(digest.branch, 200),
        "started": digest.started,
        "ended": digest.ended,
    }
    return {key: value for key, value in meta.items() if value}


def describe(digest: Digest) -> str:
    """One plain sentence: how much was asked and done, on which files, and how it ended."""
    done = [wording.count(digest.prompt_count, "prompt"), wording.count(digest.calls, "tool call")]
    changed = [file.path.rsplit("/", 1)[-1] for file in digest.files if file.how != "read"]
    text = f"{' and '.join(done)} in {wording.length(digest.seconds)}"
    if changed:
        text += f", changing {excerpt.line(', '.join(changed[:3]), 120)}"
        text += f" and {wording.count(len(changed) - 3, 'more file')}" if len(changed) > 3 else ""
    if digest.broken is not None:
        text += f"; {excerpt.line(digest.broken.text, 80)} still failed"
    elif digest.unanswered:
        text += "; the last prompt has no answer"
    return text + "."


def _facts(digest: Digest) -> Iterator[str]:
    yield f"- Agent: {markdown.inline(digest.agent or 'unknown')}"
    if digest.branch:
        yield f"- Branch: {markdown.code(excerpt.line(digest.branch, 200))}"
    span = f"{wording.moment(digest.started)} to {wording.moment(digest.ended)}"
    yield f"- Time: {span} ({wording.length(digest.seconds)})"
    if digest.reason:
        yield f"- Ended: {markdown.inline(excerpt.line(digest.reason, 80))}"
    yield f"- Evidence: `ai-memory://session/{digest.session}`"
    yield ""


def _asked(digest: Digest) -> list[str]:
    if not digest.prompts:
        return []
    items = [_ask(number, prompt) for number, prompt in _numbered(digest.prompts, digest.prompt_count)]
    return ["## What was asked", "", *_fit(items, digest.prompt_count, BUDGET["prompts"], "prompt")]


def _numbered(prompts: Sequence[Prompt], count: int) -> Iterator[tuple[int, Prompt]]:
    """The prompts with their numbers in the whole session: of a long one the head and the tail are here."""
    gone = count - len(prompts)
    half = len(prompts) // 2
    for at, prompt in enumerate(prompts):
        yield at + 1 + (gone if at >= half else 0), prompt


def _ask(number: int, prompt: Prompt) -> str:
    time = wording.clock(prompt.at)
    lines = _quoted(prompt.text, BUDGET["prompt"])
    return "\n".join([f"{number}\\. {time}".rstrip(), "", *lines, ""])


def _quoted(text: str, most: int) -> list[str]:
    """``text`` as a quote within ``most`` bytes: cut again where escapes made it longer."""
    room = most
    while True:
        lines = markdown.quote(excerpt.block(text, room))
        if excerpt.size("\n".join(lines)) <= most or room < 32:
            return lines
        room = room * 3 // 4


def _done(digest: Digest) -> list[str]:
    lines: list[str] = []
    if digest.summary:
        lines += ["### The agent's own summary", "", *_quoted(digest.summary, BUDGET["summary"]), ""]
    lines += _listed("Files", [_file(file) for file in digest.files], digest.file_count, "files", "file")
    commands = [_command(command) for command in digest.commands]
    lines += _listed("Commands", commands, digest.command_count, "commands", "command")
    fixes = [_fix(fix) for fix in digest.fixes]
    lines += _listed("Failures and what came after", fixes, digest.fix_count, "fixes", "fix")
    lines += _tools(digest)
    return ["## What was done", "", *lines] if lines else []


def _listed(title: str, items: list[str], count: int, budget: str, noun: str) -> list[str]:
    return [f"### {title}", "", *_fit(items, count, BUDGET[budget], noun), ""] if items else []


def _file(file: File) -> str:
    times = file.edited if file.how == "edited" else file.read if file.how == "read" else 0
    return f"- {file.how}{f' {times} times' if times > 1 else ''}: {markdown.code(excerpt.line(file.path, 200))}"


def _command(command: Command) -> str:
    runs = [f"{number} {word}" for number, word in ((command.ok, "ok"), (command.failed, "failed")) if number]
    said = {"ok": "ok", "error": "failed"}.get(command.outcome, "ran")
    if command.runs > 1:
        said = f"{', '.join(runs) or 'ran'} of {command.runs}, last {said}" if runs else f"ran {command.runs} times"
    return f"- {said}: {markdown.code(excerpt.line(command.text, 200))}"


def _fix(fix: Fix) -> str:
    text = f"- {markdown.code(excerpt.line(fix.command, 140))} failed"
    if fix.error:
        text += f" with {markdown.code(excerpt.line(fix.error, 200))}"
    files = ", ".join(markdown.code(excerpt.line(path, 80)) for path in fix.files[:4])
    text += f"; after changes to {files}" if files else ";"
    by = f"{markdown.code(excerpt.line(fix.by, 140))} passed" if fix.by else "it passed"
    return f"{text} {by}"


def _tools(digest: Digest) -> list[str]:
    if not digest.calls and not digest.subagents:
        return []
    names = [f"{markdown.code(excerpt.line(name, 60))} {number}" for name, number in digest.tools]
    failed = f", {digest.failures} of them failed" if digest.failures else ""
    lines = [f"- {wording.count(digest.calls, 'call')}{failed}" + _after(names[:6])]
    if digest.looks:
        lines.append(f"- {wording.count(digest.looks, 'command')} only looked")
    subs = [
        f"{markdown.code(excerpt.line(one.name, 40))} "
        f"{wording.count(one.runs, 'run')}, {wording.count(one.calls, 'call')}"
        for one in digest.subagents[:3]
    ]
    if subs:
        lines.append("- Subagents" + _after(subs, "; "))
    return ["### Tools", "", *lines, ""]


def _after(items: Sequence[str], between: str = ", ") -> str:
    return f": {between.join(items)}" if items else ""


def _stopped(digest: Digest) -> list[str]:
    lines: list[str] = []
    if digest.said:
        lines += ["The agent said last:", "", *_quoted(digest.said, BUDGET["said"]), ""]
    if digest.unanswered:
        lines += ["The last prompt has no answer.", ""]
    items = [f"- To do: {markdown.inline(excerpt.line(item, 200))}" for item in digest.unfinished]
    if digest.question:
        items.insert(0, f"- Asked and not answered: {markdown.inline(excerpt.line(digest.question, 250))}")
    if digest.broken is not None:
        error = f": {markdown.code(excerpt.line(digest.broken.error, 150))}" if digest.broken.error else ""
        items.insert(0, f"- Still failing: {markdown.code(excerpt.line(digest.broken.text, 150))}{error}")
    if items:
        lines += ["### Unfinished", "", *_fit(items, len(items), BUDGET["open"], "item"), ""]
    return ["## Where it stopped", "", *lines] if lines else []


def _fit(items: Sequence[str], count: int, most: int, noun: str) -> list[str]:
    """The head and the tail of ``items`` within ``most`` bytes, and between them how many of ``count`` are left out."""
    head, tail = excerpt.ends(len(items), [excerpt.size(item) + 1 for item in items], most - 60)
    gone = count - head - tail
    if not gone:
        return list(items)
    half = len(items) // 2
    if len(items) < count and head + tail == len(items):
        head, tail = half, len(items) - half
    mark = f"… {wording.count(gone, noun)} left out, all in the evidence …"
    mark = f"- {mark}" if items and items[0].startswith("- ") else f"{mark}\n"
    return [*items[:head], mark, *items[len(items) - tail :]]
