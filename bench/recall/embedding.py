"""The product's own model for the arm that wants vectors, with those made before kept beside the repository."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ai_memory.embed import weights
from ai_memory.embed.embedder import Missing
from ai_memory.embed.local import Local

KEPT = Path(__file__).resolve().parents[2] / ".cache" / "bench-recall"


class Vectors:
    """Embeds texts, each once."""

    def __init__(self, embed: Callable[[Sequence[str]], Any], file: Path) -> None:
        self._embed = embed
        self._file = file
        self._known: dict[str, Any] = {}
        self._new = 0
        if file.exists():
            import numpy as np  # noqa: PLC0415 - only this arm needs it

            with np.load(file) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        import numpy as np  # noqa: PLC0415

        keys = [hashlib.sha256(one.encode()).hexdigest() for one in texts]
        new = {key: one for key, one in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            self._known |= dict(zip(new, self._embed(list(new.values())), strict=True))
            self._new += len(new)
        return np.stack([self._known[key] for key in keys])

    def keep(self) -> None:
        """Write down what is new."""
        if not self._new:
            return
        import numpy as np  # noqa: PLC0415

        self._file.parent.mkdir(parents=True, exist_ok=True)
        draft = self._file.with_suffix(".tmp.npz")
        np.savez(draft, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        draft.replace(self._file)
        self._new = 0


def vectors() -> Vectors | str:
    """The embedder, or why there is none."""
    KEPT.mkdir(parents=True, exist_ok=True)
    found = weights.find(None, KEPT)
    if isinstance(found, Missing):
        return found.reason
    local = Local(found)
    try:
        local.load()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the other arms go on
        return str(error)
    made: Callable[[Sequence[str]], Any] = local.embed
    return Vectors(made, KEPT / f"{found.model}.npz")
