"""What counts as having used a handoff."""

from __future__ import annotations

import pytest

from ai_memory.domain import event
from ai_memory.domain.observation import Observation, Tool
from ai_memory.relay import activity


def one(kind: str, role: str, text: str = "", tool: Tool | None = None) -> Observation:
    return Observation(id="i", key="k", session="s", at="t", kind=kind, role=role, text=text, tool=tool)


@pytest.mark.parametrize(
    ("observation", "acts"),
    [
        (one(event.STOP, "assistant", "Done."), True),
        (one(event.SUBAGENT_STOP, "assistant", "2 files."), True),
        (one(event.POST_TOOL, "tool", tool=Tool("Bash", outcome="error")), True),
        (one(event.STOP, "assistant", "  "), False),
        (one(event.USER_PROMPT, "user", "hello"), False),
        (one(event.SESSION_START, "system"), False),
        (one(event.POST_COMPACT, "system", "a summary"), False),
        (one(event.NOTIFICATION, "system", "waiting"), False),
        (one(event.SESSION_END, "system"), False),
    ],
)
def test_texts_of_the_agent_and_tool_outcomes_are_activity(observation: Observation, acts: bool) -> None:
    assert activity.is_activity(observation) is acts
    assert activity.acted([one(event.USER_PROMPT, "user", "x"), observation]) is acts
