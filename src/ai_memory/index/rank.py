"""Grading what full-text search found: how much of the query a text holds, and how exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ai_memory.index import words
from ai_memory.index.query import Query, Term

_READ = 60_000
_EXACT_TITLE = 0.6
_EXACT_BODY = 0.4
_EXACT_NAME = 0.3
_PAIR = 0.25


class Sought(Protocol):
    """A term as it was looked for."""

    @property
    def term(self) -> Term: ...
    @property
    def how(self) -> str: ...
    @property
    def pattern(self) -> re.Pattern[str]: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A candidate: ``key`` orders equals, ``base`` is its full-text score, above 0."""

    key: tuple[str, str | int]
    title: str
    body: str
    path: str
    base: float


@dataclass(frozen=True, slots=True)
class Grade:
    """The final score, and what it rests on in words."""

    score: float
    why: tuple[str, ...]


def pattern(sought: Sequence[Sought]) -> re.Pattern[str] | None:
    """One pattern for all terms, each a group of its own."""
    if not sought:
        return None
    return re.compile("|".join(f"(?P<t{i}>{each.pattern.pattern})" for i, each in enumerate(sought)))


def grade(asked: Query, sought: Sequence[Sought], texts: Sequence[Text]) -> list[Grade]:
    """The grades of ``texts``, in their order."""
    exact = _standing_alone(asked.literal)
    names = [_standing_alone(words.fold(each.term.text)) for each in sought if words.is_name(each.term.text)]
    pairs = _pairs(asked, sought)
    return [_grade(text, asked, sought, exact, names, pairs) for text in texts]


def _grade(
    text: Text,
    asked: Query,
    sought: Sequence[Sought],
    exact: re.Pattern[str],
    names: list[re.Pattern[str]],
    pairs: list[re.Pattern[str]],
) -> Grade:
    title = words.fold(text.title)
    whole = "\n".join((title, words.fold(text.path), words.fold(text.body[:_READ])))
    held = [each for each in sought if each.pattern.search(whole)]
    why = ["matches " + ", ".join(each.term.text for each in held[:6])] if held else []
    why += [f"{each.term.text} {each.how}" for each in held if each.how]
    bonus = 0.0
    if title and exact.search(title):
        bonus += _EXACT_TITLE
        why.append("exactly in the title")
    elif exact.search(whole):
        bonus += _EXACT_BODY
        why.append("exactly as asked")
    if names:
        bonus += _EXACT_NAME * sum(1 for name in names if name.search(whole)) / len(names)
    if pairs:
        bonus += _PAIR * sum(1 for pair in pairs if pair.search(whole)) / len(pairs)
    share = len(held) / len(asked.terms)
    return Grade(text.base * (0.5 + 0.5 * share) * (1.0 + bonus), tuple(why))


def _standing_alone(literal: str) -> re.Pattern[str]:
    """``literal`` in any spacing, not as a part of something longer."""
    spaced = r"\s+".join(re.escape(part) for part in literal.split()) or r"(?!)"
    before, after = r"(?<![^\W_])(?<![^\W_][\-_./@])", r"(?![^\W_])(?![\-_/@.:][^\W_])"
    if words.RUN.match(literal[:1]):
        before = ""
    if literal and words.RUN.match(literal[-1]):
        after = ""
    return re.compile(before + spaced + after)


def _pairs(asked: Query, sought: Sequence[Sought]) -> list[re.Pattern[str]]:
    """Patterns for terms that stand next to each other in the query."""
    found = []
    for one, two in pairwise(sought):
        beside = re.escape(words.fold(one.term.text)) + r"\W+" + re.escape(words.fold(two.term.text))
        if re.search(beside, asked.literal):
            found.append(re.compile(f"(?:{one.pattern.pattern})[\\W_]{{1,3}}(?:{two.pattern.pattern})"))
    return found
