"""Counts, lengths and moments in words."""

from __future__ import annotations

import pytest

from ai_memory.domain import wording


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "less than a minute"), (60, "1 minute"), (3_599, "59 minutes"), (3_600, "1 hour"), (5_400, "1 hour 30 minutes"),
        (90_000, "1 day 1 hour"), (864_000, "10 days"),
    ],
)  # fmt: skip
def test_a_length_is_told_in_its_largest_unit(seconds: int, said: str) -> None:
    assert wording.length(seconds) == said


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("2026-11-30T22:40:30.000Z", "just now (2026-11-30 22:40 UTC)"),
        ("2026-11-30T23:16:00+02:00", "1 hour 25 minutes ago (2026-11-30 21:16 UTC)"),
        ("2026-11-01T00:00:00Z", "29 days 22 hours ago (2026-11-01 00:00 UTC)"),
        ("2026-12-30T00:00:00Z", "just now (2026-12-30 00:00 UTC)"),
        ("yesterday", "at an unknown time"),
    ],
)
def test_an_age_carries_its_moment_and_zone(then: str, said: str) -> None:
    assert wording.age(then, "2026-11-30T22:41:00.000Z") == said


def test_counts_are_in_the_plural_where_they_should_be() -> None:
    said = [wording.count(1, "prompt"), wording.count(0, "prompt"), wording.count(1_234, "fix"), wording.count(2, "entry")]
    assert said == ["1 prompt", "0 prompts", "1,234 fixes", "2 entries"]
