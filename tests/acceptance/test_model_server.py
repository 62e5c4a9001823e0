"""The scripted model speaks both dialects and reads prompts as a person typed them."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from tests.acceptance import dialect_anthropic, dialect_responses
from tests.acceptance.model_server import ModelServer
from tests.acceptance.script import Call, Rule, Say, Script, Shell


def post(url: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return str(answer.read().decode())


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_a_tool_is_called_first_and_text_follows_its_result() -> None:
    tools = [{"name": "Bash"}]
    first = [{"role": "user", "content": [{"type": "text", "text": "go RUN"}]}]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "out"}]}
    with ModelServer(Script(Rule("RUN", (Shell("ls"), Say("Done it."))))) as model:
        url = f"{model.url}/v1/messages"
        call = json.loads(post(url, {"messages": first, "tools": tools}))
        text = events(post(url, {"messages": [*first, result], "tools": tools, "stream": True}))
    assert call["stop_reason"] == "tool_use" and call["content"][0]["input"]["command"] == "ls"
    assert [e["delta"]["text"] for e in text if e["type"] == "content_block_delta"] == ["Done it."]
    assert [r.asked.results for r in model.requests if r.asked] == [(), ("out",)]


def test_responses_call_what_the_request_offers() -> None:
    given = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "ASK"}]}]
    script = Script(Rule("ASK", (Call("memory_query", {"query": "x"}), Say("Well."))))
    added = {"type": "additional_tools", "tools": [
        {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]},
    ]}  # fmt: skip
    namespace = {"type": "namespace", "name": "mcp__m", "tools": [{"type": "function", "name": "memory_query"}]}
    with ModelServer(script) as model:
        url = f"{model.url}/v1/responses"
        old = json.loads(post(url, {"input": given, "tools": [namespace]}))["output"][0]
        new = json.loads(post(url, {"input": [added, *given]}))["output"][0]
    assert (old["type"], old["namespace"], old["name"]) == ("function_call", "mcp__m", "memory_query")
    assert new["type"] == "custom_tool_call" and '"memory_query"' in new["input"]


def test_what_agents_and_hooks_put_beside_a_prompt_is_not_the_prompt() -> None:
    beside = "<system-reminder>\nRUN\n</system-reminder>"
    content = [{"type": "text", "text": beside}, {"type": "text", "text": "hello"}]
    assert dialect_anthropic.read({"messages": [{"role": "user", "content": content}]}).prompt == "hello"
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
             for text in ("hello", "<environment_context>RUN")]  # fmt: skip
    assert dialect_responses.read({"input": items}).prompt == "hello"


def test_a_request_without_tools_gets_harmless_text() -> None:
    with ModelServer(Script(Rule("RUN", (Shell("ls"),)))) as model:
        answer = json.loads(post(f"{model.url}/v1/messages", {"messages": [{"role": "user", "content": "RUN"}]}))
    assert answer["stop_reason"] == "end_turn"
