"""The question that a text ends with, in any script that marks its questions."""

from __future__ import annotations

import re

from ai_memory.domain import excerpt

_MARKS = "?？؟⸮՞\u037e"
_SENTENCES = re.compile(r"(?<=[.!?？؟⸮՞。！\u037e])\s+|(?<=[。！？])")
_LONGEST = 1_200


def trailing(text: str) -> str:
    """The questions in the last paragraph of ``text`` as one line; empty if it ends without asking anything."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text[-6_000:].strip()) if part.strip()]
    if not paragraphs:
        return ""
    last = paragraphs[-1].strip()
    if last.startswith("```") or not any(mark in last for mark in _MARKS):
        return ""
    sentences = [part.strip(" \t\n*_>-#") for part in _SENTENCES.split(last) if part.strip()]
    asked = [part for part in sentences if part.rstrip("\"'”’»)*_` ").endswith(tuple(_MARKS))]
    return excerpt.line(" ".join(asked[-3:]), _LONGEST)
