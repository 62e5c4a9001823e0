"""A model behind HTTP: OpenAI, Voyage, Ollama, LM Studio and vLLM in OpenAI's form, and Google's."""

from __future__ import annotations

import email.utils
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ai_memory.embed import call, unit
from ai_memory.embed.embedder import Failed
from ai_memory.embed.formats import Format

if TYPE_CHECKING:
    from ai_memory.embed.embedder import Vectors

BATCH = 64  # texts a request; Google takes 100
CHARS = 6_000  # of a text; below what the smallest of the named models' servers refuse
RETRIES = 2  # in one ``embed``, however many requests it takes


@dataclass(slots=True)
class Remote:
    """The model ``model`` at ``address``. ``deadline`` seconds bound a request with retries, ``patience`` a question.

    ``dimension`` is learned from the first answer, unless it is given, and held from then on. The key is in a header
    and nowhere else.
    """

    provider: str
    model: str
    address: call.Address
    form: Format
    key: str = field(default="", repr=False)
    dimension: int = 0
    deadline: float = 30.0
    patience: float = 4.0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """See ``Embedder``. Raises ``Failed``."""
        import numpy as np  # noqa: PLC0415 - the server does not wait for it

        budget = _Retries(RETRIES)
        parts = [self._part(texts[i : i + BATCH], query, budget) for i in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), dtype=np.float32)

    def _part(self, texts: Sequence[str], query: bool, budget: _Retries) -> Vectors:
        until = time.monotonic() + (self.patience if query else self.deadline)
        body = self.form.request(self.model, [_sendable(text) for text in texts], query)
        answer = self._asked(body, until)
        while answer.status == 429 or answer.status >= 500:
            if not budget.wait(answer, until):
                raise self._refusal(answer)
            answer = self._asked(body, until)
        if answer.status != 200:
            raise self._refusal(answer)
        try:
            rows = self.form.rows(answer.body)
        except ValueError as error:
            raise Failed("answer", f"The embedding server at {self.address} answers wrongly: {error}.") from None
        if len(rows) != len(texts):
            wrong = f"gave {len(rows)} vectors for {len(texts)} texts"
            raise Failed("answer", f"The embedding server at {self.address} {wrong}.")
        held = self.dimension or len(rows[0])
        if any(len(row) != held for row in rows):
            raise self._other_length(held)
        vectors = unit.rows(rows, "answer")
        with self._lock:
            if self.dimension not in (0, held):
                raise self._other_length(self.dimension)
            self.dimension = held
        return vectors

    def _asked(self, body: bytes, until: float) -> call.Answer:
        headers = self.form.headers(self.key) if self.key else {}
        return call.post(self.address, self.form.path(self.address.path, self.model), headers, body, until)

    def _other_length(self, held: int) -> Failed:
        return Failed(
            "dimension",
            f"{self.model} at {self.address} gives vectors of another length than {held}. "
            "Was the model changed? Restart the server to embed anew.",
        )

    def _refusal(self, answer: call.Answer) -> Failed:
        """What a status means. Nothing of the answer's text is repeated: it may hold the key."""
        where, status = f"The embedding server at {self.address}", answer.status
        if status == 429 or status >= 500:
            return Failed("busy", f"{where} is busy or broken ({status}).", _retry_after(answer) or 0.0)
        if status in (401, 403):
            return Failed("refused", f"{where} refuses the key ({status}). Mend embedding.key.")
        if status == 404:
            return Failed("refused", f"{where} has no such address or no model {self.model} ({status}).")
        if 300 <= status < 400:
            return Failed("refused", f"{where} redirects ({status}), which is not followed. Set its final address.")
        return Failed("refused", f"{where} refuses the request ({status}).")


class _Retries:
    """How many more times one ``embed`` may ask again."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._pause = 0.5

    def wait(self, answer: call.Answer, until: float) -> bool:
        """Wait as long as was asked. False, at once, if none is left or the wait would outlast ``until``."""
        asked = _retry_after(answer)
        pause = self._pause if asked is None else asked
        if self._left <= 0 or time.monotonic() + pause >= until:
            return False
        self._left -= 1
        self._pause *= 2
        time.sleep(pause)
        return True


def _retry_after(answer: call.Answer) -> float | None:
    """The seconds that the answer asks to wait, if it does: a number or a date."""
    said = answer.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _sendable(text: str) -> str:
    """``text`` as servers take it: of bounded length, no half characters, not empty."""
    return text[:CHARS].encode("utf-8", "replace").decode("utf-8").strip() or "."
