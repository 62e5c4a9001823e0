"""What the dates in a question ask of the time of an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ai_memory.domain import when
from ai_memory.domain.when import When

_FADES = 30 * 86_400.0  # seconds in which what is asked for as new loses half


@dataclass(frozen=True, slots=True)
class Moment:
    """``strength`` says how much the dates should count, from 0 to 1: a day more than a year."""

    meant: When
    now: float
    strength: float

    def fits(self, at: str) -> float:
        """How well an instant (RFC 3339) agrees, from 0 to 1."""
        try:
            then = datetime.fromisoformat(at).timestamp()
        except ValueError:
            return 0.0
        if self.meant.spans:
            return when.weight(then, self.meant)
        return float(0.5 ** (max(0.0, self.now - then) / _FADES))


def read(text: str, now: datetime, years: Iterable[int]) -> Moment | None:
    """The times that ``text`` asks about; None if it names none. A date without a year may be of any of ``years``."""
    meant = when.read(text, now, years)
    if meant is None or not (meant.spans or meant.recent):
        return None
    return Moment(meant, now.timestamp(), when.strength(meant) if meant.spans else 0.5)
