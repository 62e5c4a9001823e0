"""The twin of a model for tests: words hashed into signed buckets. No meaning, only shared words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_memory.embed import unit

if TYPE_CHECKING:
    from ai_memory.embed.embedder import Vectors

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hashing:
    """The same text gives the same vector everywhere. ``dimension`` buckets; no words have a vector too."""

    dimension: int = 256
    provider: str = "hashing"
    model: str = "words"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """See ``Embedder``. Never fails."""
        import numpy as np  # noqa: PLC0415 - the server does not wait for it

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return unit.rows([self._row(text) for text in texts], "local")

    def _row(self, text: str) -> list[float]:
        row = [0.0] * self.dimension
        for word in _WORD.findall(text.lower()):
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            row[int.from_bytes(digest[:7]) % self.dimension] += 1.0 if digest[7] & 1 else -1.0
        if not any(row):
            row[0] = 1.0
        return row
