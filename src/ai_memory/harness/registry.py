"""The agents that can be wired, one line each."""

from __future__ import annotations

from ai_memory.harness import claude_code, codex
from ai_memory.harness.adapter import Agent

AGENTS: dict[str, Agent] = {agent.name: agent for agent in (claude_code.AGENT, codex.AGENT)}
