"""One HTTP/1.1 exchange over a socket.

``http.client`` brings the mail parser with it, which the bridge has no time for. No redirects, no proxies, one
connection an exchange.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO

from ai_memory.errors import Invalid

_LINE = 65_536
_HEADERS = 200
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: ``base`` is the path it is mounted at, without a slash at its end."""

    secure: bool
    host: str
    port: int
    base: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.secure else 80) else f"{name}:{self.port}"


def address(url: str) -> Address:
    """The address in an http or https URL. Raises ``Invalid`` for anything else, and for one with a user in it."""
    scheme, found, rest = url.partition("://")
    authority, _, base = rest.partition("/")
    secure = scheme.lower() == "https"
    bad = Invalid(f"{url[:200]!r} is no server address. Use http://host:port or https://host:port.")
    if not found or scheme.lower() not in ("http", "https") or "@" in authority or not url.isascii():
        raise bad
    if authority.startswith("["):
        host, closed, port = authority[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = authority.partition(":")
        closed = "]"
    if not host or not closed or not url.isprintable() or any(c in url for c in " ?#") or not (port or "1").isdigit():
        raise bad
    number = int(port) if port else (443 if secure else 80)
    if not 0 < number < 65_536:
        raise bad
    return Address(secure, host, number, ("/" + base.strip("/")) if base.strip("/") else "")


class Answer:
    """The reply: ``status``, ``headers`` by lower-case name, and the body, which is read while the answer is open."""

    def __init__(self, link: socket.socket, head: bool = False) -> None:
        self._link = link
        self._file: BinaryIO = link.makefile("rb")
        self.status, self.headers = _head(self._file)
        self._empty = head or self.status in (204, 304)

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, whatever is left unread."""
        self._file.close()
        self._link.close()

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives. Raises ConnectionError if it is cut short."""
        if self._empty:
            return
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            yield from self._chunked()
            return
        said = self.headers.get("content-length", "")
        left = int(said) if said.isascii() and said.isdigit() else None
        while left is None or left > 0:
            # read1 gives what has come; read would wait for a full buffer while a stream says nothing.
            piece = self._file.read1(_CHUNK if left is None else min(left, _CHUNK))  # type: ignore[attr-defined]
            if not piece:
                if left:
                    raise ConnectionError("the answer ended early")
                return
            left = None if left is None else left - len(piece)
            yield piece

    def read(self, limit: int = 64 * 1024 * 1024) -> bytes:
        """The whole body. Raises ConnectionError over ``limit`` bytes."""
        body = bytearray()
        for piece in self.pieces():
            body += piece
            if len(body) > limit:
                raise ConnectionError(f"the answer is larger than {limit} bytes")
        return bytes(body)

    def _chunked(self) -> Iterator[bytes]:
        while True:
            line = self._file.readline(_LINE).split(b";")[0].strip()
            try:
                left = int(line, 16)
            except ValueError:
                raise ConnectionError("the answer is not well formed") from None
            if left <= 0:
                return
            while left:
                piece = self._file.read1(min(left, _CHUNK))  # type: ignore[attr-defined]
                if not piece:
                    raise ConnectionError("the answer ended early")
                left -= len(piece)
                yield piece
            self._file.readline(_LINE)


def exchange(
    to: Address, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
) -> Answer:
    """Send one request and read the head of its reply. ``target`` begins with a slash and is encoded already.

    ``timeout`` bounds each wait in seconds. Raises OSError if there is no answer, ValueError for a header with a line
    break in it.
    """
    lines = [f"{method} {to.base}{target} HTTP/1.1", f"Host: {to.authority}", "Connection: close"]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header holds a line break")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    link = _connect(to, timeout)
    try:
        _send(link, head, body or b"")
        return Answer(link, method == "HEAD")
    except BaseException:
        link.close()
        raise


def _connect(to: Address, timeout: float) -> socket.socket:
    link = socket.create_connection((to.host, to.port), timeout)
    try:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not to.secure:
            return link
        import ssl  # noqa: PLC0415 - 15 ms and 5 MB that a server on loopback does not need

        return ssl.create_default_context().wrap_socket(link, server_hostname=to.host)
    except BaseException:
        link.close()
        raise


def _send(link: socket.socket, head: bytes, body: bytes) -> None:
    try:
        if len(body) < _CHUNK:
            link.sendall(head + body)
        else:
            link.sendall(head)
            link.sendall(body)
    except (BrokenPipeError, ConnectionResetError):
        # A server that refuses a large body answers and hangs up before it has read all; the answer says why.
        pass


def _head(file: BinaryIO) -> tuple[int, dict[str, str]]:
    while True:
        status = _status(file.readline(_LINE))
        headers: dict[str, str] = {}
        for _ in range(_HEADERS):
            line = file.readline(_LINE)
            if line in (b"\r\n", b"\n"):
                break
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon:
                raise ConnectionError("the answer is not well formed")
            headers[name.strip().lower()] = value.strip()
        else:
            raise ConnectionError("the answer has too many headers")
        if status >= 200 or status == 101:
            return status, headers


def _status(line: bytes) -> int:
    parts = line.split(None, 2)
    if len(parts) < 2 or not parts[0].startswith(b"HTTP/1.") or not parts[1].isdigit():
        raise ConnectionError("no answer" if not line else "the answer is not HTTP")
    return int(parts[1])
