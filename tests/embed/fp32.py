"""all-MiniLM-L6-v2 at full precision with numpy alone: the reference that the shipped weights are measured against."""

from __future__ import annotations

import importlib.util
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "all_minilm_l6_v2"
_HEADS = 12


class Reference:
    """The model in the archive of the installed package, which is found but not imported."""

    def __init__(self, archive: Path) -> None:
        with zipfile.ZipFile(archive) as opened:
            data = opened.read("model.safetensors")
        size = int.from_bytes(data[:8], "little")
        self._tensors: dict[str, Any] = {}
        for name, entry in json.loads(data[8 : 8 + size]).items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            first, last = entry["data_offsets"]
            self._tensors[name] = np.frombuffer(data[8 + size + first : 8 + size + last], "<f4").reshape(entry["shape"])

    def embed(self, ids: list[int]) -> Any:
        """The unit vector of the token ``ids``."""
        kept = self._tensors
        x = kept["embeddings.word_embeddings.weight"][ids]
        x = x + kept["embeddings.position_embeddings.weight"][: len(ids)] + kept["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(6):
            x = self._layer(x, f"encoder.layer.{layer}.")
        mean = x.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _layer(self, x: Any, at: str) -> Any:
        tokens, width = x.shape
        q, k, v = (
            self._linear(x, f"{at}attention.self.{part}").reshape(tokens, _HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(width // _HEADS)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        seen = (scores / scores.sum(axis=-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(tokens, width)
        x = self._norm(x + self._linear(seen, f"{at}attention.output.dense"), f"{at}attention.output.LayerNorm")
        inner = self._linear(x, f"{at}intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        return self._norm(x + self._linear(inner, f"{at}output.dense"), f"{at}output.LayerNorm")

    def _linear(self, x: Any, name: str) -> Any:
        return x @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]

    def _norm(self, x: Any, name: str) -> Any:
        spread = np.sqrt(((x - x.mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1, keepdims=True) + 1e-12)
        return (x - x.mean(axis=-1, keepdims=True)) / spread * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]


def _erf(x: Any) -> Any:
    """Abramowitz and Stegun 7.1.26, right to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def archive() -> Path | None:
    """The archive of the package, if it is installed."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        return Path(folder) / "model.zip"
    return None
