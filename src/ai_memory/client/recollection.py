"""What the server last said of itself and its tools, so that an agent that starts without one still sees them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

METHODS = ("initialize", "server/discover", "tools/list")
_FILE = "mcp-answers.json"
_LONGEST = 256 * 1024


def recall(data: Path, method: str) -> dict[str, Any] | None:
    """The last result of ``method``; None if there is none, or a server must be asked."""
    known = _read(data).get(method) if method in METHODS else None
    if known is None and method == "initialize":
        return {"protocolVersion": "", "capabilities": {"tools": {}}, "serverInfo": {"name": "ai-memory", "version": ""}}
    return known if isinstance(known, dict) else None


def fitted(known: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """``known`` with the protocol version that the agent asked for."""
    wanted = params.get("protocolVersion")
    return known | {"protocolVersion": wanted} if "protocolVersion" in known and isinstance(wanted, str) else known


def keep(data: Path, method: str, result: dict[str, Any]) -> None:
    """Note a result. A disk that is full or not ours is no reason to fail."""
    known = _read(data)
    if known.get(method) == result:
        return
    text = json.dumps(known | {method: result})
    path = os.path.join(data, _FILE)
    draft = f"{path}.{os.getpid()}.tmp"
    if len(text) > _LONGEST:
        return
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        pass


def _read(data: Path) -> dict[str, Any]:
    try:
        with open(os.path.join(data, _FILE), encoding="utf-8") as file:
            value = json.loads(file.read(_LONGEST))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
