"""The one mapper from an error to an HTTP answer."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from starlette.responses import Response

from ai_memory.errors import Busy, Conflict, MemoryFault

log = logging.getLogger(__name__)


def reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """``value`` as a JSON answer. Memory is private: it is never cached."""
    return Response(
        msgspec.json.encode(value), status, {"cache-control": "no-store"} | (headers or {}), media_type="application/json"
    )


def refuse(error: Exception) -> Response:
    """The answer to ``error``: ``{"error": {"code", "message"}}``; what is not in the catalogue is logged and kept general."""
    if not isinstance(error, MemoryFault):
        log.error("a request failed", exc_info=error)
        return reply({"error": {"code": "internal", "message": "The server failed; its log says why."}}, 500)
    said: dict[str, Any] = {"code": error.code, "message": str(error)}
    headers = {}
    if isinstance(error, Conflict) and error.current is not None:
        said["current"] = error.current
    if isinstance(error, Busy):
        headers["retry-after"] = str(error.retry_after)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return reply({"error": said}, error.status, headers)
