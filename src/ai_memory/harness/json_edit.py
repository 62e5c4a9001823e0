"""Edits of a JSON file that keep everything else as it was: comments, order, indentation, line ends, byte order mark.

Each edit reads its own result again and refuses to return a text that does not mean exactly what was asked.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from typing import Any

from ai_memory.errors import Invalid
from ai_memory.harness import json_tree as tree

Path = tuple[str | int, ...]
_INDENT = re.compile(r"(?:^|\n)([ \t]+)[\"}\]/{\[]")
_INK = re.compile(r"[ \t]*/\*[^\r\n]*?\*/|[ \t]*//[^\r\n]*")


def read(text: str) -> Any:
    """What ``text`` means; an empty text is an empty object."""
    return tree.parse(text).value if text.strip("\ufeff \t\r\n") else {}


def put(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` at ``path``: a member is added or its value replaced; objects on the way are made.

    The last step may be one past the end of a list, which appends. An empty text becomes a new object.
    """
    if not text.strip("\ufeff \t\r\n"):
        return text[: text.startswith("\ufeff")] + _render({}, "", "  ", "\n", path, value) + "\n"
    root = tree.parse(text)
    done = _put(text, root, path, value)
    wanted = copy.deepcopy(root.value)
    _set(wanted, path, value)
    return _checked(done, wanted)


def drop(text: str, path: Path, blank: str = "") -> str:
    """``text`` without the member or item at ``path``; unchanged if there is none.

    If that leaves its container empty, ``blank`` is what stood between the brackets before.
    """
    root = tree.parse(text)
    box, part = root.at(path[:-1]), None
    if box is not None:
        part = box.child(path[-1])
    if box is None or part is None:
        return text
    wanted = copy.deepcopy(root.value)
    holder = _reach(wanted, path[:-1])
    del holder[path[-1]]
    return _checked(_cut(text, box, part, blank), wanted)


def inside(text: str, path: Path) -> str | None:
    """What stands between the brackets of the empty object or list at ``path``; None if there is no such."""
    node = tree.parse(text).at(path)
    if node is None or not isinstance(node.value, dict | list) or node.parts:
        return None
    return text[node.start + 1 : node.end - 1]


def _put(text: str, root: tree.Node, path: Path, value: Any) -> str:
    node, depth = root, 0
    while depth < len(path) and (part := node.child(path[depth])) is not None:
        node, depth = part.node, depth + 1
    unit, eol = _unit(text), "\r\n" if "\r\n" in text else "\n"
    if depth == len(path):
        shown = _json(value, unit, eol, _indent(text, node.start))
        return text[: node.start] + shown + text[node.end :]
    rest = path[depth:]
    for step in reversed(rest[1:]):
        value = [value] if isinstance(step, int) else {step: value}
    if isinstance(node.value, dict) and isinstance(rest[0], str):
        return _add(text, node, rest[0], value, unit, eol)
    if isinstance(node.value, list) and isinstance(rest[0], int):
        return _add(text, node, None, value, unit, eol)
    where = ".".join(map(str, path[:depth])) or "the whole file"
    raise Invalid(f"{where} holds something else than expected")


def _add(text: str, box: tree.Node, key: str | None, value: Any, unit: str, eol: str) -> str:
    """A new last part in ``box``, laid out like the part before it."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    outer = _indent(text, box.start)
    if not box.parts:
        shown = name + _json(value, unit, eol, outer + unit)
        ink, _ = tree.last_ink(text, box.start + 1, box.end - 1)
        return f"{text[:ink]}{eol}{outer}{unit}{shown}{eol}{outer}{text[box.end - 1 :]}"
    last = box.parts[-1]
    before = box.parts[-2].comma + 1 if len(box.parts) > 1 else box.start + 1
    gap = text[tree.last_ink(text, before, last.start)[0] : last.start]
    flat = "\n" not in gap
    shown = name + _json(value, "" if flat else unit, "" if flat else eol, "" if flat else _indent(text, last.start))
    comma = last.end if last.comma < 0 else last.comma + 1
    spot = _line_ink(text, comma, box.end - 1)
    if "//" in text[comma:spot]:
        gap = eol + outer + unit if flat else gap.lstrip(" \t")
    elif flat:
        gap = gap if len(box.parts) > 1 else " "
    head = text[:comma] + ("," if last.comma < 0 else "") + text[comma:spot]
    return head + gap + shown + ("," if last.comma >= 0 else "") + text[spot:]


def _cut(text: str, box: tree.Node, part: tree.Part, blank: str) -> str:
    at = box.parts.index(part)
    before = box.start + 1 if at == 0 else box.parts[at - 1].comma + 1
    start, runs = tree.last_ink(text, before, part.start)
    end = part.comma + 1 if part.comma >= 0 else part.end
    if len(box.parts) == 1:
        left = _join(text[box.start + 1 : start], runs, text[end : box.end - 1])
        same = left.split() == blank.split() or not left.strip()
        return text[: box.start + 1] + (blank if same else left) + text[box.end - 1 :]
    if part.comma >= 0 or at == 0:
        return _join(text[:start], runs, text[end:])
    comma = box.parts[at - 1].comma
    return text[:comma] + _join(text[comma + 1 : start], runs, text[end:])


def _join(head: str, runs: bool, tail: str) -> str:
    """``head`` and ``tail``, on two lines if ``head`` ends in a comment that ``runs`` to the end of its line."""
    return head + ("\n" if runs and tail[:1] not in ("\r", "\n") else "") + tail


def _line_ink(text: str, start: int, end: int) -> int:
    """Past the comments that stand on the rest of this line; ``start`` if there are none."""
    while (found := _INK.match(text, start, end)) is not None:
        start = found.end()
    return start


def _indent(text: str, at: int) -> str:
    """The white space that begins the line of ``at``."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, by the first indented line; two spaces if there is none."""
    found = _INDENT.search(text)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1][:8]


def _json(value: Any, unit: str, eol: str, indent: str) -> str:
    if not eol:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", eol + indent)


def _render(start: Any, indent: str, unit: str, eol: str, path: Path, value: Any) -> str:
    _set(start, path, value)
    return _json(start, unit, eol, indent)


def _reach(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _set(value: Any, path: Path, leaf: Any) -> None:
    for step, following in itertools.pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(value, list) and isinstance(step, int) and step == len(value):
            value.append(empty)
        elif isinstance(value, dict):
            value.setdefault(step, empty)
        value = value[step]
    if isinstance(value, list) and path[-1] == len(value):
        value.append(leaf)
    else:
        value[path[-1]] = leaf


def _checked(text: str, wanted: Any) -> str:
    if tree.parse(text).value != wanted:
        raise Invalid("the file is laid out in a way that cannot be edited safely; change it by hand")
    return text
