from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain import event as events
from ai_memory.harness import payload

COMMON = {"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": "/repo"}


def bash(response, event="PostToolUse", **more):
    return payload.parse(event, {**COMMON, "hook_event_name": event, "tool_name": "Bash", "tool_use_id": "t1",
                                 "tool_input": {"command": "pytest -q"}, "tool_response": response, **more})


def test_a_prompt_is_read_as_text():
    got = payload.parse("UserPromptSubmit", {**COMMON, "prompt": "fix the parser"})
    assert (got.event, got.session, got.cwd, got.text) == (events.USER_PROMPT, "s-1", "/repo", "fix the parser")
    assert got.transcript == "/t.jsonl" and got.losses == ()


def test_a_prompt_in_parts_keeps_its_text_parts():
    parts = [{"type": "text", "text": "one"}, {"type": "image", "data": "xxx"}, {"type": "text", "text": "two"}]
    assert payload.parse("UserPromptSubmit", {"prompt": parts}).text == "one\ntwo"


@pytest.mark.parametrize(
    "body",
    [{"sessionId": "x"}, {"sessionID": "x"}, {"conversation_id": "x"}, {"session": {"id": "x"}}, {"info": {"id": "x"}},
     {"properties": {"info": {"id": "x"}}}, {"session_id": "", "conversationId": "x"}],
)
def test_a_session_id_is_found_under_each_name(body):
    assert payload.parse("stop", body).session == "x"


def test_the_directory_is_found_in_a_list_of_workspaces():
    assert payload.parse("stop", {"workspace_roots": ["/a", "/b"]}).cwd == "/a"


def test_a_shell_call_carries_command_arguments_output_and_outcome():
    got = bash({"stdout": "3 passed", "stderr": "warn", "interrupted": False, "isImage": False})
    assert got.tool is not None
    assert got.tool.command == "pytest -q" and got.tool.call == "t1" and got.tool.name == "Bash"
    assert json.loads(got.tool.arguments) == {"command": "pytest -q"}
    assert got.tool.output == "3 passed\nwarn" and got.tool.outcome == "ok"


def test_a_failure_event_is_an_error():
    got = payload.parse("PostToolUseFailure", {**COMMON, "tool_name": "Bash", "tool_input": {"command": "false"},
                                               "error": "Exit code 1\nboom", "is_interrupt": False})
    assert got.event == events.POST_TOOL and got.tool is not None
    assert got.tool.outcome == "error" and got.tool.output == "Exit code 1\nboom"


@pytest.mark.parametrize(
    "response",
    ["Exit code 1\nboom", "Exit code: 2\nWall time: 0.1 seconds\nOutput:\nboom", "Error: Exit code 127",
     "Chunk ID: 9\nProcess exited with code 3\nOutput:", {"is_error": True, "content": "no"}, {"isError": True},
     {"stdout": "", "interrupted": True}, {"success": False}, {"exitCode": 4}, {"error": "denied"},
     '{"output":"boom","metadata":{"exit_code":1,"duration_seconds":0.1}}'],
)
def test_each_sign_of_failure_is_an_error(response):
    got = bash(response)
    assert got.tool is not None and got.tool.outcome == "error"


@pytest.mark.parametrize(
    "response", ["fine", "Exit code: 0\nOutput:\nfine", {"stdout": "exit code 1 is what it said"}, {"exit_code": 0},
                 [{"type": "text", "text": "Exit code 1 in a document"}], ""],
)
def test_an_answer_without_a_sign_of_failure_is_ok(response):
    got = bash(response)
    assert got.tool is not None and got.tool.outcome == "ok"


def test_a_call_not_yet_answered_has_no_outcome():
    got = payload.parse("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert got.tool is not None and got.tool.outcome == "unknown" and got.tool.output == ""


def test_a_wrapped_output_is_unwrapped():
    got = bash('{"output":"boom","metadata":{"exit_code":1}}')
    assert got.tool is not None and got.tool.output == "boom"


def test_a_read_file_gives_its_content_and_path():
    got = payload.parse("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "/repo/a.py"},
                                        "tool_response": {"type": "text", "file": {"content": "x = 1"}}})
    assert got.tool is not None and got.tool.output == "x = 1" and got.tool.paths == ("/repo/a.py",)


def test_a_patch_names_its_files():
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Add File: c.py\n+z\n"
    got = payload.parse("PostToolUse", {"tool_name": "apply_patch", "tool_input": {"command": patch}})
    assert got.tool is not None and got.tool.paths == ("a.py", "b.py", "c.py")


def test_a_command_given_as_words_is_joined():
    got = payload.parse("PostToolUse", {"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "ls -l"]}})
    assert got.tool is not None and got.tool.command == "ls -l"


def test_the_last_message_and_the_summary_are_the_text_of_their_events():
    assert payload.parse("Stop", {"last_assistant_message": "done"}).text == "done"
    assert payload.parse("PostCompact", {"trigger": "auto", "compact_summary": "so far"}).text == "so far"
    assert payload.parse("PostCompact", {"trigger": "auto"}).source == "auto"
    assert payload.parse("SessionEnd", {"reason": "clear"}).source == "clear"
    assert payload.parse("SessionStart", {"source": "resume"}).source == "resume"
    assert payload.parse("Notification", {"message": "waiting"}).text == "waiting"


def test_a_subagent_is_marked():
    got = payload.parse("SubagentStop", {"agent_id": "a7", "agent_type": "Explore", "last_assistant_message": "found"})
    assert got.subagent == "Explore:a7" and got.text == "found"
    assert payload.parse("Stop", {"isSidechain": True}).subagent == "sidechain"
    assert payload.parse("Stop", {}).subagent == ""


def test_an_unknown_event_word_falls_back_on_the_payload():
    assert payload.parse("", {"hook_event_name": "Stop"}).event == events.STOP
    assert payload.parse("Whatever", {"event": {"type": "session-end"}}).event == events.SESSION_END
    assert payload.parse("Whatever", {}).event == events.OTHER


def test_wrong_types_become_losses():
    got = payload.parse("PostToolUse", {"session_id": {"a": 1}, "cwd": 3.5, "tool_name": [], "tool_input": 7})
    assert got.session == "" and got.tool is not None and got.tool.name == ""
    assert any("session_id" in loss for loss in got.losses) and any("input" in loss for loss in got.losses)
    assert payload.parse("Stop", [1, 2]).losses == ("the payload was a list, not an object",)


def test_a_lone_surrogate_is_replaced():
    assert payload.parse("UserPromptSubmit", {"prompt": "a\ud800b"}).text == "a\ufffdb"


def test_an_endless_session_id_is_named_by_its_digest():
    got = payload.parse("Stop", {"session_id": "x" * 5000})
    assert got.session.startswith("sha256:") and len(got.session) < 100 and got.losses


def test_a_prompt_nested_without_end_is_cut_not_raised():
    deep: object = "x"
    for _ in range(500):
        deep = [deep]
    assert payload.parse("UserPromptSubmit", {"prompt": deep}).text == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["session_id", "session", "cwd", "workspacePaths", "prompt", "text", "parts", "tool_name", "tool", "tool_input",
     "output", "tool_response", "error", "agent_id", "source", "reason", "event", "hook_event_name",
     "last_assistant_message", "summary"]
)


@given(event=st.sampled_from(["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PostCompact", "x"]),
       body=JSON | st.dictionaries(NAMES, JSON, max_size=8))
def test_nothing_raises_and_every_text_can_be_written(event, body):
    got = payload.parse(event, body)
    kept = [got.session, got.cwd, got.text, got.subagent, got.source, got.transcript, *got.losses]
    if got.tool:
        kept += [got.tool.name, got.tool.call, got.tool.arguments, got.tool.output, got.tool.command, *got.tool.paths]
    assert all(isinstance(text, str) for text in kept)
    "".join(kept).encode("utf-8")
