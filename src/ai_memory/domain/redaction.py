"""The typed boundary: text is ``Redacted`` only if it went through a ``Redactor``.

A redactor matches on a normalised copy of the text (``folding``) and cuts from the original. A cheap scan for literals
decides which rules run at all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NewType

from ai_memory.domain import literals, patterns
from ai_memory.domain.folding import fold
from ai_memory.domain.rule import LOW, MARK, RUN, TEXT, Rule, Span
from ai_memory.domain.rules import RULES

Redacted = NewType("Redacted", str)

Finding = tuple[str, int, int]

DEPTH = 100  # levels of lists and objects that are walked; what lies deeper is replaced whole
SHORTEST_ALLOWED = 4  # characters of an allow-list entry
_ROUNDS = 8
_BEFORE = 20  # characters before a run in which its needle may stand
_LONG = b"a" * 20
_RUNS = bytes(97 if chr(n).isalnum() and n < 128 or chr(n) in "_-" else 32 for n in range(256))


def _by_needle(where: str) -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    found: dict[str, list[Rule]] = {}
    for rule in RULES:
        if rule.where == where:
            for needle in rule.needles:
                found.setdefault(needle, []).append(rule)
    return tuple((needle, tuple(rules)) for needle, rules in found.items())


_IN_RUNS = tuple((needle.encode(), rules) for needle, rules in _by_needle(RUN))
_IN_LOW = _by_needle(LOW)
_IN_TEXT = _by_needle(TEXT)


@lru_cache(maxsize=512)
def _ready(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _lower(text: str) -> str:
    """Lower case at the same offsets: one letter of Unicode becomes two in lower case."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("\u0130", "I").lower()


def _active(text: str, low: str) -> tuple[Rule, ...]:
    """The rules one of whose needles is present."""
    found: dict[str, Rule] = {}
    runs = _runs(text)
    if runs:
        for needle, rules in _IN_RUNS:
            if needle in runs:
                found.update((rule.id, rule) for rule in rules)
    for table, hay in ((_IN_TEXT, text), (_IN_LOW, low)):
        for word, rules in table:
            if word in hay:
                found.update((rule.id, rule) for rule in rules)
    return tuple(found.values())


def _runs(text: str) -> bytes:
    """The unbroken runs that are long enough for a token, each with what stands before it."""
    plain = text.encode("ascii", "replace")
    mask = plain.translate(_RUNS)
    first = mask.find(_LONG)
    if first < 0:
        return b""
    kept: list[bytes] = []
    while first >= 0:
        last = mask.find(b" ", first + 20)
        if last < 0:
            last = len(mask)
        kept.append(plain[max(0, first - _BEFORE) : last])
        first = mask.find(_LONG, last)
    return b" ".join(kept)


def _matches(rule: Rule, text: str, low: str) -> Iterable[Span]:
    if rule.scan:
        yield from rule.scan(text, low)
        return
    for match in _ready(rule.pattern).finditer(low if rule.where == LOW else text):
        group = match.lastgroup or 0
        first, last = match.span(group)
        if not rule.check or rule.check(text[first:last]):
            yield first, last


@dataclass(frozen=True)
class Redactor:
    """``extra``: a person's own regular expressions. ``allow``: a match that contains one of these texts is left alone.

    Raises ValueError, with a sentence that says what to change, on a pattern or an entry that cannot be used.
    """

    extra: Sequence[str] = ()
    allow: Sequence[str] = ()
    _own: tuple[tuple[str, re.Pattern[str], str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.extra, str) or isinstance(self.allow, str):
            raise ValueError("Redaction patterns and the allow-list are lists of texts; put the text in a list.")
        extra, allow = tuple(self.extra), tuple(self.allow)
        if len(extra) > patterns.COUNT:
            raise ValueError(f"There are {len(extra)} redaction patterns; keep at most {patterns.COUNT}.")
        for place, entry in enumerate(allow, 1):
            if not isinstance(entry, str) or len(entry.strip()) < SHORTEST_ALLOWED:
                raise ValueError(f"Allow-list entry {place} ({entry!r}) must be a text of at least {SHORTEST_ALLOWED} characters.")
        own = [(f"own-{place}", *patterns.compiled(pattern, place)) for place, pattern in enumerate(extra, 1)]
        object.__setattr__(self, "extra", extra)
        object.__setattr__(self, "allow", allow)
        object.__setattr__(self, "_own", tuple(own))

    def text(self, text: str) -> Redacted:
        """``text`` with each secret replaced by the mark; all else is unchanged."""
        if len(text) < SHORTEST_ALLOWED and not self._own:
            return Redacted(text)
        copy = fold(text).text
        return Redacted(self._cut(text, _active(copy, _lower(copy))))

    def found(self, text: str) -> list[Finding]:
        """(rule, start, end) of each secret in ``text``, sorted; places of different rules may overlap."""
        copy = fold(text).text
        return self._findings(text, _active(copy, _lower(copy)))

    def value(self, value: Any) -> Any:
        """A JSON value with each secret in its texts and keys replaced, also one known only by the key beside it."""
        copy = fold("\n".join(_texts(value))).text
        active = _active(copy, _lower(copy))
        return self._walk(value, active, "", 0) if active or self._own else value

    def _walk(self, value: Any, active: tuple[Rule, ...], kind: str, depth: int) -> Any:
        """``kind`` is the class of secret that the name beside ``value`` announces."""
        if isinstance(value, str):
            return self._one(value, active, kind)
        if isinstance(value, dict):
            return self._object(value, active, kind, depth + 1) if depth < DEPTH else MARK
        if isinstance(value, list | tuple):
            return self._list(value, active, kind, depth + 1) if depth < DEPTH else MARK
        if kind == literals.PASSWORD and isinstance(value, int) and not isinstance(value, bool) and abs(value) > 999:
            return MARK
        return value

    def _one(self, text: str, active: tuple[Rule, ...], kind: str) -> str:
        if kind and literals.quoted(text, kind) and not self._allowed(text):
            return MARK
        return self._cut(text, active)

    def _object(self, value: dict[Any, Any], active: tuple[Rule, ...], kind: str, depth: int) -> dict[Any, Any]:
        label = value.get("name", value.get("key"))
        beside = literals.classify(label) if isinstance(label, str) and len(label) < 128 else ""
        out: dict[Any, Any] = {}
        for key, inner in value.items():
            announced = ""
            name = key
            if isinstance(key, str):
                name = _free(self._cut(key, active), key, out)
                announced = literals.classify(key) if len(key) < 128 else ""
                if key in ("value", "Value"):
                    announced = announced or beside or kind
            out[name] = self._walk(inner, active, announced, depth)
        return out

    def _list(self, value: Sequence[Any], active: tuple[Rule, ...], kind: str, depth: int) -> list[Any]:
        out = []
        flag = ""
        for inner in value:
            out.append(self._walk(inner, active, kind or flag, depth))
            flag = literals.classify(inner) if isinstance(inner, str) and inner[:2] == "--" and len(inner) < 64 else ""
        return out

    def _cut(self, text: str, active: tuple[Rule, ...]) -> str:
        for _ in range(_ROUNDS):
            spans = _merged([(first, last) for _, first, last in self._findings(text, active)])
            if not spans:
                break
            pieces: list[str] = []
            done = 0
            for first, last in spans:
                pieces += (text[done:first], MARK)
                done = last
            pieces.append(text[done:])
            text = "".join(pieces)
        return text

    def _findings(self, text: str, active: tuple[Rule, ...]) -> list[Finding]:
        if not text or not (active or self._own):
            return []
        folded = fold(text)
        copy, low = folded.text, _lower(folded.text)
        marks = _marks(text)
        found: list[Finding] = []
        for rule in active:
            for first, last in _matches(rule, copy, low):
                self._note(rule.id, (folded.start(first), folded.end(last)), text, marks, found)
        for id, pattern, literal in self._own:
            if literal in copy:
                for match in pattern.finditer(copy):
                    first, last = match.span()
                    self._note(id, (folded.start(first), folded.end(last)), text, marks, found)
        return sorted(found, key=lambda finding: finding[1:])

    def _note(self, id: str, span: Span, text: str, marks: list[Span], found: list[Finding]) -> None:
        first, last = span
        if last <= first or self._allowed(text[first:last]):
            return
        if marks:
            first, last = _beside(first, last, marks)
            if not text[first:last].replace(MARK, "").strip():
                return
        found.append((id, first, last))

    def _allowed(self, secret: str) -> bool:
        return any(entry in secret for entry in self.allow)


def _texts(value: Any) -> list[str]:
    found: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return found


def _free(name: str, key: str, taken: dict[Any, Any]) -> str:
    """A redacted key that no other key of the object has."""
    if name == key or name not in taken:
        return name
    count = 2
    while f"{name} {count}" in taken:
        count += 1
    return f"{name} {count}"


def _marks(text: str) -> list[Span]:
    found: list[Span] = []
    at = text.find(MARK)
    while at >= 0:
        found.append((at, at + len(MARK)))
        at = text.find(MARK, at + len(MARK))
    return found


def _beside(first: int, last: int, marks: list[Span]) -> Span:
    """The span, widened over the marks that it cuts into."""
    at = bisect_right(marks, (first, first + len(MARK))) - 1
    if at >= 0 and marks[at][1] > first:
        first = marks[at][0]
    at = bisect_right(marks, (last, 0)) - 1
    if at >= 0 and marks[at][1] > last:
        last = marks[at][1]
    return first, last


def _merged(spans: list[Span]) -> list[Span]:
    out: list[Span] = []
    for first, last in sorted(spans):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out
