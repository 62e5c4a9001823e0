"""Observations and headers as lines."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain import event, evidence, excerpt
from ai_memory.domain.observation import Observation, Session, Tool

text = st.text(max_size=30).map(excerpt.harmless)
tools = st.builds(
    Tool, name=text, call=text, arguments=text, outcome=st.sampled_from(["ok", "error", "unknown"]), output=text,
    paths=st.lists(text, max_size=3).map(tuple), command=text,
)  # fmt: skip
observations = st.builds(
    Observation, id=text, key=text, session=text, at=text, kind=st.sampled_from(event.KINDS),
    role=st.sampled_from(["user", "assistant", "tool", "system"]), text=text, tool=st.none() | tools, subagent=text,
    source=text, note=text, data=st.dictionaries(text, text, max_size=3),
)  # fmt: skip
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | text, lambda inner: st.lists(inner) | st.dictionaries(text, inner)
)


@given(observations)
def test_an_observation_comes_back_from_its_line(one: Observation) -> None:
    assert evidence.from_record(json.loads(json.dumps(evidence.record(one)))) == one


def test_keys_stand_in_a_fixed_order_and_empty_ones_are_left_out() -> None:
    one = Observation(
        id="i", key="k", session="s", at="t", kind=event.POST_TOOL, role="tool",
        tool=Tool("Bash", command="ls", outcome="ok", paths=("a",)), data={"b": "2", "a": "1"},
    )  # fmt: skip
    assert json.dumps(evidence.record(one)) == (
        '{"id": "i", "key": "k", "session": "s", "at": "t", "kind": "post-tool-use", "role": "tool", '
        '"tool": {"name": "Bash", "command": "ls", "outcome": "ok", "paths": ["a"]}, "data": {"a": "1", "b": "2"}}'
    )


def test_what_cannot_be_written_as_text_is_made_harmless() -> None:
    one = Observation(id="i", key="k", session="s", at="t", kind=event.STOP, role="assistant", text="a\x00b\ud800c\x1b[31md")
    assert evidence.record(one)["text"] == "ab\ufffdcd"


@given(st.dictionaries(st.sampled_from(["id", "kind", "role", "text", "tool", "data", "paths", "later"]), anything))
def test_any_object_can_be_read(line: dict[str, object]) -> None:
    assert evidence.from_record(line).kind in event.KINDS


def test_unknown_keys_are_passed_over() -> None:
    line = {"id": "i", "kind": "stop", "role": "assistant", "text": "x", "later": 1, "tool": {"name": "n", "later": 2}}
    found = evidence.from_record(line)
    assert (found.id, found.text) == ("i", "x") and found.tool == Tool("n")


def test_a_header_comes_back_and_other_lines_are_none() -> None:
    session = Session("i", "claude-code", "n", "w", "p", "2026-11-30T22:00:00.000Z", "/c", "main", "m")
    assert evidence.from_header(json.loads(json.dumps(evidence.header(session)))) == session
    assert evidence.from_header({"id": "i", "kind": "stop"}) is None
    assert evidence.from_header({"type": "session", "id": 5}) is None
