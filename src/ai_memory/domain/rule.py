"""One redaction rule: what to look for, and the samples that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

MARK = "[REDACTED]"

RUN = "run"  # needle stands in, or up to twenty characters before, an unbroken run of 16 or more of A-Z a-z 0-9 _ -
LOW = "low"  # needle stands anywhere in the text in lower case
TEXT = "text"  # needle stands anywhere in the text as it is

Span = tuple[int, int]
Sample = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule runs only where one of its ``needles`` is present.

    It cuts the group ``secret`` of ``pattern``, or the whole match, where ``check`` agrees; or what ``scan`` yields for
    (text, text in lower case). ``shape`` is a plain pattern of the secret alone: tests make secrets from it.
    ``cuts`` are (text before, secret, text after): the secret goes, the rest stays. ``keeps`` are left alone.
    """

    id: str
    needles: tuple[str, ...]
    cuts: tuple[Sample, ...]
    keeps: tuple[str, ...]
    pattern: str = ""
    shape: str = ""
    where: str = RUN
    check: Callable[[str], bool] | None = None
    scan: Callable[[str, str], Iterator[Span]] | None = None


# Material for samples. No whole secret stands in these files: prefix and body meet only when the program runs.
HEX = "9f86d081884c7d659a2feaa0c55ad015" * 8
ALNUM = "q7Rt2Zk9Wd4Xv8Lm1Bn6Pc3Hs5Jf0Gy" * 8
LOWER = "q7rt2zk9wd4xv8lm1bn6pc3hs5jf0gya" * 8
UPPER = "Q7RT2ZK9WD4XV8LM1BN6PC3HS5JF0GYA" * 8
UUID = "3f2b8c1d-" + "77aa-4e05-" + "9c61-0d5be2f4a813"
