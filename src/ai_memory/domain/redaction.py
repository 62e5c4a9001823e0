"""The typed boundary: text is ``Redacted`` only if it went through a ``Redactor``.

A redactor matches on a normalised copy of the text (``folding``) and cuts from the original. A cheap scan for literals
decides which rules run at all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NewType

from ai_memory.domain import literals, patterns
from ai_memory.domain.folding import Folded, fold
from ai_memory.domain.rule import LOW, MARK, RUN, TEXT, Rule, Span
from ai_memory.domain.rules import RULES

Redacted = NewType("Redacted", str)

Finding = tuple[str, int, int]

DEPTH = 100  # levels of lists and objects that are walked; what lies deeper is replaced whole
SHORTEST_ALLOWED = 4  # characters of an allow-list entry
_ROUNDS = 8
_NAME = 128  # characters of a key that may announce a secret
_BETWEEN = "\n\x01\n"  # no rule reaches across it
_BEFORE = 20  # characters before a run in which its needle may stand
_LONG = b"a" * 16
_RUNS = bytes(97 if (n < 128 and chr(n).isalnum()) or chr(n) in "_-" else 32 for n in range(256))


# Words that many needles contain: where one is absent, the longer needles are not looked for.
_STEMS = ("pass", "token", "secret", "key", "auth", "sig", "hook", "pwd", "set", "env", "login", "bearer", "~", "K")

Table = tuple[tuple[str, tuple[Rule, ...]], ...]


def _by_needle(where: str) -> dict[str, Table]:
    """stem -> (needle, rules); a needle without a stem is its own."""
    found: dict[str, dict[str, list[Rule]]] = {}
    for rule in RULES:
        for needle in rule.needles if rule.where == where else ():
            stem = next((stem for stem in _STEMS if stem in needle), needle)
            found.setdefault(stem, {}).setdefault(needle, []).append(rule)
    return {stem: tuple((needle, tuple(rules)) for needle, rules in table.items()) for stem, table in found.items()}


_IN_LOW = _by_needle(LOW)
_IN_TEXT = _by_needle(TEXT)
_IN_RUNS = {needle: rules for table in _by_needle(RUN).values() for needle, rules in table}


@lru_cache(maxsize=1)
def _run_needles() -> re.Pattern[str]:
    """The needles as one prefix tree: sets of first letters, which a scan can reject quickly."""
    root: dict[str, Any] = {}
    for needle in _IN_RUNS:
        node = root
        for char in needle:
            node = node.setdefault(char, {})
        node[""] = {}
    return re.compile(_branches(root))


def _branches(node: dict[str, Any]) -> str:
    arms = [re.escape(char) + _branches(inner) for char, inner in sorted(node.items(), reverse=True) if char]
    return "(?:" + "|".join(arms) + ("|)" if "" in node else ")") if arms else ""


def _in_runs(runs: str) -> Iterator[Rule]:
    at = 0
    while match := _run_needles().search(runs, at):
        needle = match.group()
        for length in range(2, len(needle) + 1):
            yield from _IN_RUNS.get(needle[:length], ())
        at = match.start() + 1


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
        found.update((rule.id, rule) for rule in _in_runs(runs))
    for stems, hay in ((_IN_TEXT, text), (_IN_LOW, low)):
        for stem, table in stems.items():
            if stem in hay:
                for word, rules in table:
                    if word is stem or word in hay:
                        found.update((rule.id, rule) for rule in rules)
    return tuple(found.values())


def _runs(text: str) -> str:
    """The unbroken runs that are long enough for a token, each with what stands before it."""
    plain = text.encode("ascii", "replace")
    mask = plain.translate(_RUNS)
    first = mask.find(_LONG)
    if first < 0:
        return ""
    kept: list[bytes] = []
    while first >= 0:
        last = mask.find(b" ", first + 16)
        if last < 0:
            last = len(mask)
        kept.append(plain[max(0, first - _BEFORE) : last])
        first = mask.find(_LONG, last)
    return b" ".join(kept).decode("ascii")


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
                least = f"at least {SHORTEST_ALLOWED} characters"
                raise ValueError(f"Allow-list entry {place} ({entry!r}) must be a text of {least}.")
        own = [(f"own-{place}", *patterns.compiled(pattern, place)) for place, pattern in enumerate(extra, 1)]
        object.__setattr__(self, "extra", extra)
        object.__setattr__(self, "allow", allow)
        object.__setattr__(self, "_own", tuple(own))

    def text(self, text: str) -> Redacted:
        """``text`` with each secret replaced by the mark; all else is unchanged."""
        if len(text) < SHORTEST_ALLOWED and not self._own:
            return Redacted(text)
        folded = fold(text)
        low = _lower(folded.text)
        active = _active(folded.text, low)
        findings = self._findings(text, active, folded, low)
        return Redacted(self._cut(_without(text, findings), active)) if findings else Redacted(text)

    def found(self, text: str) -> list[Finding]:
        """(rule, start, end) of each secret in ``text``, sorted; places of different rules may overlap."""
        folded = fold(text)
        low = _lower(folded.text)
        return self._findings(text, _active(folded.text, low), folded, low)

    def value(self, value: Any) -> Any:
        """A JSON value with each secret in its texts and keys replaced, also one known only by the key beside it."""
        texts, named = _texts(value)
        whole = _BETWEEN.join(texts)
        folded = fold(whole)
        low = _lower(folded.text)
        active = _active(folded.text, low)
        if not named and not self._own_near(folded.text) and not self._findings(whole, active, folded, low):
            return value
        return self._walk(value, active, "", 0)

    def _own_near(self, copy: str) -> bool:
        return any(literal in copy for _, _, literal in self._own)

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
        beside = _announces(label)
        out: dict[Any, Any] = {}
        for key, inner in value.items():
            announced = ""
            name = key
            if isinstance(key, str):
                name = _free(self._cut(key, active), key, out)
                announced = _announces(key)
                if key in ("value", "Value"):
                    announced = announced or beside or kind
            out[name] = self._walk(inner, active, announced, depth)
        return out

    def _list(self, value: Sequence[Any], active: tuple[Rule, ...], kind: str, depth: int) -> list[Any]:
        out = []
        flag = ""
        for inner in value:
            out.append(self._walk(inner, active, kind or flag, depth))
            flag = literals.classify(inner) if isinstance(inner, str) and inner[:2] == "--" and len(inner) < _NAME else ""
        return out

    def _cut(self, text: str, active: tuple[Rule, ...]) -> str:
        if not text or not (active or self._own):
            return text
        for _ in range(_ROUNDS):
            folded = fold(text)
            findings = self._findings(text, active, folded, _lower(folded.text))
            if not findings:
                break
            text = _without(text, findings)
        return text

    def _findings(self, text: str, active: tuple[Rule, ...], folded: Folded, low: str) -> list[Finding]:
        copy = folded.text
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


def _texts(value: Any) -> tuple[list[str], bool]:
    """All texts and keys in ``value``, and whether a name in it may announce a secret beside it, or it is very deep."""
    found: list[str] = []
    named = False
    level = [value]
    depth = 0
    while level:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                found.append(item)
                if item[:2] == "--" and len(item) < _NAME and literals.classify(item):
                    named = True
            elif isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
                if not named:
                    named = "value" in item or "Value" in item or any(_announces(key) for key in item)
            elif isinstance(item, list | tuple):
                inner.extend(item)
        level = inner
        depth += 1
    return found, named or depth > DEPTH


def _announces(key: Any) -> str:
    """The class of secret that a key announces, or ''."""
    return literals.classify(key) if isinstance(key, str) and len(key) < _NAME else ""


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


def _without(text: str, findings: list[Finding]) -> str:
    """``text`` with one mark for each stretch that findings cover or join."""
    pieces: list[str] = []
    done = 0
    first, last = findings[0][1:]
    for _, begin, end in findings[1:]:
        if begin > last:
            pieces += (text[done:first], MARK)
            done, first, last = last, begin, end
        else:
            last = max(last, end)
    return "".join((*pieces, text[done:first], MARK, text[last:]))
