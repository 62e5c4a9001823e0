"""Words for the plain arms: lower case, stop words dropped, endings cut. Fixed, so that their figures stay comparable."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_STOPPED = """
a about above after again against all also am an and any are as at be because been before being below between both but by can
could did do does doing don down during each few for from further get got had has have having he her here hers him his how i
if in into is it its itself just me might more most must my no nor not now of off on once only or other our ours out over own
s same she should so some such t than that the their theirs them then there these they this those through to too under until
up us very was we were what when where which while who whom whose why will with would you your yours
"""
_STOP = frozenset(_STOPPED.split())


def plain(text: str) -> list[str]:
    """The words of ``text``, lower-case, without stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in _STOP]


def stems(text: str) -> list[str]:
    return [_stem(word) for word in plain(text)]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
