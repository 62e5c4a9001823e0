"""Grading what full-text search found: how much of the query a text holds, and how exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ai_memory.index import words
from ai_memory.index.query import Query, Term

_READ = 40_000
_EXACT_TITLE = 0.6
_EXACT_BODY = 0.4
_EXACT_NAME = 0.3
_PAIR = 0.25


@dataclass(frozen=True, slots=True)
class Sought:
    """A term in the form that finds something: ``match`` is its full-text expression, ``how`` says how it was read.

    ``weight`` is larger the fewer texts of the scope hold it. A ``common`` one is in most of many.
    """

    term: Term
    match: str
    how: str
    weight: float
    common: bool


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
    """The score, and what it rests on in words.

    ``share`` of the query's weight is held by the text, from 0 to 1; ``bonus`` is above 0 where it holds it exactly.
    """

    score: float
    why: tuple[str, ...]
    share: float = 0.0
    bonus: float = 0.0


@dataclass(frozen=True, slots=True)
class _Exact:
    """A literal to be found standing alone; ``needle`` is in the spaced form of every text that has it."""

    needle: str
    literal: str

    def inside(self, spaced: str, folded: str) -> bool:
        return self.needle in spaced and _standing_alone(self.literal).search(folded) is not None


def weight(texts: int, all_texts: int) -> float:
    """The inverse document frequency of a term that ``texts`` of ``all_texts`` hold; above 0."""
    return math.log(1.0 + (max(all_texts, texts) - texts + 0.5) / (texts + 0.5))


def shown(sought: Sequence[Sought]) -> re.Pattern[str] | None:
    """One pattern for the places to mark, each term a group of its own."""
    if not sought:
        return None
    return re.compile("|".join(f"(?P<t{i}>{each.term.shown})" for i, each in enumerate(sought)))


def grade(asked: Query, sought: Sequence[Sought], missing: float, texts: Sequence[Text]) -> list[Grade]:
    """The grades of ``texts``, in their order. ``missing`` is the weight of the terms that occur nowhere."""
    exact = _Exact(_needle(asked.literal), asked.literal)
    literals = [words.fold(each.term.text) for each in sought if words.is_name(each.term.text)]
    names = [_Exact(_needle(literal), literal) for literal in literals]
    pairs = _pairs(asked, sought)
    total = sum(each.weight for each in sought) + missing
    return [_grade(text, sought, total, exact, names, pairs) for text in texts]


def _grade(
    text: Text, sought: Sequence[Sought], total: float, exact: _Exact, names: list[_Exact], pairs: list[str]
) -> Grade:
    whole = f"{text.title}\n{text.path}\n{text.body[:_READ]}"
    spaced = words.spaced(whole)
    held = [each for each in sought if any(needle in spaced for needle in each.term.needles)]
    why = ["matches " + ", ".join(each.term.text for each in held[:6])] if held else []
    why += [f"{each.term.text} {each.how}" for each in held if each.how]
    bonus = 0.0
    if exact.inside(spaced, words.fold(whole)):
        in_title = exact.inside(words.spaced(text.title), words.fold(text.title))
        bonus += _EXACT_TITLE if in_title else _EXACT_BODY
        why.append("exactly in the title" if in_title else "exactly as asked")
    if names:
        folded = words.fold(whole)
        bonus += _EXACT_NAME * sum(1 for name in names if name.inside(spaced, folded)) / len(names)
    if pairs:
        bonus += _PAIR * sum(1 for pair in pairs if pair in spaced) / len(pairs)
    share = _share(held, sought, total, text.base > 0)
    return Grade(text.base * (0.5 + 0.5 * share) * (1.0 + bonus), tuple(why), share, bonus)


def _share(held: Sequence[Sought], sought: Sequence[Sought], total: float, found: bool) -> float:
    """How much of the query's weight a text holds, from 0 to 1.

    Full-text search may know a form of a word that its needle misses: what it ``found`` holds one of the terms at least.
    """
    least = min((each.weight for each in sought), default=0.0) if found else 0.0
    return max(sum(each.weight for each in held), least) / total if total else 0.0


def _needle(literal: str) -> str:
    """What the spaced form of a text that has ``literal`` in any spacing contains for certain: its longest word."""
    return max(words.spaced(literal).split(), key=len, default="\0")


def _standing_alone(literal: str) -> re.Pattern[str]:
    """``literal`` in any spacing, not as a part of something longer."""
    spaced = r"\s+".join(re.escape(part) for part in literal.split())
    before, after = r"(?<![^\W_])(?<![^\W_][\-_./@])", r"(?![^\W_])(?![\-_/@.:][^\W_])"
    if words.RUN.match(literal[:1]):
        before = ""
    if words.RUN.match(literal[-1:]):
        after = ""
    return re.compile(before + spaced + after)


def _pairs(asked: Query, sought: Sequence[Sought]) -> list[str]:
    """What the spaced form of a text contains that has two neighbouring terms of the query side by side."""
    spaced = words.spaced(asked.literal)
    both = (words.spaced(one.term.text)[:-1] + words.spaced(two.term.text) for one, two in pairwise(sought))
    return [pair for pair in both if pair in spaced]
