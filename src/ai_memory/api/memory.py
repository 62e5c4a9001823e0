"""The routes of ``/api/v1``: each parses, calls one verb, and renders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ai_memory.errors import Invalid
from ai_memory.gate import asked
from ai_memory.gate.answers import reply
from ai_memory.memory import handoffs, pages, places, rebuild, search, sessions, status
from ai_memory.memory.core import Core
from ai_memory.memory.pages import Draft
from ai_memory.memory.places import Where

# The fields of a page beside its body: type, and how to say it.
_TYPES: tuple[tuple[str, type, str], ...] = (
    ("title", str, "text"),
    ("description", str, "text"),
    ("kind", str, "text"),
    ("tags", list, "a list of texts"),
    ("pinned", bool, "true or false"),
    ("create_only", bool, "true or false"),
    ("expected_version", str, "a version's id"),
)


class Memory:
    """The handlers over one core."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def status(self, request: Request) -> Response:
        return await self._run(status.status, request)

    async def projects(self, request: Request) -> Response:
        return reply({"projects": await run_in_threadpool(status.everything, self._core, asked.actor(request))})

    async def search(self, request: Request) -> Response:
        said = await asked.fields(request) if request.method == "POST" else dict(request.query_params)
        text = _words(said, "q") or _words(said, "query")
        answer = await self._call(search.query, request, text, _number(said, "limit", 10))
        return reply({"hits": [asdict(hit) for hit in answer.hits], "scope": answer.scope})

    async def recent(self, request: Request) -> Response:
        rows, scope = await self._call(search.recent, request, _number(dict(request.query_params), "limit", 10))
        return reply({"pages": [asdict(row) for row in rows], "scope": scope})

    async def briefing(self, request: Request) -> Response:
        return await self._run(search.briefing, request)

    async def read_page(self, request: Request) -> Response:
        return await self._run(pages.read, request, request.path_params["path"])

    async def write_page(self, request: Request) -> Response:
        said = await asked.fields(request)
        draft = draft_from(said | {"path": request.path_params["path"]})
        return reply(asdict(await self._call(pages.write, request, draft)))

    async def delete_page(self, request: Request) -> Response:
        expected = request.query_params.get("expected_version")
        gone = await self._call(pages.delete, request, request.path_params["path"], expected)
        return reply({"deleted": gone, "scope": await self._scope(request)})

    async def handoffs(self, request: Request) -> Response:
        closed = request.query_params.get("state") == "all"
        limit = _number(dict(request.query_params), "limit", 50)
        found = await self._call(handoffs.listing, request, limit, closed)
        return reply({"handoffs": [asdict(baton) for baton in found], "scope": await self._scope(request)})

    async def begin_handoff(self, request: Request) -> Response:
        said = await asked.fields(request)
        baton = await self._call(handoffs.begin, request, said, *asked.agent(request))
        return reply({"handoff": asdict(baton), "scope": await self._scope(request)})

    async def accept_handoff(self, request: Request) -> Response:
        claim = await self._call(handoffs.accept, request, request.path_params["id"], *asked.agent(request))
        return reply({"state": claim.state, "text": claim.text, "scope": await self._scope(request)})

    async def cancel_handoff(self, request: Request) -> Response:
        baton = await self._call(handoffs.cancel, request, request.path_params["id"])
        return reply({"handoff": asdict(baton), "scope": await self._scope(request)})

    async def sessions(self, request: Request) -> Response:
        found = await self._call(sessions.recent, request, _number(dict(request.query_params), "limit", 20))
        return reply({"sessions": found, "scope": await self._scope(request)})

    async def finalize(self, request: Request) -> Response:
        said = await asked.fields(request)
        ended = await self._call(sessions.finalize, request, _words(said, "session"), _words(said, "agent"))
        return reply({"finished": [asdict(one) for one in ended], "scope": await self._scope(request)})

    async def trust(self, request: Request) -> Response:
        project, marker = await run_in_threadpool(places.trust, self._core, self._where(request))
        return reply({"project": asdict(project), "marker": marker})

    async def reindex(self, request: Request) -> Response:
        return reply(await run_in_threadpool(rebuild.reindex, self._core, asked.actor(request)))

    def _where(self, request: Request) -> Where:
        query = request.query_params
        return Where(asked.facts(request), query.get("workspace", ""), query.get("project", ""))

    async def _scope(self, request: Request) -> dict[str, Any]:
        return places.said(await run_in_threadpool(places.find, self._core, self._where(request)))

    async def _call(self, verb: Callable[..., Any], request: Request, *rest: Any) -> Any:
        return await run_in_threadpool(partial(verb, self._core, asked.actor(request), self._where(request), *rest))

    async def _run(self, verb: Callable[..., Any], request: Request, *rest: Any) -> Response:
        return reply(await self._call(verb, request, *rest))


def draft_from(said: dict[str, Any]) -> Draft:
    """The page a caller wants. Raises ``Invalid`` when a field has the wrong type."""
    body, meta = said.get("body"), said.get("meta")
    if not isinstance(body, str):
        raise Invalid("A page needs a body, as text.")
    if not isinstance(meta, dict | None):
        raise Invalid("meta must be an object of front matter keys.")
    for key, kind, wanted in _TYPES:
        value = said.get(key)
        if value is not None and not (isinstance(value, kind) and _all_texts(value)):
            raise Invalid(f"{key} must be {wanted}.")
    named = {key: said[key] for key in ("title", "description", "tags", "pinned", "kind") if said.get(key) is not None}
    return Draft(
        path=str(said.get("path") or ""),
        body=body,
        meta={**(meta or {}), **named},
        expected=said.get("expected_version"),
        create=said.get("create_only") is True,
    )


def _all_texts(value: object) -> bool:
    return not isinstance(value, list) or all(isinstance(item, str) for item in value)


def _words(said: dict[str, Any], name: str) -> str:
    value = said.get(name)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"{name} must be text.")
    return value or ""


def _number(said: dict[str, Any], name: str, default: int) -> int:
    value = said.get(name, default)
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"{name} must be a whole number.")
    return value
