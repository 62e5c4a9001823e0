"""The way to our own server: JSON requests, and its refusals as the errors they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from ai_memory.client import faults, wire
from ai_memory.client.facts import header
from ai_memory.config import Config
from ai_memory.domain.facts import Facts
from ai_memory.errors import Invalid


@dataclass(frozen=True, slots=True)
class Server:
    """A server at ``url``. ``token`` is sent as a bearer token, if any; ``timeout`` bounds each wait, in seconds."""

    url: str
    token: str = ""
    timeout: float = 30.0

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        facts: Facts | None = None,
        query: Mapping[str, object] | None = None,
    ) -> tuple[int, Any]:
        """The status and the decoded JSON of an answer below 300 (None when it has no body).

        A ``body`` is sent as JSON; ``query`` values that are None are left out. Raises ``Unreachable`` when there is no
        answer or none of ours, else the error that the server named.
        """
        status, headers, value = self.ask(method, path, body, facts, query)
        if status < 300:
            return status, value
        raise faults.from_json(status, value, headers)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        facts: Facts | None = None,
        query: Mapping[str, object] | None = None,
    ) -> tuple[int, dict[str, str], Any]:
        """As ``request``, for callers that read refusals themselves: status, headers by lower-case name, JSON."""
        status, headers, data = self._exchange(method, path, body, facts, query)
        return status, headers, self._decoded(status, data)

    def text(
        self, method: str, path: str, facts: Facts | None = None, query: Mapping[str, object] | None = None
    ) -> str:
        """The answer's body as text, for routes that do not speak JSON. Raises as ``request`` does."""
        status, headers, data = self._exchange(method, path, None, facts, query)
        if status < 300:
            return data.decode("utf-8", "replace")
        raise faults.from_json(status, self._decoded(status, data), headers)

    def _exchange(
        self, method: str, path: str, body: object, facts: Facts | None, query: Mapping[str, object] | None
    ) -> tuple[int, dict[str, str], bytes]:
        target = quote(path, safe="/:@!$&'()*+,;=-._~%") + _query(query)
        data = None if body is None and method in ("GET", "DELETE", "HEAD") else encode({} if body is None else body)
        try:
            to = wire.address(self.url)
            with wire.exchange(to, method, target, self._headers(facts), data, self.timeout) as answer:
                return answer.status, answer.headers, answer.read()
        except OSError as error:
            raise faults.unreachable(self.url, error) from error

    def _headers(self, facts: Facts | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "ai-memory"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if facts is not None:
            headers["X-AI-Memory-Facts"] = header(facts)
        return headers

    def _decoded(self, status: int, data: bytes) -> Any:
        if not data:
            return None
        try:
            return json.loads(data)
        except ValueError as error:
            raise faults.foreign(self.url, status) from error


@dataclass(frozen=True, slots=True)
class Encoded:
    """A body that is JSON already."""

    data: bytes


def connect(config: Config, timeout: float = 30.0) -> Server:
    """The server that the settings name. Raises ``Invalid`` if the address or the token cannot be used."""
    wire.address(config.url)
    if not config.token.isascii() or not config.token.isprintable():
        raise Invalid("The token holds characters that a header cannot carry. Make a new one with `ai-memory setup`.")
    return Server(config.url, config.token, timeout)


def encode(value: object) -> bytes:
    """``value`` as JSON in UTF-8. Text that UTF-8 cannot carry (lone surrogates) stays an escape."""
    if isinstance(value, Encoded):
        return value.data
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def _query(query: Mapping[str, object] | None) -> str:
    pairs = []
    for name, value in (query or {}).items():
        if isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif value is not None:
            pairs.append((name, str(value)))
    return "?" + urlencode(pairs, errors="replace") if pairs else ""

