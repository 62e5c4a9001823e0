"""One POST to a server of models: over by its deadline, no redirects, no proxies, an answer of bounded size."""

from __future__ import annotations

import contextlib
import functools
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ai_memory.embed.embedder import Failed

_NAME = "The address of the embedding server"
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is; ``path`` has no slash at its end."""

    secure: bool
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Answer:
    """``headers`` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def address(url: str) -> Address:
    """The address in ``url``: https, or http on this machine. Raises ValueError, whose sentence leaves the URL out."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError(f"{_NAME} is not a URL.") from None
    plain = url.isascii() and url.isprintable() and " " not in url
    if not host or not plain or parts.scheme not in ("http", "https"):
        raise ValueError(f"{_NAME} is not a URL.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError(f"{_NAME} may hold no user, query or fragment; set the key by itself.")
    if parts.scheme == "http" and not _here(host):
        raise ValueError(f"{_NAME} must be https; http is allowed on this machine only.")
    secure = parts.scheme == "https"
    return Address(secure, host, port or (443 if secure else 80), parts.path.rstrip("/"))


def _here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def post(to: Address, path: str, headers: Mapping[str, str], body: bytes, until: float) -> Answer:
    """The answer to ``body``, JSON, by the monotonic time ``until``. Raises ``Failed``: unreachable, slow or answer."""
    link = _connection(to, _left(until, to))
    cut = threading.Event()
    guard: threading.Timer | None = None
    try:
        link.connect()
        # A timeout of the socket bounds one wait; a server that sends a byte a second would outlast any number of them.
        guard = threading.Timer(_left(until, to), _cut, (link.sock, cut))
        guard.daemon = True
        guard.start()
        link.request("POST", path, body, {"Content-Type": "application/json", "Accept": "application/json", **headers})
        with link.getresponse() as reply:
            data = reply.read(_LARGEST + 1)
        if cut.is_set():
            raise TimeoutError
        if len(data) > _LARGEST:
            raise Failed("answer", f"The embedding server at {to} answers with more than 64 MB.")
        return Answer(reply.status, {k.lower(): v for k, v in reply.getheaders()}, data)
    except (OSError, UnicodeError, http.client.HTTPException) as error:
        if cut.is_set() or isinstance(error, TimeoutError):
            raise _slow(to) from None
        raise Failed("unreachable", f"The embedding server at {to} cannot be reached ({_named(error)}).") from None
    finally:
        if guard is not None:
            guard.cancel()
        link.close()


def _connection(to: Address, timeout: float) -> http.client.HTTPConnection:
    if to.secure:
        return http.client.HTTPSConnection(to.host, to.port, timeout=timeout, context=_trust())
    return http.client.HTTPConnection(to.host, to.port, timeout=timeout)


@functools.cache
def _trust() -> ssl.SSLContext:
    """The system's certificates, read once: it takes as long as many a call."""
    return ssl.create_default_context()


def _left(until: float, to: Address) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise _slow(to)
    return left


def _slow(to: Address) -> Failed:
    return Failed("slow", f"The embedding server at {to} did not answer in time.")


def _named(error: Exception) -> str:
    """The kind of an error, never what it quotes."""
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


def _cut(link: socket.socket, cut: threading.Event) -> None:
    cut.set()
    with contextlib.suppress(OSError):
        # The method of the plain socket: TLS would take its own state away under the reading thread.
        socket.socket.shutdown(link, socket.SHUT_RDWR)
