"""Claude Code: ``settings.json`` for hooks, ``.claude.json`` for tools, ``CLAUDE.md`` for instructions.

PreToolUse is not registered: PostToolUse carries the call and its result, and a second hook a call costs twice.
PostToolUseFailure is: without it failures are never told.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ai_memory.harness import hooktree, json_edit
from ai_memory.harness.adapter import Agent, Part, Wiring, bridged, kept

NAME = "claude-code"
EVENTS = {
    "SessionStart": ("session-start", 5, False),
    "UserPromptSubmit": ("user-prompt-submit", 5, False),
    "PostToolUse": ("post-tool-use", 5, True),
    "PostToolUseFailure": ("post-tool-use-failure", 5, True),
    "Stop": ("stop", 5, False),
    "SubagentStop": ("subagent-stop", 5, False),
    "PreCompact": ("pre-compact", 5, False),
    "PostCompact": ("post-compact", 5, False),
    "SessionEnd": ("session-end", 5, False),
}


def folder(wiring: Wiring) -> Path:
    """Where its settings lie."""
    named = wiring.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else wiring.home / ".claude"


def _tools_file(wiring: Wiring) -> Path:
    named = wiring.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) / ".claude.json" if named else wiring.home / ".claude.json"


def _put_hooks(text: str, wiring: Wiring) -> str:
    return hooktree.put(text, wiring, NAME, EVENTS)


def _put_tools(text: str, wiring: Wiring) -> str:
    server: dict[str, Any]
    if wiring.http:
        server = {"type": "http", "url": f"{wiring.url}/mcp"}
        if wiring.token:
            server["headers"] = {"Authorization": f"Bearer {wiring.token}"}
    else:
        words, env = wiring.bridge(NAME)
        server = {"type": "stdio", "command": words[0], "args": words[1:], "env": env}
    now = _servers(text).get("ai-memory")
    server = kept(now, server)
    return text if now == server else json_edit.put(text, ("mcpServers", "ai-memory"), server)


def _drop_tools(text: str, wiring: Wiring) -> str:
    servers = _servers(text)
    if not bridged(servers.get("ai-memory")):
        return text
    if list(servers) == ["ai-memory"]:
        return json_edit.drop(text, ("mcpServers",))
    return json_edit.drop(text, ("mcpServers", "ai-memory"))


def _servers(text: str) -> dict[str, Any]:
    tree = json_edit.read(text)
    servers = tree.get("mcpServers") if isinstance(tree, dict) else None
    return servers if isinstance(servers, dict) else {}


AGENT = Agent(
    name=NAME,
    title="Claude Code",
    program="claude",
    folder=folder,
    hooks=lambda w: (Part(folder(w) / "settings.json", _put_hooks, hooktree.drop),),
    tools=lambda w: (Part(_tools_file(w), _put_tools, _drop_tools),),
    instructions=lambda w: folder(w) / "CLAUDE.md",
    capabilities=("hooks", "prompt event", "session start context", "session end", "mcp"),
)
