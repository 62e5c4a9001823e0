"""The gate before every face: host, origin, token, content type, size. Plain ASGI, so that it costs little."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ai_memory.errors import Forbidden, Invalid, MemoryFault, Refused, TooLarge
from ai_memory.gate.answers import refuse

OPEN_PATHS = frozenset({"/healthz"})
# What decides about a request may be said once: two answers would be one for us and one for whoever stands before us.
_ONCE = (b"host", b"origin", b"authorization", b"content-type", b"content-length")


class Gate:
    """Lets a request through to ``app`` only if its host is ours, its origin not foreign, its token right, its body small.

    ``hosts`` are the names a Host header may carry; ``token`` empty means the server is open.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], token: str, limit: int) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token.encode()
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope, _single(scope["headers"]))
        except MemoryFault as error:
            await refuse(error)(scope, receive, send)
            return
        counted = _Counted(receive, self._limit)
        try:
            await self._app(scope, counted, send)
        except TooLarge as error:
            await refuse(error)(scope, receive, send)

    def _check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if _name(host) not in self._hosts:
            raise Forbidden(f"This server does not answer for the host {host[:100]!r}. Add it to allowed_hosts to permit it.")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and _site(origin) not in self._hosts:
            raise Forbidden("Requests from other web sites are refused.")
        if scope["path"] not in OPEN_PATHS:
            self._authorise(headers.get(b"authorization", b""))
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._limit:
            raise TooLarge(_too_large(self._limit))
        if scope["method"] in ("POST", "PUT", "PATCH") and _media(headers) != b"application/json":
            raise Invalid("Send JSON with the header Content-Type: application/json.")

    def _authorise(self, header: bytes) -> None:
        if not self._token:
            return
        scheme, _, given = header.partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            raise Refused(
                "A valid token is needed: send Authorization: Bearer with the token of the data directory's auth-token file."
            )


class _Counted:
    """A receive that stops a body which grows past the limit without saying so."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit
        self._limit = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLarge(_too_large(self._limit))
        return message


def _too_large(limit: int) -> str:
    return f"The body is larger than {limit} bytes. Send less, or send it in parts."


def _single(pairs: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    headers: dict[bytes, bytes] = {}
    for name, value in pairs:
        if name in _ONCE and name in headers:
            raise Invalid(f"The header {name.decode()} is there twice. Send it once.")
        headers[name] = value
    return headers


def _site(origin: str) -> str:
    """The host name of an origin, empty where there is none."""
    try:
        return _name(urlsplit(origin).netloc)
    except ValueError:  # brackets that do not close
        return ""


def _media(headers: dict[bytes, bytes]) -> bytes:
    return headers.get(b"content-type", b"").split(b";")[0].strip().lower()


def _name(host: str) -> str:
    """The name in ``host`` or ``host:port`` or ``[v6]:port``, lower-cased."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()
