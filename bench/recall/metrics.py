"""Figures of rankings. Pure: keys in, numbers out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

Order = Sequence[str]
Metric = Callable[[Order, Sequence[str]], float]
RESAMPLES = 2_000


def any_at(k: int) -> Metric:
    """1 if at least one of the gold keys is among the first ``k``."""
    return lambda order, gold: float(any(key in gold for key in order[:k]))


def all_at(k: int) -> Metric:
    """1 if every gold key is among the first ``k``."""
    return lambda order, gold: float(all(key in order[:k] for key in gold))


def share_at(k: int) -> Metric:
    """The share of the gold keys among the first ``k``."""
    return lambda order, gold: sum(key in order[:k] for key in set(gold)) / len(set(gold))


def reciprocal(order: Order, gold: Sequence[str]) -> float:
    """1 / rank of the first gold key, 0 if none is there."""
    return next((1 / (at + 1) for at, key in enumerate(order) if key in gold), 0.0)


METRICS: dict[str, Metric] = {
    "any@1": any_at(1), "any@5": any_at(5), "any@10": any_at(10),
    "all@5": all_at(5), "frac@5": share_at(5), "MRR": reciprocal,
}  # fmt: skip


def ranks(order: Order, gold: Iterable[str]) -> list[int | None]:
    """The 1-based rank of each gold key; None where it did not come."""
    place = {key: at + 1 for at, key in reversed(list(enumerate(order)))}
    return [place.get(key) for key in gold]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(ours: Sequence[float], theirs: Sequence[float], seed: int = 20, resamples: int = RESAMPLES) -> tuple[float, float, float]:
    """The mean of ``ours - theirs``, paired, and the bounds of its 95 % bootstrap interval."""
    gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
    if not gaps:
        return 0.0, 0.0, 0.0
    draw = random.Random(seed)
    means = sorted(sum(draw.choices(gaps, k=len(gaps))) / len(gaps) for _ in range(resamples))
    return mean(gaps), means[int(0.025 * resamples)], means[min(resamples - 1, int(0.975 * resamples))]
