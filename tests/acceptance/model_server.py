"""A scripted model on loopback: it records every request and answers by the script. One file a dialect."""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.acceptance import dialect_anthropic, dialect_responses
from tests.acceptance.script import Asked, Rule, Say, Script, Shell, answer

DIALECTS: tuple[ModuleType, ...] = (dialect_anthropic, dialect_responses)


@dataclass(frozen=True)
class Request:
    """One recorded request: unix seconds, path, lower-case headers, JSON body, and how the dialect read it."""

    at: float
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    asked: Asked | None

    @property
    def text(self) -> str:
        """The body as JSON text with plain characters, for searching."""
        return json.dumps(self.body, ensure_ascii=False)


class ModelServer:
    """Use as a context manager; ``url`` is ``http://127.0.0.1:PORT``. ``log`` gets one JSON object a request."""

    def __init__(self, script: Script, log: Path | None = None, port: int = 0) -> None:
        self.script = script
        self.requests: list[Request] = []
        self._log = log
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", port), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def record(self, request: Request) -> None:
        """Keep ``request``."""
        with self._lock:
            self.requests.append(request)
            if self._log:
                with self._log.open("a", encoding="utf-8") as out:
                    line = {"at": request.at, "path": request.path, "headers": request.headers, "body": request.body}
                    out.write(json.dumps(line) + "\n")

    def asked_with(self, prompt: str, *, tools: bool = True) -> list[Request]:
        """The recorded requests whose last prompt contains ``prompt``; with ``tools`` no side calls."""
        with self._lock:
            found = [r for r in self.requests if r.asked and prompt in r.asked.prompt]
        return [r for r in found if r.asked and (r.asked.tools or not tools)]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that was killed hangs up in the middle; that is no news."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing; requests are recorded."""

        def do_HEAD(self) -> None:
            self._send(200, b"")

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            if path == "/v1/models":
                card = {"id": "scripted", "object": "model", "type": "model", "created": 0, "owned_by": "nobody"}
                self._json(200, {"object": "list", "data": [card], "models": []})
            else:
                self._json(404, {"error": {"type": "not_found_error", "message": path}})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.split("?")[0]
            try:
                body = json.loads(raw or b"{}")
            except ValueError:
                return self._json(400, {"error": {"type": "invalid_request_error", "message": "not JSON"}})
            dialect = next((d for d in DIALECTS if path in d.PATHS), None)
            asked = dialect.read(body) if dialect else None
            headers = {k.lower(): v for k, v in self.headers.items() if k.lower() not in ("authorization", "x-api-key")}
            server.record(Request(time.time(), path, headers, body, asked))
            if path == "/v1/messages/count_tokens":
                return self._json(200, {"input_tokens": 10})
            if dialect is None or asked is None:
                return self._json(404, {"error": {"type": "not_found_error", "message": path}})
            reply = answer(server.script.step(asked), asked)
            if not asked.stream:
                return self._json(200, dialect.plain(body, reply))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for chunk in dialect.stream(body, reply):
                self.wfile.write(chunk)
                self.wfile.flush()
            return None

        def _json(self, status: int, value: Any) -> None:
            self._send(status, json.dumps(value).encode(), "application/json")

        def _send(self, status: int, body: bytes, kind: str = "text/plain") -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def main() -> None:
    """``python -m tests.acceptance.model_server [PORT]``: a model for trying an agent by hand."""
    script = Script(Rule("RUN", (Shell("date"), Say("The command ran."))))
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with ModelServer(script, port=port) as model:
        print(model.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
