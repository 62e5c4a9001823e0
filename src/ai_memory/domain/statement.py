"""A Markdown page as statements: sentences, list items, table rows and ``key: value`` lines, each with its line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 400  # what is longer is no single statement
_WIDEST = 8  # columns of a table
_FENCE = re.compile(r"\s{0,8}(```+|~~~+)")
_HEADING = re.compile(r"(#{1,6})\s+(.{1,300}?)\s*#*\s*$")
_ITEM = re.compile(r"\s{0,40}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_RULE = re.compile(r"\s*\|?[\s:|=-]+\|?\s*$")
_SENTENCE = re.compile(r"(?<=[^\s.])[.!?]+[\"')\]]?(?=\s+[^\sa-z])|(?<=[。！？])")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")
_MARKS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~|<[^<>\n]{0,100}>")
_PAIR = re.compile(r"\s*[`\"]?[A-Za-z][\w .`/-]{0,60}?[`\"]?\s?[:=]\s+\S")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a page says. ``line`` counts from 1; ``topic`` is the page's title and headings above it."""

    text: str
    line: int = 1
    topic: str = ""


def statements(body: str, title: str = "") -> tuple[Statement, ...]:
    """What ``body`` says, without front matter, code blocks and quotes."""
    return tuple(_read(body.split("\n"), title))


def _read(lines: list[str], title: str) -> Iterator[Statement]:
    trail: list[str] = []
    block: list[str] = []  # the lines of an open paragraph or list item
    first, fence = 1, ""
    header: tuple[str, ...] = ()
    rows: list[tuple[int, tuple[str, ...]]] = []
    start = _after_matter(lines)
    for number, line in enumerate(lines[start:], start + 1):
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line)
        row = not fence and line.count("|") >= 2 and line.lstrip().startswith("|")
        aside = not line.strip() or line.lstrip().startswith(">") or line.startswith("    ")
        breaks = bool(fence or mark or heading or row or aside)
        if rows and not row:
            yield from _table(header, rows, _topic(title, trail))
            header, rows = (), []
        if block and (breaks or _ITEM.match(line) or _PAIR.match(line)):
            yield from _said(block, first, _topic(title, trail))
            block = []
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading:
            trail = trail[: len(heading[1]) - 1] + [""] * (len(heading[1]) - 1 - len(trail)) + [heading[2]]
        elif row:
            if number < len(lines) and "-" in lines[number] and _RULE.match(lines[number]):
                header = _cells(line)
            elif not _RULE.match(line):
                rows.append((number, _cells(line)))
        elif not breaks or _ITEM.match(line):
            first = first if block else number
            item = _ITEM.match(line)
            block.append(line[item.end() :] if item else line)
    yield from _said(block, first, _topic(title, trail)) if block else _table(header, rows, _topic(title, trail))


def _after_matter(lines: list[str]) -> int:
    """The number of lines that front matter takes."""
    if lines and lines[0].rstrip() == "---":
        for at, line in enumerate(lines[1:200], 2):
            if line.rstrip() in ("---", "..."):
                return at
    return 0


def _topic(title: str, trail: list[str]) -> str:
    return " > ".join(part for part in (title, *trail) if part)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _table(header: tuple[str, ...], rows: list[tuple[int, tuple[str, ...]]], topic: str) -> Iterator[Statement]:
    """A row says of its first cell what the other cells are: ``api port: 8080``. A first cell that returns names nothing."""
    names = Counter(cells[0] for _, cells in rows)
    for line, cells in rows:
        for name, cell in zip(header[1:_WIDEST], cells[1:_WIDEST], strict=False):
            if cells[0] and not cells[0].isdigit() and names[cells[0]] == 1 and cell and len(cell) < 80:
                yield from _one(f"{cells[0]} {name}: {cell}" if name else f"{cells[0]}: {cell}", line, topic)


def _said(block: list[str], first: int, topic: str) -> Iterator[Statement]:
    text = " ".join(part.strip() for part in block)
    start = 0
    for end in [*(m.end() for m in _SENTENCE.finditer(text)), len(text)]:
        # The line of a sentence is that where it begins.
        line, passed = first, 0
        for part in block:
            passed += len(part.strip()) + 1
            if passed > start + 1:
                break
            line += 1
        yield from _one(text[start:end], min(line, first + len(block) - 1), topic)
        start = end


def _one(text: str, line: int, topic: str) -> Iterator[Statement]:
    plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())
    if 6 <= len(plain) <= _LONGEST:
        yield Statement(plain, line, topic)
