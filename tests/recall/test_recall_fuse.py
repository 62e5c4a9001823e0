"""Streams are made comparable before they are weighed."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.recall import fuse, relevance

scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@given(scores)
def test_a_stream_keeps_its_order_and_is_centred(values: list[float]) -> None:
    out = fuse.standard(values)
    assert sum(out) == pytest.approx(0.0, abs=1e-6) and max(out) <= 4.0 + 1e-6
    for (a, x), (b, y) in zip(zip(values, out, strict=True), list(zip(values, out, strict=True))[1:], strict=False):
        assert (a > b) <= (x >= y)


def test_a_stream_on_another_scale_weighs_the_same() -> None:
    small = fuse.fuse({"a": [0.1, 0.5, 0.2], "b": [3.0, 1.0, 2.0]}, {"a": 1.0, "b": 1.0})
    large = fuse.fuse({"a": [10.0, 50.0, 20.0], "b": [3.0, 1.0, 2.0]}, {"a": 1.0, "b": 1.0})
    assert small == pytest.approx(large)


def test_nearly_equal_scores_stay_nearly_equal() -> None:
    one, other = fuse.standard([3.0, 2.99])
    assert 0 < one - other < 0.1


def test_a_flat_stream_tells_nothing() -> None:
    assert fuse.fuse({"a": [2.0, 2.0], "b": [0.0, 0.0]}, {"a": 1.0, "b": 5.0}) == [0.0, 0.0]


@given(scores)
def test_falling_values_never_rise_and_never_sink(values: list[float]) -> None:
    out = fuse.falling(values)
    assert all(a >= b for a, b in itertools.pairwise(out)) and all(a <= b for a, b in zip(values, out, strict=True))


@given(st.floats(0, 1), st.floats(0, 2), st.floats(-1, 1))
def test_relevance_is_a_share_and_grows_with_each_sign(share: float, bonus: float, likeness: float) -> None:
    value = relevance.relevance(share, bonus, likeness)
    assert 0.0 <= value <= 1.0
    assert value <= relevance.relevance(min(1.0, share + 0.1), bonus, likeness) + 1e-9
    assert value <= relevance.relevance(share, bonus, min(1.0, likeness + 0.1)) + 1e-9


def test_maintained_pages_have_a_bounded_lead() -> None:
    assert relevance.authority("decisions/a.md", "Note") == relevance.authority("x/a.md", "Decision") == 0.10
    assert 0 < relevance.authority("notes/a.md", "Note") < relevance.authority("gotchas/a.md", "Note") <= 0.10
