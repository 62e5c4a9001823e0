"""What an embedder is: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # numpy takes its time to load; the server does not wait for it
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

Kind = Literal["unreachable", "slow", "busy", "refused", "answer", "dimension", "local"]


class Embedder(Protocol):
    """Makes vectors of texts. For any thread. Vectors of two embedders compare only if their ``identity`` is the same.

    ``dimension`` is 0 as long as a remote model has not answered yet.
    """

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One row a text, shape (len(texts), dimension), each of length 1. Raises ``Failed``.

        ``query`` marks texts that are questions, for models that tell them from passages.
        """
        ...


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no embedder: ``reason`` is one line for a person, with the next step."""

    reason: str


class Failed(Exception):
    """No vectors this time. ``kind`` says what went wrong, the message says it to a person and holds no key.

    ``after`` is how many seconds the other side asked to wait, 0 if it said nothing.
    """

    def __init__(self, kind: Kind, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.kind = kind
        self.after = after

    @property
    def passing(self) -> bool:
        """Whether the same texts may well succeed later."""
        return self.kind in ("unreachable", "slow", "busy")


def meet(embedder: Embedder) -> str:
    """Its ``identity``, after one word was embedded: the model is loaded, or has answered. Raises ``Failed``."""
    embedder.embed(["word"])
    return identity(embedder)


def identity(embedder: Embedder) -> str:
    """``provider/model/dimension``. Raises ValueError while the dimension is not known yet."""
    if not embedder.dimension:
        raise ValueError("The embedder has not answered yet, so the length of its vectors is not known.")
    return f"{embedder.provider}/{embedder.model}/{embedder.dimension}"
