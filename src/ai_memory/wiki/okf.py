"""The three rules that make a folder an Open Knowledge Format v0.2 bundle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ai_memory.domain.paths import RESERVED
from ai_memory.wiki import front

_FENCED = re.compile(r"---\n(.*?)^---(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"[*-] \[(?:[^\\\[\]]|\\.)*\]\([^()\s]+\)(?: - .*)?")
_DATE = re.compile(r"## \d{4}-\d{2}-\d{2}")


def check(folder: Path) -> list[str]:
    """What breaks a rule in the bundle at ``folder``, a sentence each; an empty list means conformant."""
    return [problem for path in sorted(folder.rglob("*.md")) for problem in _file(folder, path)]


def _file(folder: Path, path: Path) -> Iterator[str]:
    name = path.relative_to(folder).as_posix()
    if any(part.startswith(".") for part in name.split("/")) or not path.is_file():
        return
    text = path.read_bytes().decode("utf-8", "replace")
    if path.name in RESERVED:
        yield from _reserved(name, path.name, text)
        return
    fenced = _FENCED.match(text)
    if fenced is None:
        yield f"{name}: no front matter"
        return
    try:
        meta = front.read(fenced[1])
    except front.Broken as broken:
        yield f"{name}: front matter does not parse: {broken}"
        return
    kind = meta.get("type")
    if not isinstance(kind, str) or not kind.strip():
        yield f"{name}: no type"


def _reserved(name: str, kind: str, text: str) -> Iterator[str]:
    fenced = _FENCED.match(text)
    body = text[fenced.end() :] if fenced else text
    if fenced and (name != "index.md" or front.read(fenced[1]).keys() - {"okf_version"}):
        yield f"{name}: carries front matter"
    for number, line in enumerate(body.splitlines(), 1):
        if kind == "index.md" and line.startswith(("* ", "- ")) and not _BULLET.fullmatch(line):
            yield f"{name}: line {number} of its body is a bullet without a link"
        if kind == "log.md" and line.startswith("## ") and not _DATE.fullmatch(line):
            yield f"{name}: line {number} of its body is a heading that is no date"
