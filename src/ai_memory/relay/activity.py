"""Whether a session did anything: what decides that a claimed handoff was used."""

from __future__ import annotations

from collections.abc import Iterable

from ai_memory.domain import event
from ai_memory.domain.observation import Observation


def is_activity(observation: Observation) -> bool:
    """Whether it is a text of the agent or the outcome of a tool. A prompt, a notice or a compaction is none."""
    if observation.kind == event.POST_TOOL:
        return observation.tool is not None
    spoken = observation.role == "assistant" and observation.kind != event.POST_COMPACT
    return spoken and bool(observation.text.strip())


def acted(observations: Iterable[Observation]) -> bool:
    """Whether any of ``observations`` is activity."""
    return any(is_activity(observation) for observation in observations)
