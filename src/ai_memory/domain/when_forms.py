"""What one written date stands for: a stretch of the calendar, known at once or for each year."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ai_memory.domain import when_calendar as calendar
from ai_memory.domain import when_words as words
from ai_memory.domain.when_calendar import Stretch
from ai_memory.domain.when_grammar import COUNTED, FRAMEWORK, TO_MONTH

_NEAR = {"in", "during", "em", "en", "durante", "back in", "of", "de", "on"}
_LAST = {"last", "past", "this past", "ultimo", "ultima", "gone"}
_ORDER = {"f": 1, "1": 1, "p": 1, "s": 2, "2": 2, "t": 3, "3": 3, "fo": 4, "4": 4, "c": 4, "q": 4}
_EAST_YEARS = {"一昨年": 2, "前年": 2, "昨年": 1, "去年": 1, "今年": 0}


@dataclass(frozen=True, slots=True)
class Lead:
    """The words before a date: since or before, in, the, early, last. Empty where there are none."""

    start: int
    side: str = ""
    prep: str = ""
    the: bool = False
    part: str = ""
    which: str = ""

    def any(self) -> bool:
        """Whether something before the date says that it is one."""
        return bool(self.side or self.prep or self.part or self.which)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a date was found: the whole text, the lead, whether a date joined to it comes just before, and now."""

    text: str
    lead: Lead
    joined: bool
    now: datetime


@dataclass(frozen=True, slots=True)
class Form:
    """``make(year)`` is the stretch, maybe with a ValueError; ``year`` is None where the text names none."""

    make: Callable[[int], Stretch]
    year: int | None = None
    again: Stretch | None = None

    @staticmethod
    def fixed(stretch: Stretch, again: Stretch | None = None) -> Form:
        """A form that needs no year."""
        return Form(lambda _: stretch, 0, again)


def iso(m: re.Match[str], at: Place) -> Form | None:
    """``2026-03-05``, ``2026/3/5``, ``2026-03``."""
    year, month, day = int(m["iso_year"]), m["iso_month"] or m["cut_month"], m["iso_day"] or m["cut_day"]
    return Form.fixed(calendar.day(year, int(month), int(day)) if day else calendar.months(year, int(month)))


def slashed(m: re.Match[str], at: Place) -> Form | None:
    """``05/03/2026``: both readings where both are days."""
    one, other, year = int(m["one"]), int(m["other"]), int(m["cut_year"])
    if other > 12:
        return Form.fixed(calendar.day(year, one, other))
    first = calendar.day(year, other, one)
    return Form.fixed(first, calendar.day(year, one, other) if one <= 12 and one != other else None)


def east(m: re.Match[str], at: Place) -> Form | None:
    """``2026年3月5日``, ``3月``, ``去年の3月``."""
    return _month(int(m["east_month"]), int(m["east_day"] or 0), 0, _east_year(m["east_year"], m["east_last"], at.now))


def east_kanji(m: re.Match[str], at: Place) -> Form | None:
    """``三月``."""
    return _month(_number(m["kanji"])[0], 0, 0, None)


def east_season(m: re.Match[str], at: Place) -> Form | None:
    """``去年の春``."""
    return _season(m["east_season"], _east_year(m["season_year"], m["season_last"], at.now))


def east_only(m: re.Match[str], at: Place) -> Form | None:
    """``2026年``."""
    return Form.fixed(calendar.months(int(m["only"]), 1, 12))


def phrase(m: re.Match[str], at: Place) -> Form | None:
    """``yesterday``, ``先週の月曜``."""
    unit, back = words.PHRASES[(m.group().split("の")[0] if m["then"] else m.group()).lower()]
    found = calendar.current(unit, at.now, back)
    if m["then"] and unit == "week":
        return _in_week(words.WEEKDAYS[m["then"]], found)
    return Form.fixed(found)


def much(m: re.Match[str], at: Place) -> Form | None:
    """``two weeks ago``, ``hace dos semanas``, ``last 3 days``."""
    lead, tail = (m["count_lead"] or "").lower(), m["count_tail"]
    least, most = _number(m["count"].lower())
    unit = words.UNITS[m["unit"].lower()]
    if tail or lead in ("ha", "faz", "hace"):
        return Form.fixed(calendar.ago(unit, least, most, at.now))
    return Form.fixed(calendar.rolling(unit, most, at.now)) if lead and most else None


def much_east(m: re.Match[str], at: Place) -> Form | None:
    """``2週間前``, ``この数日``."""
    least, most = _number(m["many"])
    unit = words.UNITS[m["east_unit"]]
    if m["many_tail"]:
        return Form.fixed(calendar.ago(unit, least, most, at.now))
    return Form.fixed(calendar.rolling(unit, most, at.now)) if m["many_lead"] and most else None


def unit(m: re.Match[str], at: Place) -> Form | None:
    """``last week``, ``this month``, ``semana passada``, ``el mes pasado``."""
    which, name = (m["which"] or "last").lower(), (m["whole"] or m["gone"]).lower()
    back = int(which in ("last", "previous", "prior", "ultima", "ultimo"))
    if name == "weekend" or " " in name:
        return Form.fixed(calendar.weekend(at.now, back))
    if which == "past" or which.startswith("ultim") or name == "hour":
        return Form.fixed(calendar.rolling(words.UNITS[name], 1, at.now))
    return Form.fixed(calendar.current(words.UNITS[name], at.now, back))


def parted(m: re.Match[str], at: Place) -> Form | None:
    """``Q2 2026``, ``H1 2026``, ``the first quarter of 2026``."""
    year = _year(m["quarter_before"] or m["quarter_year"], at.now)
    if year is None and (m["nth"] or not (at.lead.any() or at.joined)):
        return None
    if m["nth"]:
        nth = m["nth"].lower()
        number, half = _ORDER.get(nth[:2]) or _ORDER[nth[:1]], m["share"].lower() in ("half", "semestre")
    else:
        number, half = int(m["quarter"].strip("QqHh")), m["quarter"][0] in "Hh"
    if half:
        return Form(lambda y: calendar.months(y, 6 * number - 5, 6), year) if number < 3 else None
    return Form(lambda y: calendar.months(y, 3 * number - 2, 3), year)


def season(m: re.Match[str], at: Place) -> Form | None:
    """``last spring``, ``summer of 2025``, ``in the autumn``, ``el verano pasado``."""
    name, year = m["season"].lower(), _year(m["seasons_year"], at.now)
    if year is None and not at.joined and not _gone(at.text, m.end()):
        if not at.lead.any() or FRAMEWORK.match(at.text, m.end()):
            return None
        if name in words.DOUBTFUL_SEASONS and not (at.lead.which or (at.lead.the and (at.lead.side or at.lead.prep in _NEAR))):
            return None
    return _season(name, year)


def month(m: re.Match[str], at: Place) -> Form | None:
    """``March 2026``, ``5 March``, ``March 5th, 2026``, ``in March``, ``em março``."""
    year = _year(m["months_year"], at.now)
    if year is None and not _stands(m, at):
        return None
    day = m["day"] or m["day_after"]
    last = day if m["from_day"] else m["day_last"]
    return _month(words.MONTHS[m["month"].lower()], int(m["from_day"] or day or 0), int(last or 0), year)


def weekday(m: re.Match[str], at: Place) -> Form | None:
    """``on Monday``, ``last Tuesday``, ``el lunes``, ``月曜日``."""
    if m["east_weekday"]:
        return Form.fixed(calendar.weekday(words.WEEKDAYS[m["east_weekday"]], at.now))
    name = m["weekday"].lower()
    if name in words.SHORT_WEEKDAYS and not (m["weekday"][0].isupper() and (at.lead.any() or at.joined)):
        return None
    if name in words.PLAIN_WEEKDAYS and not _gone(at.text, m.end()) and not at.lead.which:
        return None
    number = words.WEEKDAYS.get(name, words.PLAIN_WEEKDAYS.get(name, 0))
    if m["week"]:
        return _in_week(number, calendar.current("week", at.now, int(m["week"].lower() == "last")))
    return Form.fixed(calendar.weekday(number, at.now))


def year(m: re.Match[str], at: Place) -> Form | None:
    """``in 2025``, ``since 2024``, ``early 2025``."""
    number = int(m["year"])
    if not (at.lead.any() or at.joined) or not 1990 <= number <= at.now.year + 1 or COUNTED.match(at.text, m.end()):
        return None
    if not at.lead.part and (at.lead.the or at.lead.prep in ("for", "about", "around", "a", "o", "on")):
        return None
    return Form.fixed(calendar.months(number, 1, 12))


def _stands(m: re.Match[str], at: Place) -> bool:
    """Whether a month's name without a year is a month: "may", "march", "Marco" and "dec" often are not."""
    written, name, lead = m["month"], m["month"].lower(), at.lead
    capital, day = written[0].isupper(), bool(m["day"] or m["day_after"])
    if m["day_after"] and COUNTED.match(at.text, m.end()):
        return False
    if name in words.SHORT_MONTHS:
        return capital and (day or lead.any() or at.joined)
    if name == "marco":
        return bool(day and m["of"]) or lead.prep in ("em", "de", "do") or lead.side in ("desde", "antes de", "depois de", "ate")
    if name == "may" and not capital:
        closed = not re.match(r"\s\w", at.text[m.end() : m.end() + 2])
        firm = (lead.side and closed) or lead.part or lead.prep in ("in", "during") or lead.which in _LAST
        return bool(m["of"] and m["day"]) or (bool(firm) and not m["day"])
    if name not in words.DOUBTFUL_MONTHS or day or (capital and TO_MONTH.match(at.text, m.end())):
        return True
    rest = at.text[m.end() : m.end() + 12]
    if lead.which == "this" or (lead.the and not lead.prep and not lead.side and not lead.part):
        return capital and bool(re.match(r"\s(?!of\b|to\b|be\b|not\b|have\b|also\b)\w", rest)) == (lead.which != "this")
    if lead.prep in ("for", "about", "from", "of", "on", "between") and not capital:
        return False
    return lead.any() or at.joined


def _in_week(weekday: int, week: Stretch) -> Form:
    return Form.fixed(calendar.current("day", week[0], -weekday))


def _month(number: int, day: int, last: int, year: int | None) -> Form:
    if day:
        return Form(lambda y: calendar.day(y, number, day, last), year)
    return Form(lambda y: calendar.months(y, number), year)


def _season(name: str, year: int | None) -> Form:
    return Form(lambda y: calendar.months(y, words.SEASONS[name], 3), year)


def _year(text: str | None, now: datetime) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else now.year - int("pas" in text.lower() or "last" in text.lower())


def _east_year(text: str | None, word: str | None, now: datetime) -> int | None:
    return int(text) if text else now.year - _EAST_YEARS[word] if word else None


def _number(text: str) -> tuple[int, int]:
    """The least and the most that a count says."""
    if text in words.VAGUE:
        return words.VAGUE[text]
    if text.isdecimal():
        exact = int(text)
    elif len(text) == 2 and text[0] == "十":
        exact = 10 + words.NUMBERS[text[1]]
    else:
        exact = words.NUMBERS.get(text, 0)
    return exact, exact


def _gone(text: str, at: int) -> bool:
    return bool(re.match(r"\spass?ad[oa](?!\w)", text[at : at + 10], re.IGNORECASE))


READERS: dict[str, Callable[[re.Match[str], Place], Form | None]] = {
    f"{reader.__name__}_": reader
    for reader in (
        iso, slashed, east, east_kanji, east_season, east_only, phrase, much, much_east, unit, parted, season, month,
        weekday, year,
    )
}  # fmt: skip
