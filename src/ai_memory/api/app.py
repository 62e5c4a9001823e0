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


def _routes(hooks: Hooks, memory: Memory) -> list[BaseRoute]:
    v1 = "/api/v1"
    return [
        Route("/healthz", _health),
        Route("/hook", hooks.one, methods=["POST"]),
        Route("/hook/batch", hooks.batch, methods=["POST"]),
        Route("/handoff", hooks.context, methods=["POST"]),
        Route("/handoff/claim", hooks.claim, methods=["POST"]),
        Route(f"{v1}/status", memory.status),
        Route(f"{v1}/projects", memory.projects),
        Route(f"{v1}/search", memory.search, methods=["GET", "POST"]),
        Route(f"{v1}/recent", memory.recent),
        Route(f"{v1}/briefing", memory.briefing),
        Route(f"{v1}/pages/{{path:path}}", memory.read_page, methods=["GET"]),
        Route(f"{v1}/pages/{{path:path}}", memory.write_page, methods=["PUT"]),
        Route(f"{v1}/pages/{{path:path}}", memory.delete_page, methods=["DELETE"]),
        Route(f"{v1}/handoffs", memory.handoffs, methods=["GET"]),
        Route(f"{v1}/handoffs", memory.begin_handoff, methods=["POST"]),
        Route(f"{v1}/handoffs/{{id}}/accept", memory.accept_handoff, methods=["POST"]),
        Route(f"{v1}/handoffs/{{id}}/cancel", memory.cancel_handoff, methods=["POST"]),
        Route(f"{v1}/sessions", memory.sessions, methods=["GET"]),
        Route(f"{v1}/sessions/finalize", memory.finalize, methods=["POST"]),
        Route(f"{v1}/trust", memory.trust, methods=["POST"]),
        Route("/admin/reindex", memory.reindex, methods=["POST"]),
    ]


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
