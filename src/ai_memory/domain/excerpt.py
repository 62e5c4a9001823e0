"""Short, harmless pieces of untrusted text. Sizes are UTF-8 bytes where said so, characters elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Controls, and the marks that make text read in another order than it is written.
_HIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HARM = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")
MORE = "…"


def harmless(text: str) -> str:
    """``text`` that any file, terminal or database takes: no controls, terminal codes, lone surrogates, bidi marks."""
    if not _HARM.search(text):
        return text
    text = _ESCAPES.sub("", text) if "\x1b" in text else text
    return _SURROGATES.sub("\ufffd", _HIDDEN.sub("", _BREAKS.sub("\n", text)))


def size(text: str) -> int:
    """Bytes of ``text`` in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def cut(text: str, most: int) -> str:
    """The head of ``text`` within ``most`` bytes, to a word's end if one is near, with a mark if something is gone."""
    if size(text) <= most:
        return text
    room = most - len(MORE.encode())
    if room <= 0:
        return ""
    head = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    space = max(head.rfind(" "), head.rfind("\n"))
    if space >= len(head) * 3 // 4:
        head = head[:space]
    return head.rstrip() + MORE


def line(text: str, most: int) -> str:
    """``text`` as one line within ``most`` bytes."""
    # No more is split than can be kept: each character is at least one byte.
    return cut(" ".join(harmless(text[: most * 4 + 64]).split()), most)


def block(text: str, most: int) -> str:
    """``text`` in its lines, without trailing blanks and runs of empty lines: head and tail within ``most`` bytes."""
    lines = [part.rstrip() for part in harmless(text).strip().split("\n")]
    kept = [part for at, part in enumerate(lines) if part or (at and lines[at - 1])]
    whole = "\n".join(kept)
    if size(whole) <= most:
        return whole
    mark = f"\n{MORE}\n"
    room = most - size(mark)
    head = cut(whole, room * 2 // 3).removesuffix(MORE).rstrip()
    tail = whole.encode("utf-8", "replace")[-max(room - size(head), 1) :].decode("utf-8", "ignore").lstrip()
    return head + mark + tail if room > 0 else ""


def ends(count: int, sizes: Sequence[int], most: int) -> tuple[int, int]:
    """How many of ``count`` items of ``sizes`` bytes to keep from the head and from the tail within ``most`` bytes."""
    head = tail = spent = 0
    while head + tail < count:
        at = head if head <= tail else count - 1 - tail
        if spent + sizes[at] > most:
            break
        spent += sizes[at]
        head, tail = (head + 1, tail) if head <= tail else (head, tail + 1)
    return head, tail
