"""Clients that write without pause and remember what was acknowledged. A request whose reply was lost is sent again."""

from __future__ import annotations

import base64
import contextlib
import http.client
import itertools
import json
import random
import secrets
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

PROJECTS = ("amber", "birch", "cedar")
_TRIES = 2_000


@dataclass
class Page:
    """An acknowledged write: the version that holds ``mark``. ``own``: no other client writes this page.

    Unless ``made``, the write said what stood there already, and ``version`` may be a later one of another client.
    """

    project: str
    path: str
    version: str
    mark: str
    own: bool
    made: bool


@dataclass
class Acks:
    """What was acknowledged, by the number of the request."""

    events: dict[int, list[str]] = field(default_factory=dict)
    pages: dict[int, Page] = field(default_factory=dict)
    retries: int = 0
    replayed: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        return [key for keys in self.events.values() for key in keys]


class Client(threading.Thread):
    """One client with a connection of its own. ``numbers`` gives each request its number, sent as ``X-Req``."""

    def __init__(self, name: int, port: int, numbers: itertools.count[int], stop: threading.Event, pause: float) -> None:
        super().__init__(name=f"client-{name}", daemon=True)
        self.acks = Acks()
        self._me = name
        self._port = port
        self._numbers = numbers
        self._stopping = stop
        self._pause = pause
        self._dice = random.Random(name)
        self._wire: http.client.HTTPConnection | None = None
        self._session = ""

    def run(self) -> None:
        try:
            while not self._stopping.wait(self._pause):
                self._dice.choices((self._single, self._batch, self._page), (6, 2, 3))[0]()
        finally:
            if self._wire is not None:
                self._wire.close()

    def _single(self) -> None:
        key, url, body = self._event()
        number, status, answer = self._send("POST", url, body)
        if status == 202 and answer["outcome"] in ("stored", "replayed"):
            self.acks.events[number] = [key]
            self.acks.replayed += answer["outcome"] == "replayed"
        elif status:
            self.acks.refused.append(f"{status} {answer}"[:300])

    def _batch(self) -> None:
        items = [self._event() for _ in range(self._dice.randint(2, 12))]
        number, status, answer = self._send("POST", "/hook/batch", [{"url": url, "body": body} for _, url, body in items])
        if status != 200:
            if status:
                self.acks.refused.append(f"{status} {answer}"[:300])
            return
        self.acks.events[number] = [items[r["index"]][0] for r in answer["results"] if r["outcome"] in ("stored", "replayed")]
        self.acks.replayed += sum(r["outcome"] == "replayed" for r in answer["results"])

    def _page(self) -> None:
        own = self._dice.random() < 0.8
        path = f"notes/own-{self._me}-{self._dice.randrange(3)}.md" if own else f"notes/shared-{self._dice.randrange(4)}.md"
        project, mark = self._dice.choice(PROJECTS), secrets.token_hex(8)
        url = f"/api/v1/pages/{path}"
        said = {"body": f"# Note {mark}\n\nWhat client {self._me} learned of {mark}.\n" * self._dice.randint(1, 40)}
        number, status, answer = self._send("PUT", url, said, _facts(project))
        if status == 200:
            self.acks.pages[number] = Page(answer["scope"]["project"], path, answer["version"], mark, own, answer["changed"])
        elif status:
            self.acks.refused.append(f"{status} {answer}"[:300])

    def _event(self) -> tuple[str, str, dict[str, Any]]:
        key = secrets.token_hex(16)
        kind = self._dice.choice(("user-prompt", "post-tool-use", "stop"))
        if not self._session or self._dice.random() < 0.02:
            self._session = f"s-{self._me}-{secrets.token_hex(4)}"
        elif self._dice.random() < 0.015:
            kind = "session-end"
        project = PROJECTS[int(self._session[-1], 16) % len(PROJECTS)]
        query = {"event": kind, "agent": "claude-code", "ingest_key": key, "cwd": f"/src/{project}",
                 "identity": f"example.org/crash/{project}"}  # fmt: skip
        text = f"round {key} of queue.py " * self._dice.randint(1, 30)
        body: dict[str, Any] = {"session_id": self._session, "cwd": f"/src/{project}"}
        body |= {
            "user-prompt": {"prompt": text},
            "post-tool-use": {"tool_name": "Bash", "tool_input": {"command": f"pytest -k {key}"}, "tool_response": {"stdout": text}},
            "stop": {"last_assistant_message": text},
            "session-end": {"reason": "other"},
        }[kind]
        return key, "/hook?" + urlencode(query), body

    def _send(self, method: str, url: str, said: Any, more: dict[str, str] | None = None) -> tuple[int, int, Any]:
        """(number of the try that was answered, status, answer); status 0 if the load was stopped before an answer."""
        data = json.dumps(said).encode()
        for turn in range(_TRIES):
            number = next(self._numbers)
            headers = {"Content-Type": "application/json", "X-Req": f"<{number}>"} | (more or {})
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                if self._wire is None:
                    self._wire = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
                self._wire.request(method, url, data, headers)
                reply = self._wire.getresponse()
                answer = json.loads(reply.read())
                if reply.status not in (429, 500, 503):
                    return number, reply.status, answer
            if self._wire is not None:
                self._wire.close()
                self._wire = None
            self.acks.retries += turn == 0
            if self._stopping.wait(0.02):
                return number, 0, None
        return number, 0, None


def _facts(project: str) -> dict[str, str]:
    facts = {"cwd": f"/src/{project}", "root": f"/src/{project}", "remotes": {"origin": f"example.org/crash/{project}"}}
    return {"X-AI-Memory-Facts": base64.urlsafe_b64encode(json.dumps(facts).encode()).decode()}


class Load:
    """``count`` clients at work between ``start`` and ``stop``."""

    def __init__(self, port: int, count: int = 16, pause: float = 0.0) -> None:
        self._stop = threading.Event()
        numbers = itertools.count(1)
        self.clients = [Client(name, port, numbers, self._stop, pause) for name in range(count)]

    def start(self) -> None:
        for client in self.clients:
            client.start()

    def stop(self) -> Acks:
        """Stop, and everything that was acknowledged."""
        self._stop.set()
        whole = Acks()
        for client in self.clients:
            client.join(60)
            assert not client.is_alive()
            whole.events |= client.acks.events
            whole.pages |= client.acks.pages
            whole.retries += client.acks.retries
            whole.replayed += client.acks.replayed
            whole.refused += client.acks.refused
        return whole
