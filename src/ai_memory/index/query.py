"""What a person typed, as terms to look for. Their text is never full-text syntax: it only stands inside quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ai_memory.index import words
from ai_memory.index.stop import STOP

LONGEST = 2_000
MOST = 32
_QUOTED = re.compile(r'"([^"]{2,200})"|“([^”]{2,200})”|`([^`]{2,200})`')
_PART = re.compile(f"{words.TOKEN.pattern}|[{words.CJK}]+|[^\\W_]+")
_SCRIPT = re.compile(r"[ぁ-ゖゝ-ゟ]+|[ァ-ヺー-ヿㇰ-ㇿ]+|[가-힣]+|[^ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ가-힣]+")
_HIRAGANA = re.compile(r"[ぁ-ゖゝ-ゟ]+")
_ENDINGS = (
    "ational", "ations", "ation", "ments", "ment", "ness", "ities", "ingly", "ings", "ing", "edly", "ies", "ers",
    "ed", "er", "es", "ly", "ity", "ency", "ence", "ent", "cy", "s", "e", "y",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for. ``exact`` and ``looser`` are full-text expressions, to be tried in this order.

    ``needles`` are what a text that holds the term has in its ``words.spaced`` form, ``shown`` is a pattern for places
    to mark in the folded text, ``plain`` are the parts that may be looked up as misspelt words.
    """

    text: str
    exact: str
    looser: tuple[str, ...]
    needles: tuple[str, ...]
    shown: str
    plain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a query, and the whole of it as folded text for exact comparison."""

    terms: tuple[Term, ...]
    literal: str


def parse(text: str) -> Query:
    """The terms of ``text``: quoted phrases, identifiers, CJK, words (stop words only if there is nothing else)."""
    text = words.compose(words.clean(text[:LONGEST])).strip()
    found: dict[str, Term] = {}
    for groups in _QUOTED.findall(text):
        _add(found, _phrase(next(filter(None, groups))))
    stopped: list[Term] = []
    for token in _PART.findall(text):
        if words.RUN.fullmatch(token):
            for term in _cjk(token):
                _add(found, term)
        elif words.fold(token) in STOP and not (token.isupper() and len(token) > 1):
            stopped.append(_word(token))
        elif words.is_name(token):
            _add(found, _name(token))
        else:
            _add(found, _word(token))
    for term in stopped if not found else ():
        _add(found, term)
    literal = " ".join(words.fold(text).split())
    return Query(tuple(found.values()), literal.strip("\"'`?!.,;: "))


def quote(*tokens: str) -> str:
    """A full-text phrase of ``tokens``."""
    return '"' + " ".join(token.replace('"', " ") for token in tokens) + '"'


def extra(token: str) -> str:
    """A full-text expression for one of the extra words."""
    return f"extra : {quote(token)}"


def any_of(expressions: list[str]) -> str:
    """Either of some full-text expressions."""
    return " OR ".join(f"({expression})" for expression in dict.fromkeys(expressions))


def meant(term: Term, instead: list[str]) -> Term:
    """``term`` read as one of some other words."""
    shown = "|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in instead)
    needles = tuple(f" {word} " for word in instead)
    return Term(term.text, any_of([quote(word) for word in instead]), (), needles, shown)


def _add(found: dict[str, Term], term: Term | None) -> None:
    if term is not None and len(found) < MOST:
        found.setdefault(term.exact, term)


def _word(token: str) -> Term:
    folded = words.fold(token)
    looser = (f"{quote(folded)} *",) if len(folded) >= 3 else ()
    stem = stem_of(folded)
    rest = r"(?:s|es)?" if stem == folded else r"[^\W_]{0,7}"
    shown = rf"(?<![^\W_]){re.escape(stem)}{rest}(?![^\W_])"
    needle = f" {stem}" if len(stem) > 3 else f" {stem} "
    return Term(token, quote(folded), looser, (needle,), shown, (folded,))


def _name(token: str) -> Term:
    """An identifier: as one word, as the words it is joined from in either spelling, then cut short, then its parts."""
    joined, own, split = words.whole(token), words.parts(token), words.pieces(token)
    if token.endswith(("++", "#")):
        return Term(token, extra(joined), (quote(*own),), (words.spaced(token)[:-1],), re.escape(token.lower()))
    exact = [quote(joined), quote(*own)]
    if split != own:
        exact.append(quote(*split))
    exact += [quote(version) for version in words.versions(token)]
    looser = []
    if words.is_hash(token.lower()):
        exact = [f"{quote(token.lower())} *"]
        looser += [quote(token[:size].lower()) for size in (12, 10, 8, 7) if len(token) > size]
    else:
        looser.append(f"{quote(joined)} *")
    long = [piece for piece in split if len(piece) > 1]
    if len(long) > 1:
        looser.append(" AND ".join(quote(piece) for piece in long))
    folded = [words.fold(piece) for piece in split]
    plain = tuple(piece for piece in folded if piece.isalpha() and len(piece) > 2)
    if len(own) == 1 and joined.isalnum():
        plain = (words.fold(joined), *plain) if not words.is_hash(joined) else ()
    shown = r"[\W_]{0,2}".join(re.escape(piece) for piece in folded)
    needles = tuple(dict.fromkeys((words.spaced(token)[:-1], "".join(folded), " ".join(folded))))
    return Term(token, any_of(exact), tuple(looser), needles, shown, plain)


def _phrase(text: str) -> Term | None:
    """A quoted phrase; None if it is a single word, which the rest of the parsing handles."""
    tokens = [part for token in _PART.findall(text) for part in words.parts(words.fold(token))]
    if len(tokens) < 2 or words.RUN.search(text):
        return None
    shown = r"[\W_]{1,3}".join(re.escape(token) for token in tokens)
    return Term(text, quote(*tokens), (), (words.spaced(text),), shown)


def _cjk(run: str) -> list[Term]:
    """A run of CJK characters cut where the script changes. Hiragana is grammar, dropped if there is anything else."""
    pieces = _SCRIPT.findall(run)
    kept: list[str] = []
    for i, piece in enumerate(pieces):
        if _HIRAGANA.fullmatch(piece):
            continue
        alone = len(piece) == 1 and i + 1 < len(pieces) and _HIRAGANA.fullmatch(pieces[i + 1])
        kept.append(piece + pieces[i + 1][0] if alone else piece)
    terms = []
    for piece in kept or pieces:
        exact = extra(" ".join(words.pairs(piece))) + (" *" if len(piece) == 1 else "")
        looser = (any_of([extra(pair) for pair in words.pairs(piece)]),) if len(piece) > 2 else ()
        terms.append(Term(piece, exact, looser, (piece,), re.escape(piece)))
    return terms


def stem_of(word: str) -> str:
    """What forms of ``word`` begin with; ``word`` itself if it is short or ends in nothing known."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
