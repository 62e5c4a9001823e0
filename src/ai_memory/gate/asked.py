"""What every request says beside its body: who asks, from where, about which project."""

from __future__ import annotations

import base64
import binascii
import json
import re
from functools import lru_cache
from typing import Any

import msgspec
from starlette.requests import Request

from ai_memory.domain.actor import Actor
from ai_memory.domain.facts import Facts, facts_from_json
from ai_memory.errors import Invalid

_LONGEST = 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


def facts(request: Request) -> Facts:
    """The facts in the header ``X-AI-Memory-Facts`` (base64url JSON). Raises ``Invalid``."""
    return _decoded(request.headers.get("x-ai-memory-facts", ""))


def actor(request: Request) -> Actor:
    """Who asks. The gate has let it through, so it holds the token, or the server is open on loopback."""
    return Actor(client=_name(request))


def agent(request: Request) -> tuple[str, str]:
    """The agent and its native session id, where its client told them."""
    return _name(request), request.headers.get("x-ai-memory-session", "")[:256]


def _name(request: Request) -> str:
    """The agent's name, empty if it is none: it signs pages and handoffs."""
    said = request.headers.get("x-ai-memory-agent", "")
    return said if _NAME.match(said) else ""


async def body(request: Request) -> Any:
    """The request's JSON body. Raises ``Invalid`` with the place of the fault."""
    return decode(await request.body())


async def fields(request: Request) -> dict[str, Any]:
    """The request's JSON body, which must be an object."""
    value = await body(request)
    if not isinstance(value, dict):
        raise Invalid("Send a JSON object.")
    return value


def decode(data: bytes) -> Any:
    """``data`` as JSON. Lone surrogates in it stay harmless text; depth is bounded."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as strict:
        error: Exception = strict
    try:  # agents write halves of characters, which the strict reader refuses; they are no text and become marks
        return json.loads(json.dumps(json.loads(data), ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Invalid(f"The body is not valid JSON ({error}). Mend it and send it again.") from error


def same_facts(value: object) -> Facts:
    """The facts in a decoded JSON value; the same value again costs little. Raises ``Invalid``."""
    return _plain(msgspec.json.encode(value))


@lru_cache(maxsize=64)
def _plain(data: bytes) -> Facts:
    return facts_from_json(decode(data))


@lru_cache(maxsize=512)
def _decoded(header: str) -> Facts:
    if not header:
        return Facts()
    if len(header) > _LONGEST:
        raise Invalid("The facts header is too long. Update the ai-memory client.")
    try:
        return facts_from_json(decode(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))))
    except (binascii.Error, ValueError) as error:
        raise Invalid("The facts header is not base64url JSON. Update the ai-memory client.") from error
