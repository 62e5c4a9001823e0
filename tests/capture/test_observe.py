"""From an agent's payload to the observation that is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.capture import observe
from ai_memory.domain import evidence, fence
from ai_memory.domain.caps import CAPS
from ai_memory.domain.observation import Observation
from ai_memory.domain.redaction import Redactor
from ai_memory.harness import payload as payloads

CONTRACT = Path(__file__).parent.parent / "contract"
REDACTOR = Redactor()
# Put together when the test runs, so that no whole secret stands in this file.
SECRET = "sk-ant-" + "api03-" + "q7Rt2Zk9Wd4Xv8Lm1Bn6Pc3Hs5Jf0Gy" * 3
KEY = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + "MIIEowIBAAKCAQEA7Rt2Zk9Wd4Xv8Lm\n" * 6 + "-----END RSA PRIVATE " + "KEY-----"


def observed(event: str, body: Any, agent: str = "claude-code") -> Observation | None:
    payload = payloads.parse(event, body)
    return observe.observe(
        payload,
        kind=payload.event,
        id="01938000-0000-7000-8000-000000000000",
        key="k",
        session="s",
        at="2026-11-30T22:41:05.123Z",
        redactor=REDACTOR,
        agent=agent,
    )


def kept(event: str, body: Any) -> Observation:
    found = observed(event, body)
    assert found is not None
    return found


def tool(name: str, given: Any, answer: Any = "", **more: Any) -> Observation:
    body = {"session_id": "n", "cwd": "/code/app", "tool_name": name, "tool_input": given, "tool_response": answer, **more}
    return kept("PostToolUse", body)


def recorded(agent: str, name: str) -> Observation | None:
    body = json.loads((CONTRACT / agent / f"{name}.json").read_text(encoding="utf-8"))
    return observed(body["hook_event_name"], body, agent.replace("_", "-"))


def everything(one: Observation) -> str:
    return json.dumps(evidence.record(one), ensure_ascii=False)


@pytest.mark.parametrize("path", sorted(CONTRACT.glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_recorded_payload_gives_what_is_kept_and_survives_its_line(path: Path) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))
    found = observed(body["hook_event_name"], body)
    if path.stem.startswith(("pre-tool-use", "subagent-start", "interrupt")):
        assert found is None
    elif found is not None:
        assert evidence.from_record(json.loads(everything(found))) == found
        assert bool(found.subagent) == path.stem.endswith(("subagent", "internal"))


@pytest.mark.parametrize(
    ("agent", "name", "role", "text"),
    [
        ("claude_code", "user-prompt-submit", "user", "Look around and fix the greeting."),
        ("codex", "user-prompt-submit", "user", "Look around and mend the greeting."),
        ("claude_code", "stop", "assistant", "Greetings are f-strings now; greeter is not there yet."),
        ("codex", "stop", "assistant", "Greetings are f-strings now; greeter is not there yet."),
        ("claude_code", "subagent-stop-subagent", "assistant", "2 files."),
        ("claude_code", "session-start-resume", "system", ""),
        ("claude_code", "session-end", "system", ""),
    ],
)
def test_who_spoke_and_what_is_told_apart(agent: str, name: str, role: str, text: str) -> None:
    found = recorded(agent, name)
    assert found is not None and (found.role, found.text) == (role, text)


def test_why_a_session_started_and_ended_is_its_source() -> None:
    found = [recorded("claude_code", name) for name in ("session-start-resume", "session-end", "pre-compact-manual")]
    assert [one.source for one in found if one] == ["resume", "other", "manual"]


@pytest.mark.parametrize(
    ("name", "given", "arguments", "command", "paths"),
    [
        ("Bash", {"command": "make test", "description": "Run the tests"}, "Run the tests", "make test", ()),
        ("shell", {"command": ["bash", "-lc", "ls -la"]}, "", "ls -la", ()),
        ("Read", {"file_path": "/code/app/a.py", "offset": 10, "limit": 5}, "/code/app/a.py offset=10 limit=5", "", ("a.py",)),
        ("Read", {"file_path": "/code/apple/a.py"}, "/code/apple/a.py", "", ("/code/apple/a.py",)),
        ("Edit", {"file_path": "/code/app/a.py", "old_string": "a\nb", "new_string": "c"},
         "/code/app/a.py\n- a\n- b\n+ c", "", ("a.py",)),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "1", "new_string": "2"},
                                                      {"old_string": "3", "new_string": "4"}]},
         "a.py\n- 1\n+ 2\n- 3\n+ 4", "", ("a.py",)),
        ("Write", {"file_path": "a.md", "content": "hello"}, "a.md\nhello", "", ("a.md",)),
        ("Grep", {"pattern": "x+", "path": "src", "glob": "*.py"}, "x+ in src (*.py)", "", ("src",)),
        ("WebFetch", {"url": "https://example.org/", "prompt": "sum up"}, "https://example.org/", "", ()),
        ("apply_patch", {"command": "*** Begin Patch\n*** Add File: n.py\n+x\n*** Delete File: o.py\n*** End Patch"},
         "A n.py\nD o.py\n*** Begin Patch\n*** Add File: n.py\n+x\n*** Delete File: o.py\n*** End Patch", "", ("n.py", "o.py")),
        ("TodoWrite", {"todos": [{"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"},
                                 {"content": "three\nlines", "status": "pending"}]},
         "[x] one\n[~] two\n[ ] three lines", "", ()),
        ("update_plan", {"plan": [{"step": "read", "status": "completed"}]}, "[x] read", "", ()),
        ("TaskCreate", {"subject": "parse", "description": "long"}, "[ ] parse", "", ()),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, "[x] #3", "", ()),
        ("mcp__db__query", {"sql": "select 1", "limit": 5}, '{"sql":"select 1","limit":5}', "", ()),
        ("Bash", "ls", "ls", "", ()),
        ("Bash", {"odd": [1]}, '{"odd":[1]}', "", ()),
    ],
)  # fmt: skip
def test_arguments_are_kept_in_the_form_a_person_would_write(
    name: str, given: Any, arguments: str, command: str, paths: tuple[str, ...]
) -> None:
    found = tool(name, given).tool
    assert found is not None
    assert (found.arguments, found.command, found.paths) == (arguments, command, paths)


def test_a_patch_tells_which_files_it_made_and_which_it_deleted() -> None:
    patch = "*** Begin Patch\n*** Add File: /code/app/n.py\n+x\n*** Delete File: o.py\n*** End Patch"
    assert tool("apply_patch", {"input": patch}).data == {"created": "n.py", "deleted": "o.py"}
    assert tool("shell", {"command": ["apply_patch", patch]}).data == {"created": "n.py", "deleted": "o.py"}


def test_outcome_and_output_are_kept() -> None:
    body = {"session_id": "n", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "Exit code 1\nno"}
    found = kept("PostToolUseFailure", body).tool
    assert found is not None and (found.outcome, found.output) == ("error", "Exit code 1\nno")


def test_a_long_output_keeps_head_and_tail() -> None:
    found = tool("Bash", {"command": "x"}, {"stdout": "first" + "x" * 50_000 + "last"}).tool
    assert found is not None and len(found.output) <= CAPS["output"]
    assert found.output.startswith("first") and found.output.endswith("last") and "characters left out" in found.output


def test_an_edit_that_went_well_does_not_repeat_the_file() -> None:
    good = tool("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, {"originalFile": "everything"}).tool
    bad = tool("Edit", {"file_path": "a", "old_string": "x"}, "String to replace not found", is_error=True).tool
    assert good is not None and good.output == ""
    assert bad is not None and bad.output == "String to replace not found"


@pytest.mark.parametrize(
    ("name", "mine"),
    [
        ("mcp__ai-memory__memory_query", True), ("mcp__ai_memory__memory_query", True), ("memory_write_page", True),
        ("ai-memory.memory_query", True), ("mcp_ai-memory_memory_recent", True), ("mcp__memory__memory_search", False),
        ("mcp__notes__read", False), ("Bash", False),
    ],
)  # fmt: skip
def test_what_our_own_tools_answer_is_recall_and_not_news(name: str, mine: bool) -> None:
    found = tool(name, {"query": "greeting"}, [{"type": "text", "text": "an old page"}]).tool
    assert found is not None and "greeting" in found.arguments
    assert found.output == ("" if mine else "an old page") and found.outcome == "ok"


@pytest.mark.parametrize(
    "text",
    [
        fence.wrap("an old plan", "handoff"),
        "<system-reminder>be brief</system-reminder>",
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
        "",
        "  \n",
    ],
)
def test_a_prompt_of_nothing_but_markup_is_not_kept(text: str) -> None:
    assert observed("UserPromptSubmit", {"session_id": "n", "prompt": text}) is None


def test_what_we_injected_is_cut_out_wherever_it_stands() -> None:
    ours = fence.wrap("old news", "briefing")
    assert kept("UserPromptSubmit", {"prompt": f"{ours}\n\nNow go on"}).text == "Now go on"
    assert kept("Stop", {"last_assistant_message": f"I read {ours} and went on"}).text == "I read  and went on"
    one = tool("Write", {"file_path": "a", "content": f"x {ours}"}, f"y {ours}")
    two = tool("Bash", {"command": f"echo '{ours}'"}, {"stdout": ours})
    assert "old news" not in everything(one) + everything(two)


def test_a_person_who_writes_about_a_tag_keeps_the_words() -> None:
    text = "Why does <system-reminder>x</system-reminder> show up in the prompt?"
    assert kept("UserPromptSubmit", {"prompt": text}).text == text


@pytest.mark.parametrize(
    "found",
    [
        lambda: kept("UserPromptSubmit", {"prompt": f"use {SECRET} please"}),
        lambda: kept("UserPromptSubmit", {"prompt": "x" * (CAPS["prompt"] - 20) + SECRET + "y" * 9_000}),
        lambda: kept("UserPromptSubmit", {"prompt": "x" * (CAPS["prompt"] * 2 // 3 - 40) + SECRET + "y" * 99_000}),
        lambda: kept("Stop", {"last_assistant_message": f"done with {SECRET}"}),
        lambda: tool("Bash", {"command": f"export ANTHROPIC_API_KEY={SECRET}"}, {"stdout": SECRET}),
        lambda: tool("Bash", {"command": "cat k"}, {"stdout": KEY}),
        lambda: tool("odd", {"a": 1}, {"inner": {"key": KEY}}),
        lambda: tool("Write", {"file_path": "id_rsa", "content": KEY}, KEY),
        lambda: tool("Edit", {"file_path": "id_rsa", "old_string": "x", "new_string": KEY}),
        lambda: tool("mcp__x__y", {"deep": [{"password": "Tr0ub4dor&3xyz"}], "text": f'say "{SECRET}"\n{KEY}'}),
        lambda: tool("Read", {"file_path": f"/code/app/{SECRET}"}),
        lambda: tool(f"odd_{SECRET}", {"a": 1}, **{"tool_use_id": SECRET, "agent_id": SECRET}),
        lambda: tool("TodoWrite", {"todos": [{"content": f"use {SECRET}", "status": "pending"}]}),
        lambda: kept("SessionEnd", {"reason": SECRET}),
        lambda: kept("Notification", {"message": f"token {SECRET}"}),
    ],
)
def test_no_secret_is_kept_wherever_it_stands_and_however_the_text_is_cut(found: Any) -> None:
    line = everything(found())
    assert "q7Rt2Zk9Wd4Xv8Lm" not in line and "MIIEowIBAAKCAQEA" not in line and "Tr0ub4dor" not in line
    assert "[REDACTED]" in line


def test_losses_are_noted() -> None:
    assert kept("SessionStart", {"source": ["x"]}).note


def test_an_event_nobody_knows_and_a_tool_without_a_name_are_passed_over() -> None:
    assert observed("Whatever", {"text": "x"}) is None
    assert observed("PostToolUse", {"tool_input": {}}) is None
    assert observed("PostToolUse", "not an object") is None


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=40)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
    max_leaves=12,
)
names = st.sampled_from(
    ["Bash", "Read", "Edit", "MultiEdit", "Write", "Grep", "apply_patch", "TodoWrite", "TaskUpdate", "mcp__a__b", "memory_query"]
)
keys = st.sampled_from(
    ["command", "file_path", "path", "old_string", "new_string", "edits", "content", "todos", "plan", "pattern", "input"]
)


@settings(max_examples=150, deadline=None)
@given(names, st.one_of(json_values, st.dictionaries(keys, json_values, max_size=4)), json_values)
def test_any_payload_gives_a_bounded_line_or_nothing(name: str, given: Any, answer: Any) -> None:
    body = {"session_id": "n", "cwd": "/w", "tool_name": name, "tool_input": given, "tool_response": answer}
    found = observed("PostToolUse", body)
    assert found is not None and found.tool is not None
    assert len(found.tool.arguments) <= CAPS["arguments"] and len(found.tool.output) <= CAPS["output"]
    assert len(found.tool.command) <= CAPS["command"] and len(found.tool.paths) <= 20
    line = everything(found)
    line.encode("utf-8")
    assert "\x00" not in line
    assert evidence.from_record(json.loads(line)) == found


def test_a_deep_or_wide_input_is_bounded() -> None:
    deep: Any = "end"
    for _ in range(400):
        deep = {"a": [deep]}
    wide = {f"key{number}": "x" * 100 for number in range(5_000)}
    for given_ in (deep, wide):
        found = tool("mcp__x__y", given_).tool
        assert found is not None and 0 < len(found.arguments) <= CAPS["arguments"]
