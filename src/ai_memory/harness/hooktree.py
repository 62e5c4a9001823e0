"""Hook files of the shape that Claude Code and Codex share: ``hooks.<Event>[] = {matcher?, hooks: [{command, …}]}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ai_memory.errors import Invalid
from ai_memory.harness import json_edit
from ai_memory.harness.adapter import Wiring

_OURS = re.compile(r" -I -S [^\n]*bin/hook\.py['\"]? [a-z-]+ [a-z0-9-]+\Z")
Spot = tuple[int, int]


def put(text: str, wiring: Wiring, agent: str, events: Mapping[str, tuple[str, int, bool]]) -> str:
    """``text`` with one handler an event: agent's event → (our event, timeout in seconds, whether it takes a matcher).

    A handler of ours that is there already is brought up to date in its place, so that its position does not change;
    one too many, or for an event that is not told any more, goes.
    """
    for event, mine in ours(json_edit.read(text)).items():
        text = _without(text, event, mine[1:] if event in events else mine)
    for event, (word, seconds, matched) in events.items():
        handler = {"type": "command", "command": wiring.hook(word, agent), "timeout": seconds}
        group: dict[str, Any] = {"matcher": "*"} if matched else {}
        group["hooks"] = [handler]
        groups = _groups(text, event)
        mine = _spots(groups)
        if not mine:
            text = json_edit.put(text, ("hooks", event, len(groups)), group)
            continue
        place, inner = mine[0]
        if len(groups[place]["hooks"]) > 1:  # a person's own handlers share the group
            if groups[place]["hooks"][inner] != handler:
                text = json_edit.put(text, ("hooks", event, place, "hooks", inner), handler)
        elif groups[place] != group:
            text = json_edit.put(text, ("hooks", event, place), group)
    return text


def drop(text: str, wiring: Wiring) -> str:
    """``text`` without our handlers; a group, an event or ``hooks`` that then holds nothing goes too."""
    found = ours(json_edit.read(text))
    for event, mine in found.items():
        text = _without(text, event, mine)
    if found and not json_edit.read(text).get("hooks"):
        text = json_edit.drop(text, ("hooks",))
    return text


def ours(tree: Any) -> dict[str, list[Spot]]:
    """Where our handlers stand in a file that means ``tree``: event → (place of the group, place in the group)."""
    hooks = tree.get("hooks") if isinstance(tree, dict) else None
    found = {event: _spots(groups) for event, groups in hooks.items()} if isinstance(hooks, dict) else {}
    return {event: spots for event, spots in found.items() if spots}


def _spots(groups: Any) -> list[Spot]:
    found: list[Spot] = []
    for place, group in enumerate(groups if isinstance(groups, list) else []):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for inner, one in enumerate(handlers if isinstance(handlers, list) else []):
            if isinstance(one, dict) and _OURS.search(str(one.get("command", ""))):
                found.append((place, inner))
    return found


def _without(text: str, event: str, spots: list[Spot]) -> str:
    for place, inner in reversed(spots):
        alone = len(json_edit.read(text)["hooks"][event][place]["hooks"]) == 1
        text = json_edit.drop(text, ("hooks", event, place, *(() if alone else ("hooks", inner))))
    if spots and not json_edit.read(text)["hooks"][event]:
        text = json_edit.drop(text, ("hooks", event))
    return text


def _groups(text: str, event: str) -> list[Any]:
    tree = json_edit.read(text)
    hooks = tree.get("hooks", {}) if isinstance(tree, dict) else None
    groups = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise Invalid(f"hooks.{event} is not a list there. Mend the file by hand.")
    return groups
