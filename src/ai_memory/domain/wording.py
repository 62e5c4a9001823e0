"""Counts, lengths of time and moments in plain words. Every moment carries its zone."""

from __future__ import annotations

from datetime import UTC, datetime

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def count(number: int, noun: str) -> str:
    """``number`` of ``noun``, in the plural where it is not one."""
    plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + ("es" if noun.endswith("x") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def length(seconds: int) -> str:
    """A length of time in its largest fitting unit; from an hour on with the unit below."""
    if seconds < 60:
        return "less than a minute"
    for at, (unit, name) in enumerate(_UNITS):
        if seconds >= unit:
            rest = seconds % unit // _UNITS[at + 1][0] if at + 1 < len(_UNITS) else 0
            return count(seconds // unit, name) + (f" {count(rest, _UNITS[at + 1][1])}" if rest else "")
    return ""


def read(text: str) -> datetime | None:
    """The moment that RFC 3339 ``text`` names, in UTC; None if it names none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def between(start: str, end: str) -> int:
    """Whole seconds from ``start`` to ``end``; 0 if either is no moment or they are in the wrong order."""
    first, last = read(start), read(end)
    return max(int((last - first).total_seconds()), 0) if first and last else 0


def moment(text: str) -> str:
    """``2026-11-30 22:41 UTC``; what is no moment as ``an unknown time``."""
    found = read(text)
    return found.strftime("%Y-%m-%d %H:%M UTC") if found else "an unknown time"


def clock(text: str) -> str:
    """``22:41 UTC``, or nothing."""
    found = read(text)
    return found.strftime("%H:%M UTC") if found else ""


def age(then: str, now: str) -> str:
    """``25 minutes ago (2026-11-30 22:41 UTC)``."""
    if read(then) is None or read(now) is None:
        return f"at {moment(then)}"
    seconds = between(then, now)
    return f"{'just now' if seconds < 60 else length(seconds) + ' ago'} ({moment(then)})"
