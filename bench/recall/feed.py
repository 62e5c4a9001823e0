"""A set put into a server the way agents put things there: hook events in batches, pages over the API."""

from __future__ import annotations

import base64
import json
import random
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

from bench.process import Server
from bench.recall.values import Corpus, Page, Session, Turn

_BATCH = 256
_AGENT = "claude-code"
_PATIENCE = 120.0


@dataclass(frozen=True)
class Poured:
    """How many events and pages went in, the seconds that took, and until all of it could be found."""

    events: int
    pages: int
    seconds: float
    searchable: float


def facts(project: str) -> dict[str, Any]:
    """What a client in the checkout of ``project`` sees."""
    return {
        "machine": "bench", "cwd": f"/code/{project}", "home": "/home/dev", "root": f"/code/{project}", "root_name": project,
        "branch": "main", "remotes": {"origin": f"example.com/acme/{project}"},
    }  # fmt: skip


def header(project: str) -> dict[str, str]:
    return {"X-AI-Memory-Facts": base64.urlsafe_b64encode(json.dumps(facts(project)).encode()).decode()}


def natives(corpus: Corpus) -> dict[str, str]:
    """The id that each session has with its agent: random, and the same in every run."""
    draw = random.Random(f"{corpus.name} {corpus.source}")
    return {session.key: str(uuid.UUID(int=draw.getrandbits(128), version=4)) for session in corpus.sessions}


def pour(server: Server, corpus: Corpus) -> Poured:
    """Sessions in the order of their dates, then pages in the order given; returns once all of it can be found."""
    named = natives(corpus)
    waiting: list[dict[str, Any]] = []
    count, began = 0, time.perf_counter()
    for session in sorted(corpus.sessions, key=lambda one: one.at):
        waiting += events(session, named[session.key])
        while len(waiting) >= _BATCH:
            count += _send(server, waiting[:_BATCH])
            del waiting[:_BATCH]
    count += _send(server, waiting)
    seconds = time.perf_counter() - began
    written_up(server, corpus)
    for page in corpus.pages:
        put(server, page)
    server.caught_up()
    return Poured(count, len(corpus.pages), seconds, time.perf_counter() - began)


def put(server: Server, page: Page) -> None:
    body = {"body": page.body, "title": page.title, "meta": dict(page.meta)}
    server.send("PUT", f"/api/v1/pages/{quote(page.path)}", body, header(page.project))


def events(session: Session, native: str) -> Iterator[dict[str, Any]]:
    """The items of ``/hook/batch`` for one session, a minute apart."""
    told = facts(session.project)
    said = [("session-start", {"source": "startup"}), *map(_event, session.turns), ("session-end", {"reason": "exit"})]
    for minute, (name, body) in enumerate(said):
        at = (session.at + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
        asked = {"event": name, "agent": _AGENT, "ingest_key": f"{native[:23].replace('-', '')}-{minute}", "occurred_at": at}
        yield {
            "url": f"/hook?{urlencode(asked)}",
            "body": body | {"session_id": native, "cwd": told["cwd"], "hook_event_name": name},
            "facts": told,
        }


def _event(turn: Turn) -> tuple[str, dict[str, Any]]:
    if turn.role == "user":
        return "user-prompt-submit", {"prompt": turn.text}
    if turn.role == "assistant":
        return "stop", {"last_assistant_message": turn.text}
    response: Any = {"stdout": "" if turn.failed else turn.text, "stderr": turn.text if turn.failed else "", "interrupted": False}
    return "post-tool-use", {"tool_name": turn.tool, "tool_input": dict(turn.given), "tool_response": response}


def _send(server: Server, items: list[dict[str, Any]]) -> int:
    if not items:
        return 0
    answer = server.send("POST", "/hook/batch", items)
    odd = {one["outcome"] for one in answer["results"]} - {"stored", "replayed"}
    if odd or answer["accepted"] != len(items):
        raise RuntimeError(f"of {len(items)} events {answer['accepted']} were taken; odd outcomes: {sorted(odd)}")
    return len(items)


def sessions(server: Server, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get("/api/v1/sessions?limit=500", header(project))["sessions"]
    return found


def written_up(server: Server, corpus: Corpus) -> None:
    """Wait until every session that ended has been written up."""
    began = time.perf_counter()
    for project in corpus.projects:
        while not all(one["ended"] for one in sessions(server, project)):
            if time.perf_counter() - began > _PATIENCE:
                raise RuntimeError(f"sessions of {project} were not written up")
            time.sleep(0.1)


def embedded(server: Server, limit: float = 3_600.0) -> str:
    """Wait until nothing waits for a vector; why there are none, or nothing."""
    began = quiet = time.perf_counter()
    while True:
        status = server.get("/api/v1/status")
        told = status.get("embedding")
        if told is None:
            return "this version has no vectors"
        now = time.perf_counter()
        if not told["model"] and told["note"] and now - began > 2 and "being opened" not in told["note"]:
            return str(told["note"])
        if not told["model"] or status["embedding_pending"]:
            quiet = now
        if now - quiet > 2:  # passages are cut in turns, so that nothing may wait for a moment
            return ""
        if now - began > limit:
            return f"{status['embedding_pending']} passages still wait for vectors"
        time.sleep(0.2)
