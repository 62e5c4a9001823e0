"""Anthropic Messages, as Claude Code speaks it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.acceptance.script import Asked, Reply

PATHS = ("/v1/messages",)
_ids = itertools.count(1)
_MACHINE_TEXT = ("<system-reminder>", "<local-command", "<command-name>", "<ai-memory-context")


def read(body: dict[str, Any]) -> Asked:
    """The request's prompt, results and tools."""
    messages = body.get("messages") or []
    prompt, results = "", []
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        blocks = _blocks(message.get("content"))
        texts = [b["text"] for b in blocks if b.get("type") == "text" and not b["text"].startswith(_MACHINE_TEXT)]
        found = [_text(b.get("content")) for b in blocks if b.get("type") == "tool_result"]
        if texts:
            prompt = "\n".join(texts)
            break
        results[:0] = found
    tools = tuple(t.get("name", "") for t in body.get("tools") or [])
    return Asked(prompt, tuple(results), tools, bool(body.get("stream")), _text(body.get("system")))


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def _text(content: Any) -> str:
    return "\n".join(str(b.get("text", "")) for b in _blocks(content) if isinstance(b, dict))


def _content(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.arguments is not None:
        name, arguments = reply.tool, reply.arguments
        if reply.shell:
            name, arguments = "Bash", {**reply.arguments, "description": "Run a command"}
        blocks.append({"type": "tool_use", "id": f"toolu_{next(_ids):024d}", "name": name, "input": arguments})
    return blocks or [{"type": "text", "text": "Done."}]


def plain(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The whole answer as one object."""
    content = _content(reply)
    return {
        "id": f"msg_{next(_ids):024d}", "type": "message", "role": "assistant", "model": body.get("model", "scripted"),
        "content": content, "stop_sequence": None,
        "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }  # fmt: skip


def stream(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    """The answer as server-sent events."""
    whole = plain(body, reply)
    start = {**whole, "content": [], "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    yield _event("message_start", {"message": start})
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            opening, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", {"index": index, "content_block": opening})
        yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", {"delta": ending, "usage": {"output_tokens": 10}})
    yield _event("message_stop", {})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
