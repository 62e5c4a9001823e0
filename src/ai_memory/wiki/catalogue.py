"""A bundle's ``index.md``: every page, grouped by type and sorted by title, as OKF lays it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ai_memory.domain import links
from ai_memory.domain.page import Page
from ai_memory.wiki import pages

NAME = "index.md"

Entries = Mapping[str, tuple[str, str]]
"""Page path → (type, its line)."""

_HEAD = '---\nokf_version: "0.2"\n---\n'
_ESCAPE = re.compile(r"([\\\[\]<`*_])")
_LINE = re.compile(r"\* \[(?:[^\\\[\]]|\\.)*\]\((/[^\s()<>]+)\)(?: - .*)?")
_DESCRIPTION = 200


def entry(page: Page) -> tuple[str, str]:
    """The type and the line of ``page``."""
    whole = pages.complete(page)
    title = _ESCAPE.sub(r"\\\1", pages.title(whole))
    line = f"* [{title}]({links.to(page.path)})"
    description = whole.meta.get("description")
    if isinstance(description, str) and description.strip():
        line += " - " + _one_line(description, _DESCRIPTION)
    return _one_line(str(whole.meta["type"]), 80), line


def render(entries: Entries) -> bytes:
    """The file for ``entries``."""
    groups: dict[str, list[str]] = {}
    for kind, line in entries.values():
        groups.setdefault(kind, []).append(line)
    parts = [_HEAD]
    for kind in sorted(groups):
        lines = sorted(groups[kind], key=lambda line: (line.casefold(), line))
        parts.append(f"\n# {kind}\n\n" + "\n".join(lines) + "\n")
    return "".join(parts).encode("utf-8", "replace")


def parse(data: bytes) -> dict[str, tuple[str, str]] | None:
    """The entries of a file that ``render`` made and nobody changed; None for any other."""
    found: dict[str, tuple[str, str]] = {}
    kind = ""
    for line in data.decode("utf-8", "replace").removeprefix(_HEAD).split("\n"):
        match = _LINE.fullmatch(line)
        if match:
            link = links.Link(match[1], "", "", 0)
            found[links.resolve(link, NAME)] = (kind, line)
        elif line.startswith("# "):
            kind = line[2:]
    return found if render(found) == data else None


def fresh(read: Iterable[Page]) -> dict[str, tuple[str, str]]:
    """The entries of ``read``."""
    return {page.path: entry(page) for page in read}


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
