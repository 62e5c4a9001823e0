"""The HTTP application: every route in one table, behind the gate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ai_memory import __version__
from ai_memory.api.hooks import Hooks
from ai_memory.api.memory import Memory
from ai_memory.errors import MemoryFault, Missing
from ai_memory.gate.answers import refuse, reply
from ai_memory.gate.door import Gate
from ai_memory.memory.core import Core

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


def build(core: Core, hosts: list[str], hooks: Hooks, mcp: ASGIApp, lifespan: Lifespan) -> ASGIApp:
    """The application over ``core``. ``mcp`` serves ``/mcp``."""
    app = Starlette(
        routes=[*_routes(hooks, Memory(core)), Route("/mcp", mcp)],
        exception_handlers={MemoryFault: _fault, HTTPException: _http, Exception: _fault},
        lifespan=lifespan,
    )
    return Gate(app, hosts, core.config.token, core.config["body_limit"])


V1 = "/api/v1"
# Method, route, handler of ``Hooks`` or ``Memory``, what it does.
ROUTES: tuple[tuple[str, str, str, str], ...] = (
    ("POST", "/hook", "one", "Capture one event; 202 means on disk."),
    ("POST", "/hook/batch", "batch", "Capture up to 256 events, an outcome for each."),
    ("POST", "/handoff", "context", "What a starting session is told."),
    ("POST", "/handoff/claim", "claim", "The first prompt of a session that was shown an offer."),
    ("GET", f"{V1}/status", "status", "Counts, queues, and the project."),
    ("GET", f"{V1}/projects", "projects", "Every project."),
    ("GET", f"{V1}/search", "search", "Search pages and sessions: `q`, `limit`."),
    ("POST", f"{V1}/search", "search", "The same, in a body."),
    ("GET", f"{V1}/recent", "recent", "The pages that changed last."),
    ("GET", f"{V1}/briefing", "briefing", "Where the project stands."),
    ("GET", f"{V1}/pages/{{path:path}}", "read_page", "A page with its version."),
    ("PUT", f"{V1}/pages/{{path:path}}", "write_page", "Write a page: `body`, `meta`, `expected_version`, `create_only`."),
    ("DELETE", f"{V1}/pages/{{path:path}}", "delete_page", "Delete a page."),
    ("GET", f"{V1}/handoffs", "handoffs", "List handoffs; `state=all` for closed ones too."),
    ("POST", f"{V1}/handoffs", "begin_handoff", "Leave a handoff."),
    ("POST", f"{V1}/handoffs/{{id}}/accept", "accept_handoff", "Take a handoff."),
    ("POST", f"{V1}/handoffs/{{id}}/cancel", "cancel_handoff", "Withdraw a handoff."),
    ("GET", f"{V1}/sessions", "sessions", "List sessions."),
    ("POST", f"{V1}/sessions/finalize", "finalize", "End sessions by hand."),
    ("POST", f"{V1}/trust", "trust", "Agree to the project that a marker names."),
    ("POST", "/admin/reindex", "reindex", "Build the index anew."),
)


def listed() -> list[tuple[str, tuple[str, ...], str]]:
    """Every route for the documentation: path, methods, what it does."""
    table = [(path.replace("{path:path}", "{path}"), (method,), said) for method, path, _, said in ROUTES]
    return [("/healthz", ("GET",), "Whether the server is up."), ("/mcp", ("POST",), "MCP over Streamable HTTP."), *table]


def _routes(hooks: Hooks, memory: Memory) -> list[BaseRoute]:
    found: list[BaseRoute] = [Route("/healthz", _health)]
    for method, path, handler, _ in ROUTES:
        owner = hooks if hasattr(hooks, handler) else memory
        found.append(Route(path, getattr(owner, handler), methods=[method]))
    return found


async def _health(request: Request) -> Response:
    return reply({"status": "ok", "version": __version__})


async def _fault(request: Request, error: Exception) -> Response:
    return refuse(error)


async def _http(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    if status == 404:
        return refuse(Missing(f"There is nothing at {request.url.path[:200]}."))
    said: dict[str, Any] = {"code": "http", "message": f"{getattr(error, 'detail', 'refused')}."}
    return reply({"error": said}, status, dict(getattr(error, "headers", None) or {}))
