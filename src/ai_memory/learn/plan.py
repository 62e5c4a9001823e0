"""What the agent's own plan leaves open, read from its plan tools' calls."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ai_memory.domain import event, excerpt, toolkind
from ai_memory.domain.observation import Observation, Tool

_ITEM = re.compile(r"\[([ x~-])\](?: #(\S+))?(?: (.*))?")
_NUMBER = re.compile(r"#(\w+)")
_LONGEST = 300
_OPEN = (" ", "~")


def unfinished(main: Iterable[Observation]) -> list[str]:
    """The open items, what was begun first. A list call replaces the plan; a single task is added to or changes it."""
    items: dict[str, tuple[str, str]] = {}
    for one in main:
        tool = one.tool
        if one.kind != event.POST_TOOL or tool is None or tool.outcome == "error" or not _plans(tool):
            continue
        found = [match for line in tool.arguments.split("\n") if (match := _ITEM.fullmatch(line.strip()))]
        if toolkind.single(tool.name):
            for match in found:
                _change(items, match, tool.output)
        else:
            items = {f"{at}.": (match[1], match[3] or "") for at, match in enumerate(found)}
    still = [(mark, text) for mark, text in items.values() if mark in _OPEN and text]
    return [excerpt.line(text, _LONGEST) for mark, text in sorted(still, key=lambda item: item[0] != "~")]


def _plans(tool: Tool) -> bool:
    return toolkind.kind(tool.name) == toolkind.PLAN


def _change(items: dict[str, tuple[str, str]], match: re.Match[str], output: str) -> None:
    """Add a task, or change the one whose number the call or its answer names."""
    numbered = _NUMBER.search(output[:200])
    name = match[2] or (numbered[1] if numbered else f"{len(items)}.")
    old = items.get(name, (" ", ""))
    items[name] = (match[1], match[3] or old[1])
