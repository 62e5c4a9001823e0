"""Stretches of the calendar as (first instant, instant after the last), in the local time of whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

Stretch = tuple[datetime, datetime]
_DAY = timedelta(days=1)
# How far a count of units reaches to each side of its middle: nobody means "three weeks ago" to the day.
_SLACK = {
    "minute": timedelta(minutes=5),
    "hour": timedelta(minutes=45),
    "day": timedelta(hours=12),
    "week": timedelta(days=3.5),
    "month": timedelta(days=15),
    "quarter": timedelta(days=45),
    "year": timedelta(days=90),
}
_LENGTH = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": _DAY,
    "week": timedelta(days=7),
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def day(year: int, month: int, number: int, last: int = 0) -> Stretch:
    """The day ``number``, or the days up to ``last``. Raises ValueError if there is no such day."""
    return datetime(year, month, number), datetime(year, month, max(last, number)) + _DAY


def months(year: int, month: int, count: int = 1) -> Stretch:
    """``count`` whole months from ``month`` on; ``month`` may lie outside 1 to 12."""
    return _first(year, month), _first(year, month + count)


def current(unit: str, now: datetime, back: int = 0) -> Stretch:
    """The calendar unit that holds ``now``, or the one ``back`` units before it."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "year":
        return months(now.year - back, 1, 12)
    if unit == "quarter":
        return months(now.year, (now.month - 1) // 3 * 3 + 1 - 3 * back, 3)
    if unit == "month":
        return months(now.year, now.month - back)
    length = _LENGTH[unit]
    start = (now if unit in ("minute", "hour") else today) - length * back
    start -= _DAY * start.weekday() if unit == "week" else timedelta()
    return start, start + length


def weekend(now: datetime, back: int) -> Stretch:
    """Saturday and Sunday of this week, or of the week ``back`` weeks before it."""
    start, end = current("week", now, back)
    return start + 5 * _DAY, end


def ago(unit: str, least: int, most: int, now: datetime) -> Stretch:
    """Around ``least`` to ``most`` units before ``now``."""
    if unit == "day":
        return current("day", now, most)[0], current("day", now, least)[1]
    slack = _SLACK[unit]
    return _back(unit, most, now) - slack, min(_back(unit, least, now) + slack, now)


def rolling(unit: str, count: int, now: datetime) -> Stretch:
    """The last ``count`` units up to ``now``."""
    return _back(unit, count, now), now


def weekday(number: int, now: datetime) -> Stretch:
    """The latest such day before today; Monday is 0."""
    today = current("day", now)[0]
    start = today - _DAY * ((today.weekday() - number - 1) % 7 + 1)
    return start, start + _DAY


def latest(make: Callable[[int], Stretch], now: datetime, ended: bool) -> int:
    """The latest year whose stretch has begun by ``now``, or ended by then."""
    for year in range(now.year, now.year - 9, -1):
        try:
            start, end = make(year)
        except ValueError:  # 29 February in most years
            continue
        if (end if ended else start) <= now:
            return year
    return now.year - 1


def part(stretch: Stretch, which: str) -> Stretch:
    """The ``early``, ``mid`` or ``late`` third of a stretch, with a little more to each side."""
    start, end = stretch
    length = end - start
    if which == "early":
        return start, start + length * 0.4
    return (start + length * 0.3, start + length * 0.7) if which == "mid" else (start + length * 0.6, end)


def _first(year: int, month: int) -> datetime:
    years, at = divmod(month - 1, 12)
    return datetime(year + years, at + 1, 1)


def _back(unit: str, count: int, now: datetime) -> datetime:
    if unit in _LENGTH:
        return now - _LENGTH[unit] * count
    first = _first(now.year, now.month - _MONTHS[unit] * count)
    longest = (_first(first.year, first.month + 1) - _DAY).day
    return now.replace(year=first.year, month=first.month, day=min(now.day, longest))
