"""A load generator that costs little: raw sockets, keep-alive, one request in flight a client. A process of its own.

    python -m bench.load PORT CLIENTS REQUESTS BATCH RUN       prints one JSON line: seconds, milliseconds of each request
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time

from ai_memory.demo import recording

FACTS = {
    "machine": "bench", "cwd": "/code/shop", "home": "/home/dev", "root": "/code/shop", "root_name": "shop", "branch": "main",
    "remotes": {"origin": "example.com/acme/shop"}, "root_commit": "1" * 40,
}  # fmt: skip
_HEADER = base64.urlsafe_b64encode(json.dumps(FACTS).encode()).decode()


def events() -> list[tuple[str, dict[str, object]]]:
    """The tool outcomes and answers of the bundled recording."""
    found = [(one.event, one.payload) for one in recording.read("/code/shop", "/home/dev")]
    return [one for one in found if one[0] in ("post-tool-use", "stop", "user-prompt-submit")]


def single(number: int, client: int, run: str) -> bytes:
    kinds = events()
    event, payload = kinds[number % len(kinds)]
    body = json.dumps(payload | {"session_id": f"{run}-{client}", "n": number}).encode()
    head = f"POST /hook?event={event}&agent=claude-code&ingest_key={run}-{client}-{number} HTTP/1.1\r\n"
    return _request(head, body, f"X-AI-Memory-Facts: {_HEADER}\r\n")


def batch(number: int, client: int, run: str, size: int) -> bytes:
    kinds = events()
    items = []
    for i in range(size):
        event, payload = kinds[i % len(kinds)]
        items.append({
            "url": f"/hook?event={event}&agent=claude-code&ingest_key={run}-{client}-{number}-{i}",
            "body": payload | {"session_id": f"{run}-{client}"}, "facts": FACTS,
        })  # fmt: skip
    return _request("POST /hook/batch HTTP/1.1\r\n", json.dumps(items).encode(), "")


def _request(head: str, body: bytes, more: str) -> bytes:
    rest = f"Host: 127.0.0.1\r\nContent-Type: application/json\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    return (head + rest).encode() + body


class Client(asyncio.Protocol):
    """Sends its requests one after the other and notes how long each took."""

    def __init__(self, requests: list[bytes], done: asyncio.Future[None]) -> None:
        self._requests = iter(requests)
        self._done = done
        self._buffer = b""
        self.times: list[float] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            self._done.set_result(None)
            return
        self._sent = time.perf_counter()
        self._transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        at = head.lower().find(b"content-length:")
        if len(body) < int(head[at + 15 :].split(b"\r\n", 1)[0]):
            return
        if not head.startswith(b"HTTP/1.1 20"):
            self._done.set_exception(RuntimeError(self._buffer[:300].decode("utf-8", "replace")))
            return
        self.times.append((time.perf_counter() - self._sent) * 1000)
        self._buffer = b""
        self.next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(error or ConnectionError("closed"))


async def run(port: int, clients: int, requests: int, size: int, name: str) -> dict[str, object]:
    loop = asyncio.get_running_loop()
    each = max(1, requests // clients)
    started: list[Client] = []
    waiting: list[asyncio.Future[None]] = []
    for client in range(clients):
        made = [batch(n, client, name, size) if size > 1 else single(n, client, name) for n in range(each)]
        done = loop.create_future()
        _, protocol = await loop.create_connection(lambda made=made, done=done: Client(made, done), "127.0.0.1", port)  # type: ignore[misc]
        started.append(protocol)
        waiting.append(done)
    began = time.perf_counter()
    for protocol in started:
        protocol.next()
    await asyncio.gather(*waiting)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "events": each * clients * size, "times": [t for one in started for t in one.times]}


if __name__ == "__main__":
    port, clients, requests, size = map(int, sys.argv[1:5])
    print(json.dumps(asyncio.run(run(port, clients, requests, size, sys.argv[5]))))
