"""What is indexed of a text beside its plain words: identifiers whole and split, and pairs of CJK characters.

The full-text tables split at everything that is not a letter or digit, fold case and accents, and stem (Porter). That
loses ``getUserName`` against ``user name``, ``2.14.3`` in ``v2.14.3-rc1`` and every word of a language without spaces.
``derive`` gives the words that bring them back. Pure functions: taking a text out derives the same words again.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

DOT = "\ue000"  # joins the numbers of a version inside one index word; private use, a letter to the tokenizer
_LETTER = (
    "A-Za-z0-9\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02c1"
    "\u0370-\u0373\u0376-\u037d\u0386-\u052f\u1e00-\u1fff"
)
CJK = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
TOKEN = re.compile(rf"[{_LETTER}]+(?:[_.\-/\\:@#~]+[{_LETTER}]+)*(?:\+\+|#)?")
RUN = re.compile(f"[{CJK}]+")
_PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_SEPARATORS = re.compile(r"[_.\-/\\:@#~+]+")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_HEX = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}")
_LONGEST = 160
_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()} | {
    code: chr(code).lower() for code in range(ord("A"), ord("Z") + 1)
}


@cache
def _folds() -> dict[int, str]:
    """One character for one: base letters for accented ones, ASCII for full-width forms."""
    table: dict[int, str] = {}
    for low, high in ((0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x2000), (0xFF01, 0xFF5F)):
        for code in range(low, high):
            base = unicodedata.normalize("NFKD", chr(code)).lower()[:1]
            if base and base != chr(code) and unicodedata.category(base)[0] in "LNPS":
                table[code] = base
    return table


def fold(text: str) -> str:
    """``text`` in lower case without accents, of the same length, so that places found in it hold in the original."""
    return text.lower() if text.isascii() else text.translate(_folds()).lower()


def spaced(text: str) -> str:
    """Folded ``text`` with a space for each ASCII character that is no letter or digit, and one at each end."""
    return f" {(text if text.isascii() else fold(text)).translate(_SPACED)} "


def clean(text: str) -> str:
    """``text`` that SQLite can hold: no NUL, no lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def compose(text: str) -> str:
    """The compatibility form (NFKC), in which full-width letters and split accents are the plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def pieces(name: str) -> list[str]:
    """``getHTTPName_v2`` → get, http, name, v, 2. A hash is one piece."""
    found: list[str] = []
    for part in _SEPARATORS.split(name):
        if part.isdigit() or (part.isalpha() and part.islower()) or _HEX.fullmatch(part):
            found.append(part)
        else:
            found += [piece.lower() for piece in _PIECE.findall(part)]
    return found


def parts(name: str) -> list[str]:
    """``src/getName.py`` → src, getname, py: the words that the tokenizer itself makes of it."""
    return [part for part in _SEPARATORS.split(name.lower()) if part]


def whole(name: str) -> str:
    """One index word for an identifier in any spelling: ``get_user`` and ``getUser`` agree, 2.14 and 21.4 do not."""
    if name.endswith(("++", "#")):
        return name.lower().replace("+", DOT).replace("#", DOT + "h")
    joined, *rest = parts(name)
    for part in rest:
        joined += DOT + part if joined[-1].isdigit() and part[0].isdigit() else part
    return joined


def versions(name: str) -> list[str]:
    """The index words of version numbers inside ``name``: ``v2.14.3-rc1`` → 2.14.3."""
    return [version.replace(".", DOT) for version in _VERSION.findall(name)]


def is_name(token: str) -> bool:
    """Whether ``token`` is more than a plain word: joined, in camelCase, or letters with digits."""
    if token.isalpha():
        return not (token[1:].islower() or token.isupper() or len(token) == 1)
    return not token.isdigit()


def is_hash(token: str) -> bool:
    """Whether ``token`` looks like a commit or content hash, whole or cut short."""
    return _HEX.fullmatch(token) is not None


def pairs(run: str) -> list[str]:
    """Every two neighbouring characters of a CJK run."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=32_768)
def _of_name(name: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The additional index words of an identifier, and its part of the vocabulary."""
    split = pieces(name)
    if name.isalnum():
        return (tuple(split) if len(split) > 1 else ()), _known([name.lower(), *split])
    own = parts(name)
    joined = whole(name)
    extra = [joined]
    if "." in name:
        extra += [version for version in versions(name) if version != joined]
    if "/" in name or "\\" in name:
        extra.append(whole(re.split(r"[/\\]", name)[-1]))
    if split != own and len(split) > 1:
        extra += split
    return tuple(extra), _known(own + split)


def derive(text: str) -> tuple[str, set[str]]:
    """Of ``text`` in its composed form: its additional index words, space between, and its vocabulary.

    The vocabulary is what is worth offering for a misspelt or partial word: folded, 4–32 letters, not hashes.
    """
    extra: list[str] = []
    tokens = list(dict.fromkeys(TOKEN.findall(text)))
    known = {word for word in fold(" ".join(tokens)).split() if 4 <= len(word) <= 32 and word.isalpha()}
    for token in [token for token in tokens if not (token.isalpha() and token[1:].islower())]:
        if is_name(token) and len(token) <= _LONGEST:
            added, inside = _of_name(token)
            extra += added
            known |= inside
    if not text.isascii():
        for run in RUN.findall(text):
            extra += pairs(run)
            extra.append(run[-1])
    return " ".join(extra), known


def _known(inside: list[str]) -> frozenset[str]:
    long = [fold(word) for word in inside if 4 <= len(word) <= 32]
    return frozenset([word for word in long if word.isalpha() or _is_mixed_word(word)])


def _is_mixed_word(word: str) -> bool:
    return word[0].isalpha() and word.isalnum() and sum(map(str.isdigit, word)) <= 3 and not is_hash(word)
