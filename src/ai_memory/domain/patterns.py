"""A person's own redaction patterns, held to a bounded cost.

The standard library's ``re`` cannot be interrupted, so a pattern is judged before it is used: its parse tree is walked and
the number of steps that a match can take from one starting point is bounded. What passes is linear in the text.
"""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]
from typing import Any

LENGTH = 512  # characters of one pattern
COUNT = 64  # patterns
STEPS = 1000  # steps from one starting point
_CEILING = 1 << 40
_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT)
_COMPOUND = (*_REPEATS, _parser.SUBPATTERN, _parser.BRANCH, _parser.ATOMIC_GROUP)

_SAMPLE = [chr(n) for n in range(128)] + ["é", "中"]
_EVERY = frozenset(_SAMPLE)


class _Refusal(Exception):
    pass


def compiled(pattern: str, place: int) -> tuple[re.Pattern[str], str]:
    """The pattern ready to use, and a literal that each match of it contains ('' if none is known).

    Raises ValueError with a sentence that names the pattern by ``place`` (from 1) and says what to change.
    """
    name = f"Redaction pattern {place}"
    if not isinstance(pattern, str) or not pattern:
        raise ValueError(f"{name} must be a non-empty text.")
    if len(pattern) > LENGTH:
        raise ValueError(f"{name} has {len(pattern)} characters; write it in at most {LENGTH}.")
    name = f"{name} ({pattern})"
    try:
        ready = re.compile(pattern)
        tree = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{name} is not a valid regular expression: {error}.") from error
    if tree.getwidth()[0] == 0:
        raise ValueError(f"{name} can match nothing at all; make it match at least one character.")
    try:
        cost = _steps(list(tree), _EVERY, 0, last=True)
    except _Refusal as refusal:
        raise ValueError(f"{name} {refusal}.") from None
    if cost > STEPS:
        raise ValueError(
            f"{name} may need {cost} steps at each character; bound its repeats more tightly (write .{{0,40}} for .*), "
            "or separate them with characters that the repeats cannot match."
        )
    fold = bool(ready.flags & re.IGNORECASE)
    return ready, "" if fold else _literal(list(tree))


def _literal(items: list[Any]) -> str:
    best = run = ""
    for op, value in items:
        run = run + chr(value) if op is _parser.LITERAL else ""
        best = max(best, run, key=len)
    return best if len(best) > 2 else ""


def _steps(items: list[Any], after: frozenset[str], rest: int, last: bool) -> int:
    """Steps that a failing match of ``items`` can take from one starting point.

    ``after`` is what may follow them, ``rest`` the steps of what follows; ``last`` says that nothing follows.
    """
    for index in range(len(items) - 1, -1, -1):
        follow = _first(items[index + 1 :], after)
        rest = _one(items[index], follow, rest, last and index == len(items) - 1)
        if rest > _CEILING:
            return rest
    return rest


def _one(item: Any, follow: frozenset[str], rest: int, last: bool) -> int:
    op, value = item
    if op in _REPEATS:
        return _repeat(value, follow, rest, last)
    if op is _parser.SUBPATTERN:
        return _steps(list(value[3]), follow, rest, last)
    if op is _parser.ATOMIC_GROUP:
        return _steps(list(value), follow, rest, last)
    if op is _parser.BRANCH:
        return _branch(value[1], follow, rest, last)
    if op in (_parser.ASSERT, _parser.ASSERT_NOT):
        return _steps(list(value[1]), _EVERY, 0, last=False) + rest
    if op in (_parser.GROUPREF, _parser.GROUPREF_EXISTS):
        raise _Refusal("uses a back-reference, which cannot be bounded in time; write the text out")
    return 1 + rest


def _repeat(value: Any, follow: frozenset[str], rest: int, last: bool) -> int:
    low, high, body = value
    inner = list(body)
    if high > 1 and (len(inner) > 1 or inner[0][0] in _COMPOUND) and _varies(inner):
        raise _Refusal("repeats a part that itself varies; give the inner part a fixed length and no alternatives")
    own = _steps(inner, follow, 0, last=False)
    if last:
        return int(low * own + 1)
    if high is _parser.MAXREPEAT:
        raise _Refusal("has an open-ended repeat (*, + or {n,}) before its end; give it an upper bound, as in {1,64}")
    shared = low != high and bool(_first(inner, frozenset()) & follow)
    return int(high * own + (high - low + 1 if shared else 1) * rest)


def _varies(items: list[Any]) -> bool:
    for op, value in items:
        if op is _parser.BRANCH or (op in _REPEATS and (value[0] != value[1] or _varies(list(value[2])))):
            return True
        if op is _parser.SUBPATTERN and _varies(list(value[3])):
            return True
        if op in (_parser.ATOMIC_GROUP, _parser.ASSERT, _parser.ASSERT_NOT):
            return True
    return False


def _branch(arms: Any, follow: frozenset[str], rest: int, last: bool) -> int:
    seen: frozenset[str] = frozenset()
    shared = False
    for arm in arms:
        first = _first(list(arm), follow)
        shared = shared or bool(first & seen)
        seen |= first
    costs = [_steps(list(arm), follow, rest, last) for arm in arms]
    return sum(costs) if shared else max(costs) + len(costs)


def _first(items: list[Any], after: frozenset[str]) -> frozenset[str]:
    """The characters with which ``items``, followed by ``after``, can begin; both cases of each letter."""
    found: set[str] = set()
    for op, value in items:
        if op in (_parser.AT, _parser.ASSERT, _parser.ASSERT_NOT):
            continue
        if op in _REPEATS:
            found |= _first(list(value[2]), frozenset())
            if value[0] == 0:
                continue
        elif op is _parser.SUBPATTERN:
            found |= _first(list(value[3]), _first(items[1:], after))
        elif op is _parser.ATOMIC_GROUP:
            found |= _first(list(value), after)
        elif op is _parser.BRANCH:
            for arm in value[1]:
                found |= _first(list(arm), after)
        else:
            found |= _atom(op, value)
        return _cased(found)
    return _cased(found | after)


def _atom(op: Any, value: Any) -> set[str]:
    if op is _parser.LITERAL:
        return {chr(value)} if value < 128 else {"é", "中"}
    if op is not _parser.IN:
        return set(_EVERY)
    found: set[str] = set()
    negated = False
    for kind, part in value:
        if kind is _parser.NEGATE:
            negated = True
        elif kind is _parser.LITERAL:
            found |= {chr(part)} if part < 128 else {"é", "中"}
        elif kind is _parser.RANGE:
            found |= {c for c in _SAMPLE if part[0] <= ord(c) <= part[1]} | ({"é", "中"} if part[1] > 127 else set())
        else:
            found |= {c for c in _SAMPLE if _CATEGORY[part].match(c)}
    return set(_EVERY) - {c for c in found if ord(c) < 128} if negated else found


_CATEGORY = {
    _parser.CATEGORY_DIGIT: re.compile(r"\d"),
    _parser.CATEGORY_NOT_DIGIT: re.compile(r"\D"),
    _parser.CATEGORY_SPACE: re.compile(r"\s"),
    _parser.CATEGORY_NOT_SPACE: re.compile(r"\S"),
    _parser.CATEGORY_WORD: re.compile(r"\w"),
    _parser.CATEGORY_NOT_WORD: re.compile(r"\W"),
}


def _cased(found: set[str]) -> frozenset[str]:
    return frozenset(found | {c.swapcase() for c in found if c.isascii()})
