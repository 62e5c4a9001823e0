"""Dates in a question."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.domain import when
from ai_memory.domain.when import Span, When

NOW = datetime(2026, 12, 1, 12, 0)
DAY = 86_400


def told(text: str, now: datetime = NOW, years: tuple[int, ...] = ()) -> list[str]:
    found = when.read(text, now, years)
    return [f"{day(span.start)}..{day(span.end)}" for span in found.spans] if found else []


def day(at: float) -> str:
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment:%Y-%m-%d}" if at % DAY == 0 else f"{moment:%Y-%m-%dT%H:%M}"


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("what changed on 2026-03-05?", "2026-03-05..2026-03-06"),
        ("the plan of 2026-03-05T10:00Z", "2026-03-05..2026-03-06"),
        ("2026/3/5", "2026-03-05..2026-03-06"),
        ("in 2026-03", "2026-03-01..2026-04-01"),
        ("25/03/2026", "2026-03-25..2026-03-26"),
        ("05/03/2026", "2026-03-05..2026-03-06 2026-05-03..2026-05-04"),
        ("5 March 2026", "2026-03-05..2026-03-06"),
        ("March 5th, 2026", "2026-03-05..2026-03-06"),
        ("on Tuesday, 3 March 2026", "2026-03-03..2026-03-04"),
        ("the outage of March 3-10", "2026-03-03..2026-03-11"),
        ("5-8 March 2026", "2026-03-05..2026-03-09"),
        ("29 February", "2024-02-29..2024-03-01"),
        ("March 2026", "2026-03-01..2026-04-01"),
        ("what did we do in March", "2026-03-01..2026-04-01"),
        ("in may", "2026-05-01..2026-06-01"),
        ("the May incident", "2026-05-01..2026-06-01"),
        ("what happened in December", "2026-12-01..2027-01-01"),
        ("last March", "2026-03-01..2026-04-01"),
        ("last December", "2025-12-01..2026-01-01"),
        ("March last year", "2025-03-01..2025-04-01"),
        ("in January or February", "2026-01-01..2026-02-01 2026-02-01..2026-03-01"),
        ("March and April 2026", "2026-03-01..2026-04-01 2026-04-01..2026-05-01"),
        ("what did we decide about auth last spring?", "2026-03-01..2026-06-01"),
        ("last summer", "2026-06-01..2026-09-01"),
        ("last fall", "2026-09-01..2026-12-01"),
        ("last winter", "2025-12-01..2026-03-01"),
        ("in the summer of 2025", "2025-06-01..2025-09-01"),
        ("yesterday", "2026-11-30..2026-12-01"),
        ("the day before yesterday", "2026-11-29..2026-11-30"),
        ("today", "2026-12-01..2026-12-02"),
        ("last week", "2026-11-23..2026-11-30"),
        ("this week", "2026-11-30..2026-12-07"),
        ("last weekend", "2026-11-28..2026-11-30"),
        ("last month", "2026-11-01..2026-12-01"),
        ("this month", "2026-12-01..2027-01-01"),
        ("last quarter", "2026-07-01..2026-10-01"),
        ("last year", "2025-01-01..2026-01-01"),
        ("two weeks ago", "2026-11-14..2026-11-21"),
        ("a couple of weeks ago", "2026-11-07..2026-11-21"),
        ("3 days ago", "2026-11-28..2026-11-29"),
        ("a month ago", "2026-10-17T12:00..2026-11-16T12:00"),
        ("18 months ago", "2025-05-17T12:00..2025-06-16T12:00"),
        ("in the last 3 days", "2026-11-28T12:00..2026-12-01T12:00"),
        ("between March and May 2026", "2026-03-01..2026-06-01"),
        ("between November and February", "2025-11-01..2026-03-01"),
        ("from 2024 to 2025", "2024-01-01..2026-01-01"),
        ("since June", "2026-06-01..2026-12-01T12:00"),
        ("before June 2026", "1970-01-01..2026-06-01"),
        ("until June", "1970-01-01..2026-07-01"),
        ("after the 5th of May", "2026-05-06..2026-12-01T12:00"),
        ("before yesterday", "1970-01-01..2026-11-30"),
        ("in Q2 2026", "2026-04-01..2026-07-01"),
        ("in Q2", "2026-04-01..2026-07-01"),
        ("the second half of 2025", "2025-07-01..2026-01-01"),
        ("in 2025", "2025-01-01..2026-01-01"),
        ("early 2025", "2025-01-01..2025-05-27"),
        ("late 2025", "2025-08-08..2026-01-01"),
        ("mid-March", "2026-03-10T07:12..2026-03-22T16:48"),
        ("last Tuesday", "2026-11-24..2026-11-25"),
        ("on Monday", "2026-11-30..2026-12-01"),
        ("Tuesday last week", "2026-11-24..2026-11-25"),
    ],
)
def test_a_date_in_english_is_read(text: str, spans: str) -> None:
    assert told(text) == spans.split()


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("ontem", "2026-11-30..2026-12-01"),
        ("na semana passada", "2026-11-23..2026-11-30"),
        ("mês passado", "2026-11-01..2026-12-01"),
        ("me\u0302s passado", "2026-11-01..2026-12-01"),
        ("há duas semanas", "2026-11-14..2026-11-21"),
        ("duas semanas atrás", "2026-11-14..2026-11-21"),
        ("nos últimos 3 dias", "2026-11-28T12:00..2026-12-01T12:00"),
        ("em março", "2026-03-01..2026-04-01"),
        ("em marco de 2026", "2026-03-01..2026-04-01"),
        ("5 de março de 2026", "2026-03-05..2026-03-06"),
        ("março do ano passado", "2025-03-01..2025-04-01"),
        ("no verão passado", "2026-06-01..2026-09-01"),
        ("desde junho", "2026-06-01..2026-12-01T12:00"),
        ("no início de 2025", "2025-01-01..2025-05-27"),
        ("na segunda-feira", "2026-11-30..2026-12-01"),
        ("ayer", "2026-11-30..2026-12-01"),
        ("anteayer", "2026-11-29..2026-11-30"),
        ("la semana pasada", "2026-11-23..2026-11-30"),
        ("el mes pasado", "2026-11-01..2026-12-01"),
        ("hace dos semanas", "2026-11-14..2026-11-21"),
        ("hace unas semanas", "2026-10-24..2026-11-21"),
        ("en marzo", "2026-03-01..2026-04-01"),
        ("el 5 de marzo de 2026", "2026-03-05..2026-03-06"),
        ("entre marzo y mayo", "2026-03-01..2026-06-01"),
        ("antes de junio de 2026", "1970-01-01..2026-06-01"),
        ("el verano pasado", "2026-06-01..2026-09-01"),
        ("el lunes pasado", "2026-11-30..2026-12-01"),
        ("a finales de 2025", "2025-08-08..2026-01-01"),
        ("昨日何を決めた", "2026-11-30..2026-12-01"),
        ("先週", "2026-11-23..2026-11-30"),
        ("先週の月曜日", "2026-11-23..2026-11-24"),
        ("先月", "2026-11-01..2026-12-01"),
        ("2週間前", "2026-11-14..2026-11-21"),
        ("２週間前", "2026-11-14..2026-11-21"),
        ("二週間前", "2026-11-14..2026-11-21"),
        ("3か月前", "2026-08-17T12:00..2026-09-16T12:00"),
        ("Redisを3月に外した", "2026-03-01..2026-04-01"),
        ("三月", "2026-03-01..2026-04-01"),
        ("2026年3月5日", "2026-03-05..2026-03-06"),
        ("去年", "2025-01-01..2026-01-01"),
        ("去年の夏", "2025-06-01..2025-09-01"),
        ("3月から5月まで", "2026-03-01..2026-06-01"),
        ("6月以降", "2026-06-01..2026-12-01T12:00"),
        ("上个月", "2026-11-01..2026-12-01"),
    ],
)
def test_a_date_in_another_language_is_read(text: str, spans: str) -> None:
    assert told(text) == spans.split()


@pytest.mark.parametrize(
    "text",
    [
        "version 2.14.3", "you may use it", "may I ask", "we may 2 times retry", "changed since may change again", "port 5 may work",
        "we march to production", "the march of progress", "a second ago", "the second migration", "every second", "port 8080",
        "1024 bytes", "in 2048 bytes", "limit of 2000 requests", "in 2024 rows", "by 2000%", "on port 2024", "error 2013", "issue #2024",
        "from 8080 to 9090", "before 4000", "ticket ABC-2026-03", "CVE-2024-12345", "tests/2026-03-05-notes.md", "localhost:2025",
        "Sun Microsystems on Sun hardware", "the Sat solver", "in spring boot", "in the Spring framework", "use Spring 5", "fall back to",
        "if requests fall", "ask April about it", "Marco said so", "before marco", "dec 10 is hex A", "node:latest", "the latest tag",
        "last commit", "last 3 commits", "last_week", "every Monday", "next week", "before the refactor", "since we moved", "há dois arquivos",
        "hace falta", "segunda vez", "30 February 2026", "do.monday.com", "3月間", "why did we drop Redis", "what was the Docker trap", "",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert when.read(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("before the 1.2 release", ("before", "1.2")), ("since v2.0", ("since", "2.0")), ("after version 2.14.3", ("since", "2.14.3")),
        ("until 2.14.3-rc1", ("before", "2.14.3-rc1")), ("antes da versão 1.2", ("before", "1.2")),
        ("desde la versión 3.1", ("since", "3.1")), ("v2.0以降", ("since", "2.0")), ("1.2のリリースより前", ("before", "1.2")),
    ],
)  # fmt: skip
def test_a_release_is_left_to_the_caller(text: str, release: tuple[str, str]) -> None:
    assert when.read(text, NOW) == When(release=release)


@pytest.mark.parametrize("text", ["what did we do recently", "latest decision", "ultimamente", "lo más reciente", "最近の決定"])
def test_a_wish_for_what_is_new_is_no_span(text: str) -> None:
    found = when.read(text, NOW)
    assert found is not None and found.recent and not found.spans and when.weight(NOW.timestamp(), found) == 0


def test_the_date_words_are_told_by_their_place_in_the_text() -> None:
    text = "o que mudou\u0327\u0303 no mês passado, e ２週間前, with Redis before the 1.2 release"
    found = when.read(text, NOW)
    assert found and [text[start:end] for start, end in found.matched] == ["no mês passado", "２週間前"]


def test_a_date_without_a_year_is_that_of_each_year_known() -> None:
    assert told("in March", years=(2024, 2025, 2026, 2027)) == [
        "2026-03-01..2026-04-01", "2025-03-01..2025-04-01", "2024-03-01..2024-04-01",
    ]  # fmt: skip
    assert told("in March 2026", years=(2024, 2025)) == ["2026-03-01..2026-04-01"]
    assert told("last March", years=(2024, 2025)) == ["2026-03-01..2026-04-01"]


def test_days_are_those_of_the_zone_asked_in() -> None:
    east = datetime(2026, 12, 1, 3, 0, tzinfo=timezone(timedelta(hours=9)))
    found = when.read("yesterday", east)
    start = datetime(2026, 11, 29, 15, 0, tzinfo=UTC).timestamp()
    assert found and found.spans == (Span(start, start + DAY),)


def test_a_weight_is_full_inside_and_falls_faster_before_than_after() -> None:
    found = when.read("in March 2026", NOW)
    assert found
    span = found.spans[0]
    assert when.weight(span.start, found) == when.weight(span.end - 1, found) == 1.0
    after = [when.weight(span.end + days * DAY, found) for days in (1, 5, 20, 60)]
    before = [when.weight(span.start - days * DAY, found) for days in (1, 5, 20, 60)]
    assert after == sorted(after, reverse=True) and before == sorted(before, reverse=True)
    assert all(b < a for a, b in zip(after, before, strict=True)) and after[0] > 0.9 and after[-1] < 0.01 and before[2] < 0.01


def test_what_came_before_an_instant_fades_soon_after_it() -> None:
    found = when.read("before June 2026", NOW)
    june = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
    assert found and when.weight(june - 900 * DAY, found) == 1.0 and when.weight(june + 60 * DAY, found) < 0.01


def test_a_wide_span_has_less_strength_than_a_day() -> None:
    texts = ("on 2026-03-05", "last week", "last month", "in 2025", "before 2026")
    strengths = [when.strength(found) for text in texts if (found := when.read(text, NOW))]
    assert len(strengths) == len(texts) and strengths == sorted(strengths, reverse=True)
    assert strengths[0] == 1.0 and strengths[3] < 0.5 and strengths[-1] > 0.2
    assert when.strength(When(recent=True)) == 0.0


WORDS = st.sampled_from(
    ["before", "since", "the", "last", "March", "may", "5", "5th", "of", "31", "2026", "2026-", "-03", "and", "to", "-", ",", ".", "between", "weeks", "ago", "3", "1.2", "release", "há", "hace", "前", "月", "3", "年", "去年", "Q2", "early", "Monday", "next", "un", "́", "\x00", "ﷺ", "İ", "ı", "ſ", "²", "𝟚", "end", "99", "0", "latest", "日", "十"]
)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join), st.lists(WORDS, max_size=14).map("".join)),
    st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1)),
)
def test_any_text_is_read_without_an_error(text: str, now: datetime) -> None:
    found = when.read(text, now, (1999, 2024))
    if found:
        assert all(0 <= span.start < span.end for span in found.spans)
        assert all(0 <= start < end <= len(text) for start, end in found.matched)
        assert found.spans or found.recent or found.release
        assert all(0.0 <= when.weight(at, found) <= 1.0 for at in (0.0, now.timestamp(), 4e9))


@pytest.mark.parametrize("now", [datetime.min, datetime.max])
def test_the_ends_of_the_calendar_are_no_error(now: datetime) -> None:
    for text in ("yesterday", "last year", "999 years ago", "in March", "last December", "on Monday", "since June", "last Friday"):
        when.read(text, now)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["why", "drop Redis", "the port 8080", "of", "api_server", "use", "a", "v2", "config.toml", "2.14.3"])))
def test_a_text_without_date_words_is_none(words: list[str]) -> None:
    assert when.read(" ".join(words), NOW) is None


@pytest.mark.parametrize("piece", ["a", "1", "in ", "1.1.1.", "March ", "2026-", "may 5 - ", "before the ", "3月", "há ", "1st of ", " "])
def test_ten_thousand_characters_cost_ten_times_a_thousand(piece: str) -> None:
    def cost(size: int) -> float:
        text = (piece * size)[:size]
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            when.read(text, NOW)
            best = min(best, time.process_time() - start)
        return best

    assert cost(10_000) < max(40 * cost(1_000), 0.5)
