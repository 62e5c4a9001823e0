"""A normalised copy of a text to match on, with the way back to the original's offsets.

The copy is NFKC, without zero-width characters, soft hyphens, bidi marks, terminal colour codes, NUL, backspace and
delete. A text of plain ASCII without these is its own copy.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

_WIDE = re.compile(r"[^\x00-\x7f]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ESCAPE = r"\x1b(?:\[[0-9;:?]{0,32}[@-~]|\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\))|[\x00\x08\x7f]"
_MARKS_KEPT = 30  # the length of a run of combining marks that normalisation is asked to sort at once


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` is the copy. Offsets go back with ``start`` and ``end``; without a map they are the original's own."""

    text: str
    copy: array[int] | None = None
    origin: array[int] | None = None
    width: array[int] | None = None

    def start(self, offset: int) -> int:
        """Where the character at ``offset`` of the copy begins in the original."""
        if self.copy is None or self.origin is None or self.width is None:
            return offset
        i = bisect_right(self.copy, offset) - 1
        return self.origin[i] if self.width[i] else self.origin[i] + offset - self.copy[i]

    def end(self, offset: int) -> int:
        """Where the character before ``offset`` of the copy ends in the original."""
        if self.copy is None or self.origin is None or self.width is None:
            return offset
        i = bisect_right(self.copy, offset - 1) - 1
        return self.origin[i] + (self.width[i] or offset - self.copy[i])


@lru_cache(maxsize=4096)
def _shape(char: str) -> tuple[str, bool]:
    """What a character becomes, and whether it combines with the one before it."""
    if _INVISIBLE.match(char):
        return "", False
    return unicodedata.normalize("NFKC", char), unicodedata.combining(char) != 0


def fold(text: str) -> Folded:
    """The copy of ``text`` to match on."""
    if "\x1b" in text or "\x00" in text or "\x08" in text or "\x7f" in text:
        controls = True
    elif text.isascii():
        return Folded(text)
    else:
        controls = False
    straight: dict[int, str] = {}
    odd: list[str] = []
    marks: list[str] = []
    for char in set(_WIDE.findall(text)):
        shape, combines = _shape(char)
        if combines:
            marks.append(char)
        elif len(shape) != 1:
            odd.append(char)
        elif shape != char:
            straight[ord(char)] = shape
    if straight:
        text = text.translate(straight)
    if not (odd or marks or controls):
        return Folded(text)
    return _mapped(text, odd, marks, controls)


def _mapped(text: str, odd: list[str], marks: list[str], controls: bool) -> Folded:
    parts = [_ESCAPE] if controls else []
    if marks:
        group = re.escape("".join(sorted(marks)))
        parts.append(f"[^{group}]?[{group}]{{1,{_MARKS_KEPT}}}")
    if odd:
        parts.append("[" + re.escape("".join(sorted(odd))) + "]")
    pieces: list[str] = []
    copy, origin, width = array("q", [0]), array("q", [0]), array("q", [0])
    done = size = 0
    for match in re.compile("|".join(parts), re.DOTALL).finditer(text):
        first, last = match.span()
        if first > done:
            pieces.append(text[done:first])
            size += first - done
        out = _become(match.group())
        if out:
            copy.append(size)
            origin.append(first)
            width.append(last - first)
            pieces.append(out)
            size += len(out)
        copy.append(size)
        origin.append(last)
        width.append(0)
        done = last
    pieces.append(text[done:])
    return Folded("".join(pieces), copy, origin, width)


def _become(found: str) -> str:
    if found[0] == "\x1b" or found in "\x00\x08\x7f":
        return ""
    if len(found) == 1:
        return _shape(found)[0]
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", found))
