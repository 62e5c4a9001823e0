"""Several scores of the same candidates made into one order. Pure arithmetic.

Scores of different streams have nothing in common but their order and their spread, so each is centred and divided by its
spread before they are weighed. Ranks alone would throw away how clearly a stream speaks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

# How far above the middle one stream may lift a candidate, in spreads.
_HIGHEST = 4.0
# The least spread, as a share of the highest score: nearly equal scores stay nearly equal, however few there are.
_LEAST = 0.1


def fuse(streams: Mapping[str, Sequence[float]], weights: Mapping[str, float]) -> list[float]:
    """The weighted sum of the standardised streams, one number a candidate. A stream that tells nothing apart is flat."""
    count = max((len(scores) for scores in streams.values()), default=0)
    total = [0.0] * count
    for name, scores in streams.items():
        weight = weights.get(name, 0.0)
        if weight:
            for at, value in enumerate(standard(scores)):
                total[at] += weight * value
    return total


def standard(scores: Sequence[float]) -> list[float]:
    """``scores`` around 0 with spread 1, pressed together where the highest would stand out further than is allowed."""
    if not scores:
        return []
    middle = sum(scores) / len(scores)
    spread = math.sqrt(sum((score - middle) ** 2 for score in scores) / len(scores))
    spread = max(spread, _LEAST * max(map(abs, scores)))
    if spread < 1e-9:
        return [0.0] * len(scores)
    shrink = min(1.0, _HIGHEST * spread / max(max(scores) - middle, 1e-9))
    return [(score - middle) / spread * shrink for score in scores]


def falling(values: Sequence[float]) -> list[float]:
    """``values`` raised where a later one is larger, so that they never rise: the order given is kept when merging."""
    out = list(values)
    for at in range(len(out) - 2, -1, -1):
        out[at] = max(out[at], out[at + 1])
    return out
