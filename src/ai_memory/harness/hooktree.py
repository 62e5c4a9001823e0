"""Hook files of the shape that Claude Code and Codex share: ``hooks.<Event>[] = {matcher?, hooks: [{command, …}]}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ai_memory.errors import Invalid
from ai_memory.harness import json_edit
from ai_memory.harness.adapter import Wiring

_OURS = re.compile(r"bin/hook\.py['\"]? [a-z-]+ [a-z0-9-]+\Z")


def put(text: str, wiring: Wiring, agent: str, events: Mapping[str, tuple[str, int, bool]]) -> str:
    """``text`` with one handler an event: agent's event → (our event, timeout in seconds, whether it takes a matcher).

    A handler of ours that is there already is brought up to date in its place, so that its position does not change.
    """
    for event, (ours, seconds, matched) in events.items():
        handler = {"type": "command", "command": wiring.hook(ours, agent), "timeout": seconds}
        group: dict[str, Any] = {"matcher": "*"} if matched else {}
        group["hooks"] = [handler]
        groups = _groups(text, event)
        place = next((at for at, one in enumerate(groups) if owned(one)), None)
        if place is None:
            text = json_edit.put(text, ("hooks", event, len(groups)), group)
        elif groups[place] != group:
            text = json_edit.put(text, ("hooks", event, place), group)
    return text


def drop(text: str, wiring: Wiring) -> str:
    """``text`` without our handlers; an event or ``hooks`` that then holds nothing goes too."""
    tree = json_edit.read(text)
    hooks = tree.get("hooks") if isinstance(tree, dict) else None
    if not isinstance(hooks, dict):
        return text
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            continue
        for at in range(len(groups) - 1, -1, -1):
            if owned(groups[at]):
                text = json_edit.drop(text, ("hooks", event, at))
        if groups and all(owned(group) for group in groups):
            text = json_edit.drop(text, ("hooks", event))
    if hooks and not json_edit.read(text).get("hooks"):
        text = json_edit.drop(text, ("hooks",))
    return text


def owned(group: Any) -> bool:
    """Whether every handler of a group is ours."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(handlers, list) or not handlers:
        return False
    return all(isinstance(one, dict) and _OURS.search(str(one.get("command", ""))) for one in handlers)


def _groups(text: str, event: str) -> list[Any]:
    tree = json_edit.read(text)
    hooks = tree.get("hooks", {}) if isinstance(tree, dict) else None
    groups = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise Invalid(f"hooks.{event} is not a list there. Mend the file by hand.")
    return groups
