"""Untrusted text inside Markdown: it stays the text it is and makes no structure of its own."""

from __future__ import annotations

import re

from ai_memory.domain import excerpt

_CODE = re.compile(r"(?<![`\\])`([^`\n]+)`(?!`)")
_SIGNS = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)|[`*\[\]<]|~(?=~)|&(?=#?\w+;)|(?<![^\W_])_++|_++(?![^\W_])", re.MULTILINE)
# What begins a block when it begins a line: headings, quotes, lists, rules, tables, fences, setext underlines.
_START = re.compile(r"(?:[#>+=~|:-]|\d{1,9}(?=[.)]))")
_HASHES = re.compile(r"#+$")


def inline(text: str) -> str:
    """``text`` as one line of inline Markdown that reads the same; code between single backticks stays code."""
    return _started(_escaped(" ".join(excerpt.harmless(text).split())))


def quote(text: str) -> list[str]:
    """``text`` as the lines of a block quote."""
    lines = (part.strip() for part in excerpt.harmless(text).strip().split("\n"))
    return [f"> {_started(_escaped(line))}".rstrip() for line in lines]


def code(text: str) -> str:
    """``text`` as one code span."""
    text = " ".join(excerpt.harmless(text).split())
    if not text:
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if text[0] == "`" or text[-1] == "`" else f"{marks}{text}{marks}"


def heading(text: str) -> str:
    """``text`` as the words of a heading."""
    return _HASHES.sub(lambda found: "\\#" * len(found[0]), inline(text))


def _escaped(line: str) -> str:
    parts = []
    done = 0
    # Where a backtick stands alone its pair is a guess that two readers may make differently: then none makes code.
    spans = _CODE.finditer(line) if "`" not in _CODE.sub("", line) else ()
    for span in spans:
        parts += [_SIGNS.sub(_inert, line[done : span.start()]), span[0]]
        done = span.end()
    return "".join([*parts, _SIGNS.sub(_inert, line[done:])])


def _inert(found: re.Match[str]) -> str:
    return "".join(f"\\{sign}" for sign in found[0])


def _started(line: str) -> str:
    found = _START.match(line)
    if found is None:
        return line
    return f"{found[0]}\\{line[found.end() :]}" if found[0].isdigit() else "\\" + line
