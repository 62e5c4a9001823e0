"""Whether two statements about one thing can both hold, told from their words alone.

The check is made to be right when it speaks: it compares statements that say the same but for one value or one "not".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ai_memory.domain import claim_words as words
from ai_memory.domain import replaced
from ai_memory.domain.claim import Claim, Term, claim, stem, stems
from ai_memory.domain.statement import Statement, statements

__all__ = ["Finding", "Statement", "compare", "find", "statements"]

_LONGEST_VALUE = 3  # words
_MOST_APART = 5  # words that one of two statements may have alone


@dataclass(frozen=True, slots=True)
class Finding:
    """``kind`` is "value", "polarity" or "replaced". ``was`` and ``now`` are what each says of ``subject``."""

    kind: str
    subject: str
    one: Statement
    other: Statement
    said: str
    against: str


def compare(a: Statement, b: Statement) -> Finding | None:
    """Why ``a`` and ``b`` cannot both hold, or None. The order makes no difference but for the order of the answer."""
    if a.text == b.text or not _places_agree(a, b):
        return None
    if subject := replaced.clash(a, b):
        return Finding("replaced", subject, a, b, "no longer used", "used")
    if subject := replaced.clash(b, a):
        return Finding("replaced", subject, a, b, "used", "no longer used")
    one, other = claim(a), claim(b)
    if one is None or other is None or one.condition != other.condition or one.norm != other.norm or one.pair != other.pair:
        return None
    shared = frozenset(term.stem for term in one.terms) & frozenset(term.stem for term in other.terms)
    if not _same_subject(one, other, shared, a, b):
        return None
    return _polarity(one, other, shared, a, b) if one.sign != other.sign else _value(one, other, shared, a, b)


def find(one: Sequence[Statement], other: Sequence[Statement]) -> tuple[Finding, ...]:
    """Each contradiction between two sets of statements; for those of one page among themselves give it twice.

    Compared are only statements that share all words but a few.
    """
    by_word: dict[str, list[int]] = defaultdict(list)
    sizes: dict[int, int] = {}
    for at, statement in enumerate(other):
        if _speaks(statement):
            sizes[at] = len(stems(statement.text))
            for word in stems(statement.text):
                by_word[word].append(at)
    found: list[Finding] = []
    for statement in one:
        own = stems(statement.text) if _speaks(statement) else frozenset()
        shared = Counter(at for word in own for at in by_word.get(word, ()))
        for at, count in sorted(shared.items()):
            near = max(len(own), sizes[at]) - count <= _MOST_APART and other[at] is not statement
            if near and (finding := compare(statement, other[at])):
                found.append(finding)
    return tuple(found)


def _speaks(statement: Statement) -> bool:
    return claim(statement) is not None or replaced.gone(statement) is not None


def _places_agree(a: Statement, b: Statement) -> bool:
    """Whether the pages' headings speak of one environment."""
    return not a.topic or not b.topic or stems(a.topic) & _ENVIRONMENTS == stems(b.topic) & _ENVIRONMENTS


def _same_subject(one: Claim, other: Claim, shared: frozenset[str], a: Statement, b: Statement) -> bool:
    if one.pair and a.topic and b.topic:
        apart = _heading(a) != _heading(b) and not any(term.literal and term.stem in shared for term in one.terms)
        if apart or _title(a) == _title(b):
            return False
    named = [term for term in one.terms if term.stem in shared and not term.amount]
    if len(named) < 2 and not any(term.literal or "_" in term.text for term in named):
        return False
    nouns = [term for term in named if term.text not in words.VERBS or 0 <= term.raw < one.verb]
    if special := {term.stem for term in nouns} - _GENERIC:
        about, against = stems(a.topic) - _GENERIC, stems(b.topic) - _GENERIC
        # One plain word is enough only where the pages' titles say that both mean the same by it.
        known = len(special) > 1 or any(term.literal for term in nouns) or special & (about | against) or about & against
        return bool(known) or not (a.topic and b.topic)
    return _heading(a) == _heading(b) if a.topic and b.topic else len(nouns) > 1


def _heading(statement: Statement) -> frozenset[str]:
    return stems(statement.topic.rpartition(" > ")[2])


def _title(statement: Statement) -> str:
    return statement.topic.partition(" > ")[0]


def _polarity(one: Claim, other: Claim, shared: frozenset[str], a: Statement, b: Statement) -> Finding | None:
    for term in (*one.terms, *other.terms):
        if term.stem not in shared and term.stem not in _VACUOUS:
            return None
    if len([word for word in shared if word not in _VACUOUS]) < 2 - (len(one.terms) == 1):
        return None
    first, second = ("is so", "is not so") if one.sign > 0 else ("is not so", "is so")
    return Finding("polarity", _subject(one, shared), a, b, first, second)


def _value(one: Claim, other: Claim, shared: frozenset[str], a: Statement, b: Statement) -> Finding | None:
    mine, theirs = _segment(one, shared), _segment(other, shared)
    if one.sign < 0 or not mine or not theirs:
        return None
    if _amounts_clash(one, mine, theirs) or _named_clash(one, other, mine, theirs, shared):
        return Finding("value", _subject(one, shared), a, b, _words(mine), _words(theirs))
    return None


def _segment(claim: Claim, shared: frozenset[str]) -> tuple[Term, ...]:
    """The words that only this claim has, if they stand together and are few; else nothing."""
    own = [at for at, term in enumerate(claim.terms) if term.stem not in shared]
    if own and (own[-1] - own[0] + 1 != len(own)):
        own = [at for at in own if claim.terms[at].stem not in _VACUOUS]
    elif len(own) > 1:
        kept = [at for at in own if claim.terms[at].stem not in _VACUOUS]
        own = kept if kept and kept[-1] - kept[0] + 1 == len(kept) else own
    if not own or len(own) > _LONGEST_VALUE or own[-1] - own[0] + 1 != len(own):
        return ()
    return tuple(claim.terms[at] for at in own)


def _amounts_clash(claim: Claim, mine: tuple[Term, ...], theirs: tuple[Term, ...]) -> bool:
    if len(mine) != 1 or len(theirs) != 1:
        return False
    first, second = mine[0].amount, theirs[0].amount
    if first is None or second is None or not first.differs(second):
        return False
    if any(term.text in words.MEASURED or term.stem in words.MEASURED for term in claim.terms):
        return False
    before = claim.raw[mine[0].raw - 1] if mine[0].raw else ""
    plain = not first.of and not first.unit and before in words.PREPOSITIONS
    many = any(term.stem in _MANY for term in claim.terms if claim.verb <= term.raw < mine[0].raw)
    if before in words.NUMBERED or (many and plain) or _joined(claim, mine):
        return False
    version = first.of == first.unit == "" and _is_product(before)
    need = any(term.stem in _REQUIREMENTS for term in claim.terms)
    return need and not claim.pair if version else mine[0].raw > claim.verb >= 0


def _named_clash(one: Claim, other: Claim, mine: tuple[Term, ...], theirs: tuple[Term, ...], shared: frozenset[str]) -> bool:
    if any(term.amount for term in (*mine, *theirs)) or not 0 <= one.verb < mine[0].raw or not 0 <= other.verb < theirs[0].raw:
        return False
    if _joined(one, mine) or _joined(other, theirs):
        return False
    verbs = {term.stem for term in one.terms if term.stem in shared and term.raw < mine[0].raw}
    if any(term.stem in _MANY for term in one.terms if one.verb <= term.raw < mine[0].raw):
        return False
    if len(mine) == len(theirs) == 1 and _kinds(mine[0]) & _kinds(theirs[0]):
        return True
    return _governed(one, mine, verbs) and _governed(other, theirs, verbs)


def _kinds(term: Term) -> frozenset[int]:
    return words.KIND.get(term.text) or words.KIND.get(term.text.removesuffix("s")) or _NONE


def _governed(claim: Claim, value: tuple[Term, ...], before: set[str]) -> bool:
    """Whether the words before the value say that there is one of it."""
    at = value[0].raw - 1
    while at >= 0 and claim.raw[at] in ("the", "a", "an", "our", "its"):
        at -= 1
    if at < 0:
        return False
    word, after = claim.raw[at], claim.raw[value[-1].raw + 1 : value[-1].raw + 2]
    if after and after[0] not in words.PREPOSITIONS and after[0] not in ("for", "of"):
        return False
    if word in words.PREPOSITIONS and at >= 1:
        passive = re.fullmatch(r"\w{2,}(?:ed|en|wn|lt|nt|ut|pt|ld|it)", claim.raw[at - 1])
        return bool(passive and claim.verb < at - 1) or stem(claim.raw[at - 1]) in _ONE_VERBS
    if word in ("is", "are", "equals"):
        nouns = before & (_ONE_NOUNS | {"default"})
        return bool(nouns) or all(term.literal for term in value)
    return stem(word) in _ONE_VERBS


def _joined(claim: Claim, value: tuple[Term, ...]) -> bool:
    """Whether the value is one of a list."""
    around = claim.raw[max(value[0].raw - 1, 0) : value[-1].raw + 2]
    return bool({"and", "or", "plus"} & set(around))


def _is_product(word: str) -> bool:
    known = word in words.VERBS or word in words.STOP or word in words.ATTRIBUTES
    return not known and bool(re.fullmatch(r"[a-z][a-z+#.-]*", word))


def _subject(claim: Claim, shared: frozenset[str]) -> str:
    return " ".join(dict.fromkeys(term.text for term in claim.terms if term.stem in shared))


def _words(terms: tuple[Term, ...]) -> str:
    return " ".join(term.text for term in terms)


def _stemmed(names: frozenset[str]) -> frozenset[str]:
    return frozenset(stem(name) for name in names)


_NONE: frozenset[int] = frozenset()
_GENERIC, _VACUOUS = _stemmed(words.GENERIC), _stemmed(words.VACUOUS)
_MANY, _ONE_VERBS, _ONE_NOUNS = _stemmed(words.MANY), _stemmed(words.ONE_VERBS), _stemmed(words.ONE_NOUNS)
_ENVIRONMENTS = _stemmed(words.ENVIRONMENTS)
_REQUIREMENTS = _stemmed(words.REQUIREMENTS)
