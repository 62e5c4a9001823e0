"""Codex: ``hooks.json`` for hooks, ``config.toml`` for tools, ``AGENTS.md`` for instructions.

Codex runs a hook only after a person trusted it, and clamps the time of SessionEnd to 3 seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ai_memory.harness import hooktree, toml_edit
from ai_memory.harness.adapter import Agent, Part, Wiring, bridged, kept

NAME = "codex"
EVENTS = {
    "SessionStart": ("session-start", 5, False),
    "UserPromptSubmit": ("user-prompt-submit", 5, False),
    "PostToolUse": ("post-tool-use", 5, False),
    "Stop": ("stop", 5, False),
    "SubagentStop": ("subagent-stop", 5, False),
    "PreCompact": ("pre-compact", 5, False),
    "PostCompact": ("post-compact", 5, False),
    "SessionEnd": ("session-end", 3, False),
}
_TABLE = ("mcp_servers", "ai-memory")


def folder(wiring: Wiring) -> Path:
    """Where its configuration lies."""
    named = wiring.environ.get("CODEX_HOME")
    return Path(named) if named else wiring.home / ".codex"


def hooks_file(wiring: Wiring) -> Path:
    """Where its hooks lie."""
    return folder(wiring) / "hooks.json"


def commands(wiring: Wiring) -> frozenset[str]:
    """The hook commands that we register, and no others."""
    return frozenset(wiring.hook(word, NAME) for word, _, _ in EVENTS.values())


def _put_hooks(text: str, wiring: Wiring) -> str:
    return hooktree.put(text, wiring, NAME, EVENTS)


def _put_tools(text: str, wiring: Wiring) -> str:
    server: dict[str, Any]
    if wiring.http:
        server = {"url": f"{wiring.url}/mcp"}
        if wiring.token:
            server["bearer_token_env_var"] = "AI_MEMORY_AUTH_TOKEN"
    else:
        words, env = wiring.bridge(NAME)
        server = {"command": words[0], "args": words[1:], "default_tools_approval_mode": "approve", "env": env}
    now = toml_edit.has(text, _TABLE)
    server = kept(now, server)
    return text if now == server else toml_edit.put(text, _TABLE, server)


def _drop_tools(text: str, wiring: Wiring) -> str:
    return toml_edit.drop(text, _TABLE) if bridged(toml_edit.has(text, _TABLE)) else text


AGENT = Agent(
    name=NAME,
    title="Codex",
    program="codex",
    folder=folder,
    hooks=lambda w: (Part(hooks_file(w), _put_hooks, hooktree.drop),),
    tools=lambda w: (Part(folder(w) / "config.toml", _put_tools, _drop_tools),),
    instructions=lambda w: folder(w) / "AGENTS.md",
    after="Codex runs the hooks only once you trust them: start codex and say /hooks, or run `ai-memory doctor --fix`.",
    capabilities=("hooks", "prompt event", "session start context", "session end", "mcp"),
)
