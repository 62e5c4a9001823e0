"""Rows of the report, and how they are printed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure. ``baseline`` is what stands beside it in the same run; ``fits`` is None where there is no budget."""

    what: str
    figure: str
    baseline: str = ""
    budget: str = ""
    fits: bool | None = None


def markdown(rows: Sequence[Row]) -> str:
    lines = ["| what | figure | beside it, same run | budget | |", "|---|--:|--:|--:|---|"]
    for row in rows:
        verdict = "" if row.fits is None else "ok" if row.fits else "**missed**"
        lines.append(f"| {row.what} | {row.figure} | {row.baseline} | {row.budget} | {verdict} |")
    return "\n".join(lines) + "\n"


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)
