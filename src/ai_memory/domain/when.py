"""Dates in a question: "last March", "since the 5th of May", "hace dos semanas", "before the 1.2 release".

``read`` finds them; ``weight`` says how well an instant fits; ``strength`` how much that should count.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from ai_memory.domain import when_calendar as calendar
from ai_memory.domain.folding import fold
from ai_memory.domain.when_calendar import Stretch
from ai_memory.domain.when_forms import READERS, Form, Lead, Place
from ai_memory.domain.when_grammar import CORE, JOIN, LEAD, TAIL
from ai_memory.domain.when_words import EARLIER, PAST, UNTIL

_DAY = 86_400.0
_LONGEST_DECAY = 120 * _DAY
_MOST = 12  # dates that are read of one text
_PLAIN = {ord("ı"): "i", ord("ø"): "o"} | {
    code: base
    for code in range(0xC0, 0x250)
    if (base := unicodedata.normalize("NFD", chr(code))[0]).isascii() and base.isalpha()
}


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start`` to before ``end``, Unix seconds UTC. A ``start`` of 0 means: all that came before ``end``."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class When:
    """The times a text asks about.

    ``matched`` are the (start, end) offsets of the date words in the text. ``recent`` is a wish for what is new.
    ``release`` is ("before" | "since", version): the caller knows when that was; its words are not in ``matched``.
    """

    spans: tuple[Span, ...] = ()
    matched: tuple[tuple[int, int], ...] = ()
    recent: bool = False
    release: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """One date in the text. ``end`` is without the words that follow it (``tail``)."""

    form: Form
    lead: Lead
    end: int
    stop: int
    side: str
    part: str
    ended: bool
    join: str  # how it hangs on the one before: "", "and", "to"


def read(text: str, now: datetime, years: Iterable[int] = ()) -> When | None:
    """The times that ``text`` asks about, or None. A naive ``now`` is UTC; else days are those of its zone.

    A date without a year is the latest that has begun; with ``years`` it is also that of each of them.
    """
    zone = now.tzinfo or UTC
    folded = fold(text)
    pieces, said, recent, release = _find(folded.text.translate(_PLAIN), now.replace(tzinfo=None))
    spans = _spans(pieces, now.replace(tzinfo=None), zone, sorted(set(years)))
    if not (spans or recent or release):
        return None
    matched = tuple((folded.start(start), folded.end(end)) for start, end in said)
    return When(spans, matched, recent, release)


def weight(at: float, when: When) -> float:
    """How well the instant ``at`` fits, in [0, 1]: 1 inside a span, less the farther outside, 0 without spans.

    Things are told after they happened more often than before: the weight falls three times as slowly after a span.
    """
    return max((_fit(at, span) for span in when.spans), default=0.0)


def strength(when: When) -> float:
    """How much the weight should count, in [0, 1]: 1 for a day, 0.7 for a week, less than half for a year."""
    days = max(((span.end - span.start) / _DAY for span in when.spans), default=0.0)
    return 1 / (1 + 0.5 * math.log10(max(days, 1.0))) if days else 0.0


def _fit(at: float, span: Span) -> float:
    if span.start <= at < span.end:
        return 1.0
    length = span.end - span.start if span.start > 0 else 0.0
    decay = min(max(10 * _DAY, length / 3), _LONGEST_DECAY)
    return math.exp(-(at - span.end) / decay) if at >= span.end else math.exp(-(span.start - at) / (decay / 3))


def _find(text: str, now: datetime) -> tuple[list[_Piece], list[tuple[int, int]], bool, tuple[str, str] | None]:
    pieces: list[_Piece] = []
    said: list[tuple[int, int]] = []
    recent, release = False, None
    for m in CORE.finditer(text):
        kind = next(name for name in _KINDS if m.start(name) >= 0)
        if kind == "recent_":
            recent = True
            said.append(m.span())
        elif kind.startswith("release"):
            release = release or _release(m)
        elif piece := _piece(kind, m, text, now, pieces[-1] if pieces else None):
            said.append((piece.lead.start, piece.stop))
            pieces.append(piece)
            if len(pieces) == _MOST:
                break
    return pieces, said, recent, release


def _release(m: re.Match[str]) -> tuple[str, str]:
    side = (m["release_side"] or m["east_side"]).lower()
    before = side in UNTIL or side.startswith(EARLIER) or side.endswith("前")
    return ("before" if before else "since"), m["marked"] or m["dotted"] or m["named"] or m["east"]


def _piece(kind: str, m: re.Match[str], text: str, now: datetime, before: _Piece | None) -> _Piece | None:
    joined = JOIN.fullmatch(text[before.end : m.start()]) if before and m.start() - before.end < 16 else None
    lead = _lead(text, max(before.stop if before else 0, m.start() - 48), m.start()) if not joined else Lead(m.start())
    if lead.which in ("next", "every", "each", "black", "proximo", "proxima", "cada", "todo"):
        return None
    try:
        form = READERS[kind](m, Place(text, lead, bool(joined), now))
    except (ValueError, OverflowError):  # no such day, or out of what a date can hold
        return None
    if form is None:
        return None
    tail = TAIL.match(text, m.end())
    name = tail.lastgroup or "" if tail else ""
    side = lead.side or {"on": "since", "since": "since", "before": "before", "until": "until"}.get(name, "")
    part = lead.part or (name if name in ("early", "mid", "late") else "")
    ended = name == "gone" or lead.which in ("last", "past", "this past", "ultimo", "ultima")
    join = "" if not joined else "and" if joined["both"] or joined["both_east"] else "to"
    return _Piece(form, lead, m.end(), tail.end() if tail else m.end(), side, part, ended, join)


def _lead(text: str, floor: int, at: int) -> Lead:
    m = LEAD.search(text[floor:at])
    if m is None or m.start() == m.end():
        return Lead(at)
    part = "early" if m["early"] else "mid" if m["mid"] else "late" if m["late"] else ""
    side, prep, which = (" ".join((m[name] or "").lower().split()) for name in ("side", "prep", "which"))
    return Lead(floor + m.start(), side, prep, bool(m["det"]), part, which)


def _spans(pieces: Sequence[_Piece], now: datetime, zone: tzinfo, years: Sequence[int]) -> tuple[Span, ...]:
    found: list[Span] = []
    at = 0
    while at < len(pieces):
        piece, after = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else None
        wide = after and after.join and (after.join == "to" or piece.lead.prep in ("between", "entre") or after.side == "until")
        try:
            stretches = _range(piece, after, now) if after and wide else _alone(piece, after, now, years)
        except (ValueError, OverflowError):
            stretches = []
        found.extend(span for stretch in stretches if (span := _span(stretch, zone)) and span not in found)
        at += 2 if wide else 1
    return tuple(found)


def _range(first: _Piece, last: _Piece, now: datetime) -> list[Stretch]:
    """From the beginning of ``first`` to the end of ``last``; a year that only one names is that of both."""
    end_year = last.form.year if last.form.year is not None else first.form.year
    if end_year is None:
        end_year = calendar.latest(last.form.make, now, False)
    end = _parted(last, end_year)[1]
    year = first.form.year if first.form.year is not None else (end_year or now.year)
    start = _parted(first, year)[0]
    if start >= end and first.form.year is None:
        start = _parted(first, year - 1)[0]
    return [(min(start, end), max(start, end))]


def _alone(piece: _Piece, after: _Piece | None, now: datetime, years: Sequence[int]) -> list[Stretch]:
    year = piece.form.year
    if year is None and after and after.join and after.form.year:
        year = after.form.year
    if year is not None:
        chosen = [year]
    else:
        chosen = [calendar.latest(piece.form.make, now, piece.ended)]
        if not piece.side and not piece.ended:
            chosen += [other for other in reversed(years) if other not in chosen]
    stretches = [stretch for other in chosen if (stretch := _begun(piece, other, now, other == chosen[0]))]
    if piece.form.again:
        stretches.append(piece.form.again)
    return [_sided(piece.side, stretch, now) for stretch in stretches] if piece.side else stretches


def _begun(piece: _Piece, year: int, now: datetime, certain: bool) -> Stretch | None:
    try:
        stretch = _parted(piece, year)
    except ValueError:
        return None
    return stretch if certain or stretch[0] <= now else None


def _parted(piece: _Piece, year: int) -> Stretch:
    stretch = piece.form.make(year)
    return calendar.part(stretch, piece.part) if piece.part else stretch


def _sided(side: str, stretch: Stretch, now: datetime) -> Stretch:
    start, end = stretch
    epoch = datetime(1970, 1, 1)
    if side == "until" or side in UNTIL:
        return epoch, end
    if side.startswith(EARLIER):
        return epoch, start
    first = end if side.startswith(PAST) else start
    return first, now if now > first else first + (end - start)


def _span(stretch: Stretch, zone: tzinfo) -> Span | None:
    start, end = (max(moment.replace(tzinfo=zone).timestamp(), 0.0) for moment in stretch)
    return Span(start, end) if start < end else None


_KINDS = tuple(name for name in CORE.groupindex if name.endswith("_"))
