"""What a statement claims, in a shape that can be held against another: its words, its sign, its condition, its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ai_memory.domain import claim_words as words
from ai_memory.domain.statement import Statement

_LONGEST = 300
_WEAK = re.compile(
    # a question, a wish, a plan, a memory, an example, a guess: nothing that holds now
    r"\?\s*$|^\s*(?:who|what|why|how|when|where|which|should|could|can|does|do|is|are|will|would)\b(?! not\b)[^.]{0,200}\?"
    r"|\b(?:used to|was|were|had|previously|formerly|originally|initially|until|no longer than|ago|back then|in the past|"
    r"at first|first attempt|earlier|historically|will|won't|plan(?:s|ned|ning)?|going to|todo|fixme|tbd|wip|"
    r"next (?:week|month|quarter|year|sprint|release)|soon|might|could|would|may|maybe|perhaps|propos(?:e|ed|al)|"
    r"consider(?:ed|ing|s)?|evaluat(?:e|ed|ing)|"
    r"want(?:s|ed)? to|try(?:ing)?|tried|eventually|decided against|instead of|rather than|example|examples|e\.g|i\.e|"
    r"for instance|such as|suppose|assume|about|around|"
    r"roughly|approximately|nearly|almost|usually|often|sometimes|mostly|typically|occasionally|"
    r"not yet|yet|at least|at most|up to|more than|less than|between|either|both)\b|[~≈<>≤≥±]\s?\d|\d\s?(?:×|x\b)|\d\s?±",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|while|during|except|once|only for|in case|as long as|whereas|although|but|because|so that|"
    r"since|depending|provided|otherwise|(?:before|after)(?!\s+(?:\d|an?\b|one\b|two\b|three\b|five\b|ten\b)))\b",
    re.IGNORECASE,
)
_SHORT_FORMS = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bno longer (?=\w)"), "not "),
    (re.compile(r"\b(?:is|are) (?:set|configured|capped|fixed|limited) (?:to|at|as)\b|\bdefaults? to\b|\bset to\b"), "is"),
    (re.compile(r"\b(?:turned|switched) (on|off)\b"), r"\1"),
    (re.compile(r"\b(is|are) on(?= by default\b|[.\s]*$|\s+(?:for|in) )"), r"\1 enabled"),
    (re.compile(r"\b(is|are) off(?= by default\b|[.\s]*$|\s+(?:for|in) )"), r"\1 disabled"),
)
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_TIME = {
    name: seconds
    for names, seconds in (
        ("ms millisecond milliseconds", 0.001), ("s sec secs second seconds", 1), ("m min mins minute minutes", 60),
        ("h hour hours hr hrs", 3600),
        ("d day days", 86_400), ("week weeks", 604_800), ("month months", 2_592_000), ("year years", 31_536_000),
    )
    for name in names.split()
}  # fmt: skip
_SIZE = {"byte": 1, "bytes": 1, "b": 1, "kb": 2**10, "kib": 2**10, "mb": 2**20, "mib": 2**20, "gb": 2**30, "gib": 2**30}
_TOKEN = re.compile(
    r"`(?P<code>[^`]{1,80})`"
    r"|(?P<path>(?<![\w)])(?:https?://|[.~]{0,2}/|[A-Za-z]:\\)[^\s,;|]{1,120}[^\s,;|.)])"
    r"|(?P<version>\bv?\d{1,4}(?:\.\d{1,5}){2,3}\b|\bv\d{1,4}(?:\.\d{1,5}){0,2}\b)"
    r"|(?P<number>(?<![\w#.-])\d{1,3}(?:,\d{3})+|(?<![\w#.-])\d{1,12}(?:\.\d{1,6})?)(?![.:]\d)(?:\s?(?P<unit>%|[A-Za-z]{1,12})(?![\w-]))?"
    r"|(?P<word>[^\W\d_](?:[\w'’/-]|\.(?=\w)){0,60}|#?\w{1,60})"
)
_PAIR = re.compile(r"^\s*[`\"]?(?P<key>[^\s:=|?!][^:=|?!\n]{0,60}?)[`\"]?\s?(?::|=)\s+(?P<value>\S.{0,120})$")
_DETERMINERS = frozenset(["the", "a", "an", "our", "each", "every"])
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "e")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it counts: ("time", seconds), ("size", bytes), ("port", 8080), ("", 3)."""

    of: str
    much: float
    unit: str = ""

    def differs(self, other: Amount) -> bool:
        """Whether both count the same thing and do not agree; sizes in powers of ten and of two agree."""
        close = 0.08 if self.of == "size" and self.unit != other.unit else 1e-9
        return self.of == other.of and abs(self.much - other.much) > close * max(self.much, other.much)


@dataclass(frozen=True, slots=True)
class Term:
    """A word as it counts: ``stem`` to compare, ``text`` as written, in lower case; ``raw`` is its place among all words."""

    stem: str
    text: str
    raw: int
    amount: Amount | None = None
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """``verb`` is the place of the first verb among ``raw`` (-1: none). ``pair`` is a line of the form ``key: value``."""

    terms: tuple[Term, ...]
    raw: tuple[str, ...]
    verb: int
    sign: int
    norm: bool
    condition: frozenset[str]
    pair: bool


@lru_cache(maxsize=4096)
def claim(statement: Statement) -> Claim | None:
    """What ``statement`` claims to hold now, or None if it claims nothing firm."""
    if len(statement.text) > _LONGEST:
        return None
    text = plain(statement.text)
    pair = _pair(text)
    if _WEAK.search(text) or (pair and _passes(pair[0])):
        return None
    if pair:
        text = f"{pair[0]} is {pair[1]}"
    text, condition = _split(text)
    terms, raw, sign, norm = _terms(text)
    verb = next((at for at, word in enumerate(raw) if word in words.VERBS and not (at and raw[at - 1] in _DETERMINERS)), -1)
    return Claim(terms, raw, verb, sign, norm, condition, bool(pair)) if terms else None


def plain(text: str) -> str:
    """``text`` with short forms written out and in the wording that the check knows."""
    text = text.strip().rstrip(".;").replace("’", "'")
    lowered = "".join(part if at % 2 else part.lower() for at, part in enumerate(re.split(r"(`[^`]*`)", text)))
    for pattern, instead in _SHORT_FORMS:
        lowered = pattern.sub(instead, lowered)
    for phrase in words.PHRASES:
        if phrase in lowered:
            lowered = lowered.replace(phrase, phrase.replace(" ", "_"))
    return lowered


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """The words of ``text`` that say which thing is meant."""
    return frozenset(term.stem for term in _terms(plain(text))[0])


def stem(word: str) -> str:
    """The part of a word that its forms share."""
    word = words.SAME.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
    return word


def _pair(text: str) -> tuple[str, str] | None:
    """The key and value of a ``key: value`` line."""
    m = _PAIR.match(text)
    if not m or len(m["value"].split()) > 6:
        return None
    return m["key"].replace("`", ""), m["value"]


def _passes(key: str) -> bool:
    """Whether a key is that of a moment or of a page."""
    return key.strip() in words.KEYS or key.strip().startswith(words.PASSING)


def _split(text: str) -> tuple[str, frozenset[str]]:
    """The claim without its condition, and the words of the condition."""
    m = _CONDITION.search(text)
    if m is None:
        return text, frozenset()
    if not text[: m.start()].strip():
        head, comma, tail = text.partition(",")
        return (tail, stems_of(head)) if comma else ("", frozenset())
    return text[: m.start()], stems_of(text[m.start() :])


def stems_of(text: str) -> frozenset[str]:
    """All words of a condition, with the one that opens it."""
    return frozenset(stem(word) for word in re.findall(r"[\w-]+", text) if word not in ("the", "a", "an"))


def _terms(text: str) -> tuple[tuple[Term, ...], tuple[str, ...], int, bool]:
    terms: list[Term] = []
    raw: list[str] = []
    sign, norm = 1, False
    for m in _TOKEN.finditer(text):
        at = len(raw)
        written = (m["code"] or m.group()).strip().lower()
        raw.append(written)
        if m["number"] or written in _NUMBERS:
            terms.extend(_amount(m, written, at, raw, terms))
        elif m["code"] or m["path"] or m["version"]:
            terms.append(Term(written.removesuffix("()").strip("'\""), written, at, literal=True))
        elif written in ("not", "never", "no", "without"):
            sign, norm = -sign, norm or written == "never"
        elif written in ("always", "must", "should", "shall"):
            norm = True
        elif written not in words.STOP:
            if written in words.OPPOSITES:
                sign, written = -sign, words.OPPOSITES[written]
            terms.append(Term(stem(written), written, at, literal="_" in written and written not in words.KIND))
    return tuple(terms), tuple(raw), sign, norm


def _amount(m: re.Match[str], written: str, at: int, raw: list[str], before: list[Term]) -> list[Term]:
    if not m["number"]:
        return [Term(f"={written}", written, at, Amount("", _NUMBERS[written]))]
    number, unit = float(m["number"].replace(",", "")), (m["unit"] or "").lower()
    if unit in _TIME:
        return [Term(f"={m.group()}", m.group(), at, Amount("time", number * _TIME[unit], unit))]
    if unit in _SIZE:
        return [Term(f"={m.group()}", m.group(), at, Amount("size", number * _SIZE[unit], unit))]
    word = "" if unit in words.STOP or unit in words.VERBS else unit
    found = [Term(f"={m['number']}", m["number"], at, Amount("%" if unit == "%" else "", number, word))]
    if unit and unit != "%":
        raw.append(unit)
        if word or unit in words.VERBS:
            found.append(Term(stem(unit), unit, at + 1))
    return found
