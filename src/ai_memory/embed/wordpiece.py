"""Text to the token ids of uncased BERT, as the MiniLM models were trained on them.

The same ids as the ``tokenizers`` library gives for these models, with text that looks like a special token ("[MASK]")
taken as text. Characters newer than Unicode 8 go by the interpreter's tables, which are newer than that library's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

VOCABULARY = Path(__file__).parent / "data" / "vocab.txt"
CHARS = 16_384  # no text needs more characters than this to fill a window of tokens
_LONGEST_WORD = 100  # a longer one is an unknown word
_WORDS_KEPT = 32_768
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """The tokens of a vocabulary: one a line, the line's number its id. For any thread."""

    def __init__(self, vocabulary: Path = VOCABULARY) -> None:
        tokens = vocabulary.read_text(encoding="utf-8").splitlines()
        self._ids: Mapping[str, int] = {token: i for i, token in enumerate(tokens)}
        self._longest = max(map(len, tokens))
        self._unknown, self._first, self._last = (self._ids[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._cleaned = _Table(_cleaned)
        self._split = _Table(_split)
        self._word = lru_cache(_WORDS_KEPT)(self._pieces)

    def ids(self, text: str, most: int) -> list[int]:
        """The ids of ``text`` between the first and the last mark, ``most`` of them at the highest."""
        room = most - 2
        found = [self._first]
        for word in self.words(text[:CHARS]):
            found += self._word(word)
            if len(found) > room:
                del found[room + 1 :]
                break
        found.append(self._last)
        return found

    def words(self, text: str) -> list[str]:
        """The words of ``text``: folded to lower case without accents; each mark and ideograph is a word of its own."""
        if not text.isascii():
            text = unicodedata.normalize("NFD", text.translate(self._cleaned))
        return [word for word in text.translate(self._split).split(" ") if word]

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start, before = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self._ids.get(before + word[start:end])
                if piece is not None:
                    break
            else:
                return (self._unknown,)
            found.append(piece)
            start, before = end, "##"
        return tuple(found)


class _Table(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        self[code] = found = self._rule(chr(code))
        return found


def _cleaned(char: str) -> str:
    """Control characters go, white space becomes a space, ideographs stand apart."""
    if char in "\t\n\r" or unicodedata.category(char) in ("Zs", "Zl", "Zp"):
        return " "
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    code = ord(char)
    if code >= 0x3400 and any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {char} "
    return char


def _split(char: str) -> str:
    """Lower case; accents go; punctuation stands apart. ASCII comes here without having been cleaned."""
    if char.isascii():
        if char.isalnum():
            return char.lower()
        if char in " \t\n\r":
            return " "
        return f" {char} " if char.isprintable() else ""
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    return f" {char} " if category.startswith("P") else char.lower()
