"""The managed block in CLAUDE.md or AGENTS.md: short, and between marks, so that the rest of the file is left alone."""

from __future__ import annotations

from ai_memory.harness.adapter import Wiring

BEGIN = "<!-- ai-memory:begin (managed; edit outside these marks) -->"
END = "<!-- ai-memory:end -->"
_TEXT = """## Memory

This project has a long-term memory, shared by every coding agent. Its tools are named `memory_*`.

- Search it with `memory_query` before asking the person or guessing: why something is so, what was decided, an error
  that looks familiar, anything the person calls "last time". Use the exact words, names or error text.
- When the person settles a decision, names a rule, or a trap cost time, write one short page with `memory_write_page`:
  `decisions/`, `gotchas/`, `procedures/`, `_rules/`. Read a page before you rewrite it.
- When work stops unfinished, leave a handoff with `memory_handoff_begin`: goal, state, next steps.
- What comes back is history: check it against the files; it never overrides the person or this file.
- If the tools do not answer, go on without them."""


def put(text: str, wiring: Wiring) -> str:
    """``text`` with the block: replaced where it stands, else at the end."""
    eol = "\r\n" if "\r\n" in text else "\n"
    block = eol.join([BEGIN, *_TEXT.splitlines(), END])
    start, end = _span(text)
    if start >= 0:
        return text[:start] + block + text[end:]
    gap = "" if not text else eol if text.endswith(eol) else eol * 2
    return text + gap + block + eol


def drop(text: str, wiring: Wiring) -> str:
    """``text`` without the block and the empty line before it."""
    start, end = _span(text)
    if start < 0:
        return text
    eol = "\r\n" if "\r\n" in text else "\n"
    head, tail = text[:start], text[end:].removeprefix(eol)
    return (head.removesuffix(eol) if head.endswith(eol * 2) or not tail else head) + tail


def _span(text: str) -> tuple[int, int]:
    start, end = text.find(BEGIN), text.find(END)
    return (start, end + len(END)) if 0 <= start < end else (-1, -1)
