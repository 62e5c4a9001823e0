"""What every coding agent's file says of it, and the edits that wire it, as values."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ai_memory.errors import Invalid

HOOK = "bin/hook.py"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What an installer knows: the Python to run, the data directory, whether it is the default one, the home."""

    python: str
    data: Path
    home: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    plain_data: bool = True
    url: str = ""
    token: str = ""
    http: bool = False

    def hook(self, event: str, agent: str) -> str:
        """The hook command, quoted for sh. It never changes with a version, so that trust in it stays."""
        words = [self.python, "-I", "-S", str(self.data / HOOK), event, agent]
        return " ".join(shlex.quote(word) for word in words)

    def bridge(self, agent: str) -> tuple[list[str], dict[str, str]]:
        """The stdio command of the memory tools and its environment."""
        env = {"AI_MEMORY_AGENT": agent}
        if not self.plain_data:
            env["AI_MEMORY_DATA_DIR"] = str(self.data)
        return [self.python, "-I", "-m", "ai_memory", "mcp"], env


_OURS_TO_SET = frozenset(("type", "command", "args", "env", "url", "headers", "bearer_token_env_var", "http_headers"))


def bridged(entry: Any) -> bool:
    """Whether an entry for an MCP server is ours: it starts our bridge, or points at our route."""
    if not isinstance(entry, dict):
        return False
    args, url = entry.get("args"), entry.get("url")
    return (isinstance(args, list) and "ai_memory" in args) or (isinstance(url, str) and url.endswith("/mcp"))


def kept(now: Any, server: dict[str, Any]) -> dict[str, Any]:
    """``server`` with what a person added to the entry of ours that is there ``now``."""
    if not bridged(now):
        return server
    more = {key: value for key, value in now.items() if key not in _OURS_TO_SET}
    env = now.get("env") if isinstance(now.get("env"), dict) and "env" in server else {}
    mine = {key: value for key, value in env.items() if not str(key).startswith("AI_MEMORY_")}
    return {**server, **more, **({"env": {**server["env"], **mine}} if mine else {})}


Change = Callable[[str, Wiring], str]
"""From a file's text to its text with our entries in it, or without them."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an agent's configuration: how our entries go in, and how they come out."""

    path: Path
    put: Change
    drop: Change


@dataclass(frozen=True, slots=True)
class Agent:
    """One coding agent. ``program`` is its command; ``folder`` its configuration directory."""

    name: str
    title: str
    program: str
    folder: Callable[[Wiring], Path]
    hooks: Callable[[Wiring], tuple[Part, ...]]
    tools: Callable[[Wiring], tuple[Part, ...]]
    instructions: Callable[[Wiring], Path]
    after: str = ""
    capabilities: tuple[str, ...] = ()


def named(agents: Mapping[str, Agent], name: str) -> Agent:
    """The agent called ``name``. Raises ``Invalid`` with the names there are."""
    found = agents.get(name)
    if found is None:
        raise Invalid(f"No agent is called {name!r}. Known: {', '.join(agents)}.")
    return found
