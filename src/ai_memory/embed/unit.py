"""Rows of length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_memory.embed.embedder import Failed, Kind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ai_memory.embed.embedder import Vectors


def rows(values: Sequence[Sequence[float]] | npt.NDArray[np.floating], kind: Kind) -> Vectors:
    """``values``, rows of one length, each scaled to length 1. Raises ``Failed`` for a row that has no direction."""
    import numpy as np  # noqa: PLC0415 - the server does not wait for it

    with np.errstate(all="ignore"):
        wide = np.asarray(values, dtype=np.float64)
        lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
        if not (np.isfinite(lengths).all() and (lengths > 1e-12).all()):
            raise Failed(kind, "The model made a vector that is zero or not a number.")
        scaled: Vectors = (wide / lengths).astype(np.float32)
    return scaled
