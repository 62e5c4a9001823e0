from __future__ import annotations

import pytest

from bench.recall import metrics
from bench.recall.metrics import METRICS

ORDER = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("gold", "wanted"),
    [
        (("a",), {"any@1": 1, "any@5": 1, "any@10": 1, "all@5": 1, "frac@5": 1, "MRR": 1}),
        (("b", "f"), {"any@1": 0, "any@5": 1, "any@10": 1, "all@5": 0, "frac@5": 0.5, "MRR": 0.5}),
        (("f",), {"any@1": 0, "any@5": 0, "any@10": 1, "all@5": 0, "frac@5": 0, "MRR": 1 / 6}),
        (("x",), {"any@1": 0, "any@5": 0, "any@10": 0, "all@5": 0, "frac@5": 0, "MRR": 0}),
    ],
)
def test_figures_of_one_ranking(gold: tuple[str, ...], wanted: dict[str, float]) -> None:
    assert {name: metric(ORDER, gold) for name, metric in METRICS.items()} == wanted


def test_nothing_found_is_nothing_right() -> None:
    assert {metric([], ("a",)) for metric in METRICS.values()} == {0.0}


def test_ranks_are_of_the_first_place_a_key_has() -> None:
    assert metrics.ranks(["a", "b", "a"], ("a", "b", "x")) == [1, 2, None]


def test_an_interval_holds_the_gap_and_is_the_same_again() -> None:
    ours, theirs = [1.0] * 60 + [0.0] * 40, [1.0] * 50 + [0.0] * 50
    gap, low, high = metrics.interval(ours, theirs)
    assert gap == pytest.approx(0.1)
    assert 0.0 < low < gap < high < 0.2
    assert metrics.interval(ours, theirs) == (gap, low, high)


def test_an_arm_does_not_differ_from_itself() -> None:
    assert metrics.interval([1.0, 0.0, 1.0], [1.0, 0.0, 1.0]) == (0.0, 0.0, 0.0)
