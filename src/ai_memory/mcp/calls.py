"""A tool call: check the arguments, call one verb, render the answer as text a model reads well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from ai_memory.domain import fence
from ai_memory.domain.actor import Actor
from ai_memory.domain.facts import Facts
from ai_memory.errors import Invalid, Missing
from ai_memory.index.values import Hit
from ai_memory.mcp.tools import TOOLS, Tool
from ai_memory.memory import handoffs, pages, places, search, status
from ai_memory.memory.core import Core
from ai_memory.memory.pages import Draft
from ai_memory.memory.places import Where
from ai_memory.relay import offer

_BY_NAME = {tool.name: tool for tool in TOOLS}
_KINDS = {"string": str, "integer": int, "boolean": bool, "array": list}
_SNIPPET = 260


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the facts of its directory, its agent and its native session id."""

    actor: Actor
    facts: Facts
    agent: str = ""
    session: str = ""


def call(core: Core, caller: Caller, name: str, arguments: Mapping[str, Any]) -> str:
    """The answer of a tool as text. Raises the catalogue's errors; their text is fit for a model."""
    tool = _BY_NAME.get(name)
    if tool is None:
        raise Missing(f"There is no tool {name[:60]!r}. Tools: {', '.join(_BY_NAME)}.")
    given = _checked(tool, arguments)
    where = Where(caller.facts, given.pop("workspace", ""), given.pop("project", ""))
    return _VERBS[name](core, caller, where, given)


def _query(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    answer = search.query(core, caller.actor, where, given["query"], given.get("limit", 5))
    if not answer.hits:
        return f"Nothing is remembered about this in {_named(answer.scope)}."
    text = "\n".join(_hit(hit) for hit in answer.hits)
    return fence.wrap(f"{_named(answer.scope)} :\n{text}", "query")


def _recent(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    rows, scope = search.recent(core, caller.actor, where, given.get("limit", 10))
    lines = [f"- {row.path}: {row.title} ({row.at[:10]})" for row in rows]
    return fence.wrap(f"{_named(scope)}:\n" + ("\n".join(lines) or "No pages yet."), "recent")


def _read_page(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    page = pages.read(core, caller.actor, where, given["path"])
    head = f"{page['path']} · version {page['version']} · by {page['by']} · {page['at']} · {_named(page['scope'])}"
    return fence.wrap(f"{head}\n\n{page['body']}", "page")


def _write_page(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    meta = {key: given[key] for key in ("title", "description", "tags") if given.get(key)}
    draft = Draft(given["path"], given["body"], meta, given.get("expected_version"), bool(given.get("create_only")))
    written = pages.write(core, caller.actor, where, draft)
    did = "Wrote" if written.changed else "Unchanged:"
    return f"{did} {written.path} in {_named(written.scope)}. Version {written.version}."


def _briefing(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    answer = search.briefing(core, caller.actor, where, given.get("limit", 10))
    return fence.wrap(_json(answer), "briefing")


def _begin(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    names = {"open_questions": "questions", "next_steps": "steps", "files_touched": "files"}
    said = {names.get(key, key): value for key, value in given.items()}
    baton = handoffs.begin(core, caller.actor, where, said, caller.agent, caller.session)
    return f"Handoff {baton.id} waits for the next session in {_here(core, where)}. It expires {baton.expires[:10]}."


def _accept(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    claim = handoffs.accept(core, caller.actor, where, given.get("handoff_id", ""), caller.agent, caller.session)
    if not claim.text:
        return f"No open handoff fits in {_here(core, where)}."
    return f"Taken over in {_here(core, where)}.\n{claim.text}"


def _list(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    found = handoffs.listing(core, caller.actor, where, given.get("limit", 20))
    return f"{_here(core, where)}:\n{offer.offers_listing(found, core.now())}"


def _cancel(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    gone = handoffs.cancel(core, caller.actor, where, given["handoff_id"])
    return f"Handoff {gone.id} is withdrawn from {_here(core, where)}."


def _status(core: Core, caller: Caller, where: Where, given: dict[str, Any]) -> str:
    return _json(status.status(core, caller.actor, where))


_VERBS: dict[str, Callable[[Core, Caller, Where, dict[str, Any]], str]] = {
    "memory_query": _query,
    "memory_recent": _recent,
    "memory_read_page": _read_page,
    "memory_write_page": _write_page,
    "memory_briefing": _briefing,
    "memory_handoff_begin": _begin,
    "memory_handoff_accept": _accept,
    "memory_handoff_list": _list,
    "memory_handoff_cancel": _cancel,
    "memory_status": _status,
}


def _checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    properties = tool.schema["properties"]
    unknown = [key for key in arguments if key not in properties]
    if unknown:
        raise Invalid(f"{tool.name} takes no {unknown[0][:60]!r}. It takes: {', '.join(properties)}.")
    given = {key: value for key, value in arguments.items() if value is not None}
    for key in tool.required:
        if not given.get(key):
            raise Invalid(f"{tool.name} needs {key}: {properties[key]['description']}")
    for key, value in given.items():
        kind = properties[key]["type"]
        wrong = not isinstance(value, _KINDS[kind]) or (kind == "integer" and isinstance(value, bool))
        if wrong or (kind == "array" and not all(isinstance(item, str) for item in value)):
            raise Invalid(f"{tool.name}: {key} must be of type {kind}{' of strings' if kind == 'array' else ''}.")
    return given


def _hit(hit: Hit) -> str:
    snippet = " ".join(hit.snippet.split())[:_SNIPPET]
    if hit.path:
        return f"- {hit.path} · {hit.title} · {hit.kind} · {hit.at[:10]}\n  {snippet}"
    return f"- session {hit.session[:8]} ({hit.agent}) · {hit.role} · {hit.at[:16]}\n  {snippet}"


def _named(scope: Mapping[str, Any]) -> str:
    return f"{scope['workspace']}/{scope['project'] or '(no project here)'} (by {scope['resolved_by']})"


def _here(core: Core, where: Where) -> str:
    return _named(places.said(places.find(core, where)))


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
