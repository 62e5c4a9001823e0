"""OpenAI Responses, as Codex speaks it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.acceptance.script import Asked, Reply

PATHS = ("/v1/responses",)
_ids = itertools.count(1)
_MACHINE_TEXT = (
    "<environment_context>", "<permissions", "<INSTRUCTIONS>", "<user_instructions>", "<turn_aborted>",
    "# AGENTS.md", "<ai-memory-context", "<skills", "<plugins",
)  # fmt: skip
_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def read(body: dict[str, Any]) -> Asked:
    """The request's prompt, results and tools."""
    prompt, results = "", []
    for item in reversed(_items(body.get("input"))):
        if item.get("type") in _RESULTS:
            results.insert(0, _text(item.get("output")))
        elif item.get("type", "message") == "message" and item.get("role") == "user":
            text = _text(item.get("content"))
            if text and not text.startswith(_MACHINE_TEXT):
                prompt = text
                break
    system = str(body.get("instructions", ""))
    return Asked(prompt, tuple(results), tuple(_names(body)), bool(body.get("stream")), system)


def _items(given: Any) -> list[dict[str, Any]]:
    return [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else list(given or [])


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(b.get("text", "")) for b in content or [] if isinstance(b, dict))


def _tools(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every offered tool as (namespace, tool). Newer models get theirs as an item of the input."""
    added = [i.get("tools") or [] for i in _items(body.get("input")) if i.get("type") == "additional_tools"]
    for tool in itertools.chain(body.get("tools") or [], *added):
        if tool.get("type") == "namespace":
            yield from ((str(tool.get("name")), inner) for inner in tool.get("tools") or [])
        else:
            yield "", tool


def _names(body: dict[str, Any]) -> Iterator[str]:
    for space, tool in _tools(body):
        name = str(tool.get("name") or tool.get("type"))
        yield f"{space}/{name}" if space else name


def _call(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    number = next(_ids)
    item: dict[str, Any] = {"id": f"fc_{number}", "call_id": f"call_{number:06d}", "status": "completed"}
    names, arguments = tuple(_names(body)), reply.arguments or {}
    name, arguments = _shell(names, arguments["command"]) if reply.shell else (reply.tool, arguments)
    if "functions/exec" in names and name not in names:
        return {**item, "type": "custom_tool_call", "name": "exec", "input": _javascript(name, arguments)}
    if any(tool.get("type") == "custom" and tool.get("name") == name for _, tool in _tools(body)):
        return {**item, "type": "custom_tool_call", "name": name, "input": str(arguments["input"])}
    if "/" in name:
        item["namespace"], name = name.split("/", 1)
    return {**item, "type": "function_call", "name": name, "arguments": json.dumps(arguments)}


def _javascript(name: str, arguments: dict[str, Any]) -> str:
    """A call of the nested tool whose name ends with ``name``, for models that are given one JavaScript tool."""
    given = arguments["input"] if name == "apply_patch" else arguments
    return (
        f"const found = ALL_TOOLS.find((tool) => tool.name.endsWith({json.dumps(name)}));\n"
        f"text(await tools[found.name]({json.dumps(given)}));\n"
    )


def _shell(tools: tuple[str, ...], command: str) -> tuple[str, dict[str, Any]]:
    if "exec_command" in tools or "functions/exec" in tools:
        return "exec_command", {"cmd": command, "yield_time_ms": 30000}
    if "shell_command" in tools:
        return "shell_command", {"command": command}
    return "shell", {"command": ["bash", "-lc", command]}


def _output(body: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    text = reply.text or ("" if reply.arguments is not None else "Done.")
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        items.append({"type": "message", "id": f"msg_{next(_ids)}", "role": "assistant", "status": "completed",
                      "content": [part]})  # fmt: skip
    if reply.arguments is not None:
        items.append(_call(body, reply))
    return items


def plain(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The whole answer as one object."""
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20}  # fmt: skip
    return {"id": f"resp_{next(_ids)}", "object": "response", "created_at": 0, "status": "completed",
            "model": body.get("model", "scripted"), "output": _output(body, reply), "usage": usage}  # fmt: skip


def stream(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    """The answer as server-sent events."""
    whole = plain(body, reply)
    yield _event("response.created", {"response": {**whole, "status": "in_progress", "output": [], "usage": None}})
    for index, item in enumerate(whole["output"]):
        yield _event("response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}})
        if item["type"] == "message":
            delta = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield _event("response.output_text.delta", {**delta, "delta": item["content"][0]["text"]})
        yield _event("response.output_item.done", {"output_index": index, "item": item})
    yield _event("response.completed", {"response": whole})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
