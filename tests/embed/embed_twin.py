"""A server of models on loopback that answers as a test says, and what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Twin:
    """``answer`` (n-th request from 0, request) gives the reply; it may wait for ``stop`` or write to the socket."""

    answer: Callable[[int, Asked], Reply]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)


def vectors(asked: Asked, dimension: int = 4) -> Reply:
    """One vector a text, the first number its position from 1; given in reverse order."""
    rows = [{"index": i, "embedding": [i + 1.0] + [0.0] * (dimension - 2) + [1.0]} for i in range(len(asked.body["input"]))]
    return 200, {"Content-Type": "application/json"}, json.dumps({"object": "list", "data": rows[::-1]}).encode()


@contextlib.contextmanager
def serve(answer: Callable[[int, Asked], Reply]) -> Iterator[Twin]:
    twin = Twin(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            twin.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            status, headers, data = twin.answer(len(twin.asked) - 1, twin.asked[-1])
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if headers.get("X-Drip"):
                    for byte in data:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        if twin.stop.wait(0.05):
                            return
                else:
                    self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    twin.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield twin
    finally:
        twin.stop.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
