"""A tool's arguments as short readable text: what recall needs, in the form a person would write it.

Texts in and out are unredacted and uncapped; ``capture.observe`` redacts what comes out, then caps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ai_memory.domain import toolkind
from ai_memory.harness.payload import Call

MARKS = {
    "completed": "[x]", "done": "[x]", "in_progress": "[~]", "inprogress": "[~]", "cancelled": "[-]", "deleted": "[-]",
}  # fmt: skip
_LISTS = ("todos", "plan", "items", "tasks", "todoList", "todo_list")
_ITEM = ("content", "step", "title", "subject", "text", "task", "description")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
_RANGE = ("offset", "limit", "start_line", "end_line", "view_range", "pages")
_LETTERS = {"Add": "A", "Update": "M", "Delete": "D"}


def describe(call: Call) -> str:
    """The arguments of ``call`` as text. A shell command is not repeated: it has a field of its own."""
    fields = call.input if isinstance(call.input, Mapping) else {}
    match kind(call):
        case toolkind.SHELL:
            return _word(fields, "description") if call.command else call.arguments
        case toolkind.READ:
            return _read(call, fields)
        case toolkind.EDIT:
            return _edit(call, fields)
        case toolkind.WRITE:
            text = _word(fields, "content", "contents", "text", "file_text")
            return "\n".join(part for part in (_path(call), text) if part) or call.arguments
        case toolkind.PATCH:
            return _patch(call)
        case toolkind.SEARCH:
            return _search(call, fields)
        case toolkind.PLAN:
            return "\n".join(_plan(fields)) or call.arguments
    return call.arguments


def kind(call: Call) -> str:
    """The kind of work ``call`` does; a patch given to a shell is a patch."""
    known = toolkind.kind(call.name)
    if known == toolkind.SHELL and call.command.lstrip().startswith(("apply_patch", "*** Begin Patch")):
        return toolkind.PATCH
    return known


def command(call: Call) -> str:
    """The shell command of ``call``, if it runs one. A patch is no command."""
    return "" if kind(call) == toolkind.PATCH else call.command


def changes(call: Call) -> dict[str, list[str]]:
    """The files that a patch ``created`` and ``deleted``."""
    if kind(call) != toolkind.PATCH:
        return {}
    found = _PATCHED.findall(_patch_text(call))
    made = {"created": "Add", "deleted": "Delete"}
    return {how: paths for how, verb in made.items() if (paths := [path for word, path in found if word == verb])}


def _word(fields: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def _path(call: Call) -> str:
    return call.paths[0] if call.paths else ""


def _read(call: Call, fields: Mapping[str, Any]) -> str:
    spans = {name: value for name in _RANGE if isinstance(value := fields.get(name), int | str) and value != ""}
    text = " ".join([*call.paths, *(f"{name}={value}" for name, value in spans.items())])
    return text or call.arguments


def _edit(call: Call, fields: Mapping[str, Any]) -> str:
    edits = fields.get("edits")
    steps = [step for step in edits if isinstance(step, Mapping)] if isinstance(edits, list) else [fields]
    parts = [_path(call)]
    for step in steps:
        parts += _signed("-", _word(step, "old_string", "oldString", "old_str", "old_text", "search"))
        parts += _signed("+", _word(step, "new_string", "newString", "new_str", "new_text", "replace", "new_source"))
    text = "\n".join(part for part in parts if part)
    return text if text != _path(call) else text or call.arguments


def _signed(sign: str, text: str) -> Iterator[str]:
    return (f"{sign} {line}" for line in text.split("\n")) if text else iter(())


def _patch_text(call: Call) -> str:
    if isinstance(call.input, Mapping):
        return _word(call.input, "input", "patch", "command", "content") or call.command
    return call.input if isinstance(call.input, str) else call.command


def _patch(call: Call) -> str:
    text = _patch_text(call)
    files = [f"{_LETTERS[verb]} {path}" for verb, path in _PATCHED.findall(text)]
    return "\n".join([*files, text]) if files else text or call.arguments


def _search(call: Call, fields: Mapping[str, Any]) -> str:
    what = _word(fields, "pattern", "query", "url", "regex", "search")
    if not what:
        return call.arguments
    where = _word(fields, "path", "directory", "dir_path")
    among = _word(fields, "glob", "include", "type", "file_pattern")
    return what + (f" in {where}" if where else "") + (f" ({among})" if among else "")


def _plan(fields: Mapping[str, Any]) -> Iterator[str]:
    """The items of a plan, a line each: ``[x]`` done, ``[~]`` begun, ``[-]`` given up, ``[ ]`` to do, then ``#id``."""
    lists = next((value for name in _LISTS if isinstance(value := fields.get(name), list)), None)
    for item in lists if lists is not None else [fields]:
        if isinstance(item, str):
            yield f"[ ] {' '.join(item.split())}"
        elif isinstance(item, Mapping):
            text = " ".join(_word(item, *_ITEM).split())
            name = _word(item, "taskId", "task_id", "id") if lists is None else ""
            status = _word(item, "status", "state").lower()
            if text or (name and status):
                yield " ".join(part for part in (MARKS.get(status, "[ ]"), f"#{name}" if name else "", text) if part)

