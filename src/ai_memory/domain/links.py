"""Links between pages: Markdown links and wikilinks in a body."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ai_memory.domain import paths
from ai_memory.errors import Invalid

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_WIKI = re.compile(r"\[\[([^\[\]\n|#]{0,300})(#[^\[\]\n|]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]")
_MARKDOWN = re.compile(
    r"\[((?:[^\[\]\\\n]|\\.){0,500})\]"
    r"\((?:<([^<>\n]{0,1000})>|([^\s()<>]{0,1000}))(?:\s+[\"'(][^\n]{0,300})?\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Link:
    """One link as written. ``target`` is undecoded if Markdown, a title or path if ``wiki``; ``line`` counts from 0."""

    target: str
    text: str
    anchor: str
    line: int
    wiki: bool = False


def find(body: str) -> tuple[Link, ...]:
    """The links of ``body`` in order, those in code left out. Linear in the length of the body."""
    found: list[Link] = []
    fence = ""
    for number, line in enumerate(body.splitlines()):
        opened = _FENCE.match(line)
        if fence:
            closes = opened and opened[1][0] == fence[0] and len(opened[1]) >= len(fence)
            if closes and not line.strip().strip(fence[0]):
                fence = ""
        elif opened:
            fence = opened[1]
        elif "[" in line:
            found.extend(_of_line(_without_code(line), number))
    return tuple(found)


def resolve(link: Link, source: str) -> str:
    """The page path that ``link`` on the page ``source`` names, or "" if it leaves the bundle or names no page.

    ``/a/b.md`` counts from the top of the bundle, other Markdown links from the page. A wikilink gives its page when it
    holds a path; a bare title gives "" and is for the caller to look up.
    """
    target = link.target.strip() if link.wiki else unquote(link.target)
    if not target or _SCHEME.match(target):
        return ""
    if link.wiki:
        target = target if "/" in target or target.endswith(".md") else ""
        joined = target.lstrip("/")
    elif target.startswith("/"):
        joined = target.lstrip("/")
    else:
        joined = posixpath.join(posixpath.dirname(source), target)
    joined = posixpath.normpath(joined) if joined else ""
    if not link.wiki and not joined.endswith(".md"):
        return ""
    try:
        return paths.check(joined)
    except Invalid:
        return ""


def to(path: str) -> str:
    """The destination of a Markdown link to the page ``path`` from anywhere in its bundle."""
    return "/" + quote(path, safe="/-._~!$&'*+,;=:@" + "".join(letter for letter in path if ord(letter) > 127))


def _of_line(line: str, number: int) -> list[Link]:
    found: list[tuple[int, Link]] = []
    for match in _WIKI.finditer(line):
        target, anchor, text = match[1].strip(), (match[2] or "")[1:].strip(), (match[3] or match[1]).strip()
        if target:
            found.append((match.start(), Link(target, text, anchor, number, wiki=True)))
    for match in _MARKDOWN.finditer(line):
        whole = match[2] if match[2] is not None else match[3]
        target, _, anchor = whole.partition("#")
        if target:
            found.append((match.start(), Link(target, match[1], anchor, number)))
    return [link for _, link in sorted(found, key=lambda pair: pair[0])]


def _without_code(line: str) -> str:
    """``line`` with its code spans blanked, so that what they show is not taken for a link."""
    if "`" not in line:
        return line
    out: list[str] = []
    at = 0
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(line)]
    following: dict[int, list[int]] = {}
    for place in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[place][1] - runs[place][0], []).append(place)
    place = 0
    while place < len(runs):
        start, end = runs[place]
        same = following[end - start]
        while same and same[-1] <= place:
            same.pop()
        if not same:
            place += 1
            continue
        close = same[-1]
        out.append(line[at:start])
        at = runs[close][1]
        place = close + 1
    return "".join(out) + line[at:]
