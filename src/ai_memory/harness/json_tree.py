"""JSON with comments and trailing commas, read into a tree that knows where each part stands in the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ai_memory.errors import Invalid

_SPACE = re.compile(r"[ \t\r\n]+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEEPEST = 100


@dataclass(slots=True)
class Part:
    """A member of an object (``key`` set) or an item of a list. ``start`` is where its key or value begins, ``comma``
    where the comma after it stands, or -1."""

    key: str | None
    start: int
    node: Node
    comma: int = -1

    @property
    def end(self) -> int:
        """Just after the value."""
        return self.node.end


@dataclass(slots=True)
class Node:
    """A value at ``text[start:end]``; ``value`` is what it means, ``parts`` what an object or a list holds."""

    start: int
    end: int = 0
    value: Any = None
    parts: list[Part] = field(default_factory=list)

    def child(self, step: str | int) -> Part | None:
        """The member of that name (the last one, as JSON readers take it) or the item at that place."""
        if isinstance(step, int):
            return self.parts[step] if isinstance(self.value, list) and step < len(self.parts) else None
        if not isinstance(self.value, dict):
            return None
        return next((part for part in reversed(self.parts) if part.key == step), None)

    def at(self, path: tuple[str | int, ...]) -> Node | None:
        """The value at ``path``, or None."""
        node = self
        for step in path:
            part = node.child(step)
            if part is None:
                return None
            node = part.node
        return node


def parse(text: str) -> Node:
    """The tree of ``text``, which may begin with a byte order mark. Raises ``Invalid`` with the line it stopped at."""
    reader = _Reader(text)
    node = reader.value(reader.blank(1 if text.startswith("\ufeff") else 0), 0)
    if reader.blank(node.end) != len(text):
        raise reader.fault(reader.blank(node.end), "the end of the file")
    return node


def last_ink(text: str, start: int, end: int) -> tuple[int, bool]:
    """Where the last comment between ``start`` and ``end`` stops, and whether it runs to the end of its line.

    ``start`` if there is none. Only commas, white space and comments may stand between.
    """
    reader, at, ink, runs = _Reader(text), start, start, False
    while at < end:
        if text[at] == "/":
            runs = text.startswith("//", at)
            at = ink = reader.comment(at)
        else:
            at += 1
    return ink, runs


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def fault(self, at: int, wanted: str) -> Invalid:
        line = self.text.count("\n", 0, at) + 1
        return Invalid(f"not valid JSON: line {line} should have {wanted}")

    def comment(self, at: int) -> int:
        """Just after the comment that begins at ``at``; a line comment leaves its line end."""
        if self.text.startswith("//", at):
            ends = [found for mark in "\r\n" if (found := self.text.find(mark, at)) >= 0]
            return min(ends, default=len(self.text))
        end = self.text.find("*/", at + 2) if self.text.startswith("/*", at) else -1
        if end < 0:
            raise self.fault(at, "a value or a closed comment")
        return end + 2

    def blank(self, at: int) -> int:
        """Past white space and comments."""
        while at < len(self.text):
            if found := _SPACE.match(self.text, at):
                at = found.end()
            elif self.text[at] == "/":
                at = self.comment(at)
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.fault(at, "less nesting")
        mark = self.text[at : at + 1]
        if mark == "{":
            return self.box(at, depth, "}", {})
        if mark == "[":
            return self.box(at, depth, "]", [])
        found = (_STRING if mark == '"' else _SCALAR).match(self.text, at)
        if found is None:
            raise self.fault(at, "a value")
        return Node(at, found.end(), self.scalar(found))

    def scalar(self, found: re.Match[str]) -> Any:
        try:
            return json.loads(found[0])
        except ValueError as error:
            raise self.fault(found.start(), "a valid string") from error

    def box(self, at: int, depth: int, close: str, value: Any) -> Node:
        node = Node(at, value=value)
        at = self.blank(at + 1)
        while self.text[at : at + 1] != close:
            if node.parts and node.parts[-1].comma < 0:
                raise self.fault(at, f"a comma or {close}")
            part = self.member(at, depth) if close == "}" else Part(None, at, self.value(at, depth + 1))
            if close == "}":
                value[part.key] = part.node.value
            else:
                value.append(part.node.value)
            node.parts.append(part)
            at = self.blank(part.end)
            if self.text[at : at + 1] == ",":
                part.comma = at
                at = self.blank(at + 1)
        node.end = at + 1
        return node

    def member(self, at: int, depth: int) -> Part:
        found = _STRING.match(self.text, at)
        if found is None:
            raise self.fault(at, "a name in double quotes")
        colon = self.blank(found.end())
        if self.text[colon : colon + 1] != ":":
            raise self.fault(colon, "a colon")
        return Part(self.scalar(found), at, self.value(self.blank(colon + 1), depth + 1))
