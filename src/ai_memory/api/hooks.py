"""The routes that agents' hooks and drainers post to. 202 means: on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ai_memory.domain.actor import Actor
from ai_memory.domain.facts import Facts, facts_from_json
from ai_memory.errors import Invalid, MemoryFault
from ai_memory.gate import asked
from ai_memory.gate.answers import reply
from ai_memory.memory import capture, handoffs
from ai_memory.memory.capture import Envelope, Ready
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where

BATCH = 256
# A larger event is redacted in a thread, so that it does not hold up the others.
INLINE = 32 * 1024
# After so many items of a batch, others have their turn.
_TURN = 16


class Hooks:
    """The handlers over one core. ``drain`` takes in the local spool; ``local`` gives the facts of a local directory."""

    def __init__(self, core: Core, drain: Callable[[], object], local: Callable[[str], Facts]) -> None:
        self._core = core
        self._drain = drain
        self._local = local

    async def one(self, request: Request) -> Response:
        """``POST /hook?event=&agent=…``: one event."""
        data = await request.body()
        envelope = _envelope(dict(request.query_params), asked.decode(data), asked.facts(request))
        ready = await self._prepare(asked.actor(request), envelope, len(data))
        (outcome,) = await asyncio.wrap_future(capture.store(self._core, [ready]))
        return reply({"outcome": outcome}, 202)

    async def batch(self, request: Request) -> Response:
        """``POST /hook/batch``: up to 256 items ``{url, body, facts}``, an outcome each, stored in order, all or none."""
        items = await asked.body(request)
        if not isinstance(items, list) or len(items) > BATCH:
            raise Invalid(f"Send a JSON array of at most {BATCH} items of the form {{url, body}}.")
        actor, ready = asked.actor(request), []
        for index, item in enumerate(items):
            if index % _TURN == _TURN - 1:
                await asyncio.sleep(0)
            try:
                ready.append(await self._prepare(actor, _item(item)))
            except Invalid:
                ready.append(Ready(capture.INVALID))
        try:
            outcomes = await asyncio.wrap_future(capture.store(self._core, ready))
        except MemoryFault:  # full, or the disk is: nothing of it was stored
            answer: dict[str, Any] = {"accepted": 0, "accepted_indices": [], "results": [], "failed_index": 0}
            return reply(answer, 429, {"retry-after": "1"})
        results = [{"index": index, "outcome": outcome} for index, outcome in enumerate(outcomes)]
        return reply({"accepted": len(results), "accepted_indices": list(range(len(results))), "results": results})

    async def context(self, request: Request) -> Response:
        """``POST /handoff``: what a starting session is told."""
        said = await asked.fields(request)
        facts = asked.facts(request)
        if said.get("drain"):
            await run_in_threadpool(self._drain)
            hook = said.get("hook")
            if isinstance(hook, Mapping) and not facts.cwd:
                facts = await run_in_threadpool(self._local, _text(hook, "cwd", 4096))
        found = await run_in_threadpool(
            handoffs.context, self._core, asked.actor(request), Where(facts),
            _text(said, "agent"), _text(said, "session"), _text(said, "source"),
        )  # fmt: skip
        return reply({"text": found.text, "offer": found.offer, "scope": found.scope})

    async def claim(self, request: Request) -> Response:
        """``POST /handoff/claim``: the first prompt of a session that was shown an offer."""
        said = await asked.fields(request)
        session = handoffs.session(_text(said, "agent"), _text(said, "session"))
        claim = await run_in_threadpool(handoffs.claim, self._core, asked.actor(request), session)
        return reply({"state": claim.state, "text": claim.text})

    async def _prepare(self, actor: Actor, envelope: Envelope, size: int = 0) -> Ready:
        if size <= INLINE:
            seen = capture.see(self._core, envelope)
            if seen.session is not None:
                return capture.prepare(self._core, actor, seen)
        return await run_in_threadpool(self._blocking, actor, envelope)

    def _blocking(self, actor: Actor, envelope: Envelope) -> Ready:
        return capture.prepare(self._core, actor, capture.see(self._core, envelope))


def _item(item: Any) -> Envelope:
    if not isinstance(item, Mapping) or not isinstance(item.get("url"), str):
        raise Invalid("An item needs a url and a body.")
    facts = asked.same_facts(item["facts"]) if item.get("facts") else Facts()
    return _envelope(dict(parse_qsl(urlsplit(item["url"]).query)), item.get("body"), facts)


def _envelope(query: Mapping[str, str], body: Any, facts: Facts) -> Envelope:
    if not query.get("event") or not query.get("agent"):
        raise Invalid("Say which event and which agent: POST /hook?event=…&agent=….")
    if not isinstance(body, Mapping):
        raise Invalid("An event's body is a JSON object.")
    return Envelope(
        event=query["event"],
        agent=query["agent"],
        key=query.get("ingest_key", ""),
        facts=facts if facts.cwd or facts.markers else _told(query),
        body=body,
        at=query.get("occurred_at", ""),
        session=query.get("session_id", ""),
    )


def _told(query: Mapping[str, str]) -> Facts:
    """The facts a sender put into the query: cwd, identity (host/owner/repo), workspace and project."""
    cwd = query.get("cwd", "")
    plain: dict[str, Any] = {"cwd": cwd, "machine": query.get("machine", "")}
    if query.get("identity"):
        plain |= {"remotes": {"origin": query["identity"]}, "root": cwd}
    if query.get("project") and cwd:
        plain["markers"] = [{"dir": cwd, "project": query["project"], "workspace": query.get("workspace", "")}]
    return facts_from_json(plain)


def _text(said: Mapping[str, Any], name: str, longest: int = 512) -> str:
    value = said.get(name)
    return value[:longest] if isinstance(value, str) else ""
