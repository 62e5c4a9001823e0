"""The passage of a text that shows best why it was found."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ai_memory.index import words

Pattern = re.Pattern[str] | None
LENGTH = 220
_SEEN = 400
_LEAD = re.compile(r"^(?:\s*(?:#.*|[-*_=]{3,})?\n)*")


@dataclass(frozen=True, slots=True)
class Passage:
    """One line of text, matches between ``**``, and the offsets in the whole text that it was cut from."""

    text: str
    start: int
    end: int


def cut(text: str, pattern: Pattern, length: int = LENGTH) -> Passage:
    """About ``length`` characters around the densest place that ``pattern`` finds; the beginning if it finds none.

    The named groups of ``pattern`` (``t0``, ``t1`` …) are the terms: a passage with more different ones is better.
    """
    spots = _spots(text, pattern)
    if not spots:
        start = _LEAD.match(text).end() if text.lstrip().startswith(("#", "-", "*", "_", "=")) else 0  # type: ignore[union-attr]
        start = start if start < len(text) else 0
        end = _edge(text, min(len(text), start + length), forward=False)
        return Passage(_show(text, start, max(end, start), []), start, max(end, start))
    first, last = _densest(spots, length)
    slack = max(0, length - (spots[last][1] - spots[first][0]))
    start = _edge(text, max(0, spots[first][0] - slack // 3), forward=True, stop=spots[first][0])
    end = max(_edge(text, min(len(text), start + length), forward=False), spots[first][1])
    inside = [spot[:2] for spot in spots if spot[0] >= start and spot[1] <= end]
    return Passage(_show(text, start, end, inside), start, end)


def lines(text: str, passage: Passage) -> tuple[int, int]:
    """The 1-based numbers of the first and last line that ``passage`` covers."""
    first = text.count("\n", 0, passage.start) + 1
    return first, first + text.count("\n", passage.start, passage.end)


def _spots(text: str, pattern: Pattern) -> list[tuple[int, int, str]]:
    if pattern is None:
        return []
    spots = []
    for match in pattern.finditer(words.fold(text)):
        if match.end() > match.start():
            spots.append((match.start(), match.end(), match.lastgroup or ""))
        if len(spots) == _SEEN:
            break
    return spots


def _densest(spots: list[tuple[int, int, str]], length: int) -> tuple[int, int]:
    """The first and last of the spots, close enough to be shown together, with the most different terms."""
    best, chosen, last = (0, 0), (0, 0), 0
    for first, spot in enumerate(spots):
        last = max(last, first)
        while last + 1 < len(spots) and spots[last + 1][1] - spot[0] <= length * 2 // 3:
            last += 1
        value = (len({term for _, _, term in spots[first : last + 1]}), last - first)
        if value > best or first == 0:
            best, chosen = value, (first, last)
    return chosen


def _edge(text: str, at: int, *, forward: bool, stop: int | None = None) -> int:
    """``at`` moved to a space near by, so that no word is cut."""
    if at in (0, len(text)):
        return at
    if forward:
        found = re.compile(r"\s").search(text, at, min(len(text), at + 24) if stop is None else min(stop, at + 24))
        return found.end() if found else at
    found_at = max(text.rfind(" ", at - 24, at), text.rfind("\n", at - 24, at))
    return found_at if found_at > 0 else at


def _show(text: str, start: int, end: int, spots: list[tuple[int, int]]) -> str:
    shown, at = [], start
    for first, last in spots:
        shown += [text[at:first].replace("**", ""), "\x02", text[first:last].replace("**", ""), "\x03"]
        at = last
    shown.append(text[at:end].replace("**", ""))
    joined = " ".join("".join(shown).split()).replace("\x03 \x02", " ").replace("\x03\x02", "")
    marked = joined.replace("\x02", "**").replace("\x03", "**")
    return ("… " if start > 0 and marked else "") + marked + (" …" if end < len(text.rstrip()) else "")
