"""all-MiniLM-L6-v2 in this process, with onnxruntime: each text's token states, averaged.

A text is run by itself. Batches gain little on one thread (a sixth for titles, nothing for windows of a hundred words,
and they lose from eight up), cost memory, and would let a text's vector depend on its neighbours.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ai_memory.embed import unit
from ai_memory.embed.embedder import Failed
from ai_memory.embed.weights import Weights
from ai_memory.embed.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ai_memory.embed.embedder import Vectors

DIMENSION = 384
TOKENS = 256  # what the model was trained on; the rest of a text is not read
_MANY = 8


class Local:
    """The model in ``weights``. Nothing is loaded before ``load`` or the first ``embed``. For any thread."""

    provider = "local"
    dimension = DIMENSION

    def __init__(self, weights: Weights) -> None:
        self.model = weights.model
        self._weights = weights
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._broken = ""

    def load(self) -> None:
        """Bring the model into memory, about half a second. Raises ``Failed``, each time, if it cannot be used."""
        self._ready()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """See ``Embedder``. Of each text the first 256 tokens count. Raises ``Failed`` of kind local."""
        loaded = self._ready()
        vectors = unit.rows(loaded.states(texts), "local")
        if len(texts) >= _MANY:
            _give_back()
        return vectors

    def _ready(self) -> _Loaded:
        loaded = self._loaded
        if loaded is not None:
            return loaded
        with self._lock:
            if self._broken:
                raise Failed("local", self._broken)
            if self._loaded is None:
                try:
                    self._loaded = _Loaded(self._weights)
                except Exception as error:  # the errors of onnxruntime share no base
                    self._broken = f"The model {self._weights.path} cannot be used ({_told(error)})."
                    raise Failed("local", self._broken) from error
                _give_back()
            return self._loaded


class _Loaded:
    """The model and its words in memory."""

    def __init__(self, weights: Weights) -> None:
        import numpy as np  # noqa: PLC0415 - 20 MB that the server neither waits for nor needs without vectors
        # Its builds since 1.29 keep a device id in the home directory and send what models are run to their maker.
        os.putenv("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415

        onnxruntime.disable_telemetry_events()

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # an arena never shrinks
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(weights.path), options, providers=["CPUExecutionProvider"])
        self._inputs = {node.name for node in self._session.get_inputs()}
        wide = [node.name for node in self._session.get_outputs() if len(node.shape) == 3]
        if "input_ids" not in self._inputs or not wide:
            raise ValueError("it does not give the states of tokens")
        self._output = wide[:1]
        self._words = WordPiece()
        self._numpy = np
        if self._mean("a").shape != (DIMENSION,):
            raise ValueError(f"its vectors are not {DIMENSION} long")

    def states(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The mean of the token states of each text, shape (n, dimension)."""
        found = self._numpy.zeros((len(texts), DIMENSION), dtype=self._numpy.float32)
        try:
            for row, text in enumerate(texts):
                found[row] = self._mean(text)
        except Exception as error:  # as above
            raise Failed("local", f"The model failed ({_told(error)}).") from error
        return found

    def _mean(self, text: str) -> Any:
        np = self._numpy
        ids = np.array([self._words.ids(text, TOKENS)], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(self._output, {k: v for k, v in given.items() if k in self._inputs})
        return states[0].mean(axis=0)


def _told(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _give_back() -> None:
    """Memory that loading or a long run used goes back to the system, where the C library keeps it (about 60 MB)."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
