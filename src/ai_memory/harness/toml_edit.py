"""Edits of a TOML file by whole tables, that keep everything else byte for byte.

Every result is read again, and refused unless it means exactly what was asked.
"""

from __future__ import annotations

import copy
import itertools
import re
import tomllib
from typing import Any

from ai_memory.errors import Invalid

Header = tuple[str, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_HEADER = re.compile(r"\s*\[(?P<name>[^\[\]].*)\]\s*(?:#.*)?\Z")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*|[\[\]{}]')


def read(text: str) -> dict[str, Any]:
    """What ``text`` means. Raises ``Invalid`` with the place it stopped at."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"not valid TOML: {error}") from error


def put(text: str, header: Header, values: dict[str, Any]) -> str:
    """``text`` with the table ``header`` holding just ``values``: replaced where it stands, else at the end."""
    before = read(text)
    eol = "\r\n" if "\r\n" in text else "\n"
    block = _block(header, values, eol)
    wanted = copy.deepcopy(before)
    _reach(wanted, header[:-1])[header[-1]] = values
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, header)
    if spans:
        first = spans[0]
        kept = [line for at, line in enumerate(lines) if not any(start <= at < end for start, end in spans)]
        return _checked("".join([*kept[: first[0]], block, *kept[first[0] :]]), wanted)
    gap = "" if not text.strip("\ufeff \t\r\n") else eol if text.endswith("\n") else eol + eol
    return _checked(text + gap + block, wanted)


def drop(text: str, header: Header) -> str:
    """``text`` without the table ``header`` and the tables below it, and without the empty line before it."""
    before = read(text)
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, header)
    if not spans:
        return text
    wanted = copy.deepcopy(before)
    _reach(wanted, header[:-1]).pop(header[-1], None)
    for start, end in reversed(spans):
        blank = start > 0 and not lines[start - 1].strip()
        del lines[start - blank : end]
    return _checked("".join(lines), wanted)


def has(text: str, header: Header) -> Any:
    """The table at ``header``, or None."""
    value: Any = read(text)
    for step in header:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _block(header: Header, values: dict[str, Any], eol: str) -> str:
    rows = [f"[{'.'.join(map(_key, header))}]"]
    rows += [f"{_key(name)} = {_value(value)}" for name, value in values.items() if not isinstance(value, dict)]
    text = eol.join(rows) + eol
    for name, value in values.items():
        if isinstance(value, dict):
            text += eol + _block((*header, name), value, eol)
    return text


def _spans(lines: list[str], header: Header) -> list[tuple[int, int]]:
    """The lines of the table ``header`` and those below it: from each header to its last line with a value."""
    heads = _heads(lines)
    spans: list[tuple[int, int]] = []
    for at, (start, name) in enumerate(heads):
        if name[: len(header)] != header:
            continue
        end = heads[at + 1][0] if at + 1 < len(heads) else len(lines)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
        spans.append((start, end))
    return [(spans[0][0], spans[-1][1])] if spans and _together(lines, spans) else spans


def _together(lines: list[str], spans: list[tuple[int, int]]) -> bool:
    """Whether only empty lines stand between the spans."""
    return all(not "".join(lines[one[1] : two[0]]).strip() for one, two in itertools.pairwise(spans))


def _heads(lines: list[str]) -> list[tuple[int, Header]]:
    """The line number and the name of each table header; lines inside multi-line values are none."""
    found: list[tuple[int, Header]] = []
    closing, depth = "", 0
    for at, line in enumerate(lines):
        bare = line.rstrip("\r\n").removeprefix("\ufeff")
        if not closing and depth == 0:
            if bare.lstrip().startswith("[["):
                found.append((at, ("[[",)))
                continue
            head = _HEADER.match(bare)
            if head is not None:
                found.append((at, _name(head["name"])))
                continue
        closing, depth = _scan(bare, closing, depth)
    return found


def _scan(line: str, closing: str, depth: int) -> tuple[str, int]:
    """The multi-line string still open after ``line`` and how many brackets are."""
    at = 0
    while at < len(line):
        if closing:
            end = _closes(line, at, closing)
            if end < 0:
                return closing, depth
            at, closing = end, ""
            continue
        token = _TOKEN.search(line, at)
        if token is None:
            break
        at = token.end()
        if token[0] in ('"""', "'''"):
            closing = token[0]
        elif token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
    return closing, max(depth, 0)


def _closes(line: str, at: int, closing: str) -> int:
    while at < len(line):
        if closing == '"""' and line[at] == "\\":
            at += 2
        elif line.startswith(closing, at):
            at += 3
            while line[at : at + 1] == closing[0]:
                at += 1
            return at
        else:
            at += 1
    return -1


def _name(inner: str) -> Header:
    """The steps of a dotted header."""
    try:
        value = tomllib.loads(f"[{inner}]")
    except tomllib.TOMLDecodeError:
        return ("",)
    steps: list[str] = []
    while value:
        step = next(iter(value))
        steps.append(step)
        value = value[step]
    return tuple(steps)


def _key(name: str) -> str:
    return name if _BARE.match(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(_escaped(char) for char in value) + '"'
    return str(value)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return f"\\u{ord(char):04x}" if ord(char) < 32 or ord(char) == 127 else char


def _reach(value: Any, header: Header) -> Any:
    for step in header:
        value = value.setdefault(step, {})
        if not isinstance(value, dict):
            raise Invalid(f"{'.'.join(header)} is not a table")
    return value


def _checked(text: str, wanted: dict[str, Any]) -> str:
    if _pruned(read(text)) != _pruned(wanted):
        raise Invalid("the file writes that table in a form that cannot be edited safely; change it by hand")
    return text


def _pruned(value: Any) -> Any:
    """``value`` without tables that hold nothing: dropping a table's last child drops the table too."""
    if not isinstance(value, dict):
        return value
    inner = {name: _pruned(leaf) for name, leaf in value.items()}
    return {name: leaf for name, leaf in inner.items() if leaf != {}}
