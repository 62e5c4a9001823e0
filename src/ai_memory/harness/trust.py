"""Codex's trust in our hooks: asked of Codex itself, and written only when a person agreed."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_memory.harness import toml_edit
from ai_memory.harness.adapter import HOOK

_PATIENCE = 20.0
_CLIENT = {"name": "ai-memory", "version": "1", "title": "ai-memory"}


@dataclass(frozen=True, slots=True)
class Hook:
    """One handler as Codex lists it."""

    key: str
    digest: str
    status: str
    command: str

    @property
    def trusted(self) -> bool:
        return self.status.lower() in ("trusted", "managed")


def ours(program: str, cwd: Path, environ: Mapping[str, str]) -> list[Hook] | None:
    """Our handlers as ``codex app-server`` lists them; None if it cannot be asked."""
    try:
        found = _listed(program, cwd, environ)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    hooks = [Hook(h["key"], h["currentHash"], str(h.get("trustStatus", "")), str(h.get("command", ""))) for h in found]
    return [hook for hook in hooks if HOOK in hook.command]


def put(text: str, hooks: list[Hook]) -> str:
    """``config.toml`` with each of ``hooks`` trusted as it is now."""
    for hook in hooks:
        text = toml_edit.put(text, ("hooks", "state", hook.key), {"trusted_hash": hook.digest})
    return text


def asked(text: str, hooks_file: Path) -> bool:
    """Whether ``config.toml`` has a person's word on any handler of ``hooks_file``."""
    state = toml_edit.has(text, ("hooks", "state"))
    return isinstance(state, dict) and any(key.startswith(f"{hooks_file}:") for key in state)


def drop(text: str, hooks_file: Path) -> str:
    """``config.toml`` without trust in handlers of ``hooks_file``."""
    state = toml_edit.has(text, ("hooks", "state"))
    for key in state if isinstance(state, dict) else {}:
        if key.startswith(f"{hooks_file}:"):
            text = toml_edit.drop(text, ("hooks", "state", key))
    return text


def _listed(program: str, cwd: Path, environ: Mapping[str, str]) -> list[dict[str, Any]]:
    process = subprocess.Popen(
        [program, "app-server"], cwd=cwd, env=dict(environ), text=True, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end = threading.Timer(_PATIENCE, process.kill)
    end.start()
    try:
        assert process.stdin and process.stdout
        asked: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": {"clientInfo": _CLIENT}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(cwd)]}},
        ]
        process.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
        process.stdin.flush()
        for line in process.stdout:
            message = json.loads(line)
            if message.get("id") == 2 and "method" not in message:
                return [hook for place in message["result"]["data"] for hook in place["hooks"]]
        raise ValueError("the app server ended without an answer")
    finally:
        end.cancel()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
