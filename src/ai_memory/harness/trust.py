"""Codex's trust in our hooks: asked of Codex itself, and written only when a person agreed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_memory.errors import Invalid
from ai_memory.harness import hooktree, json_edit, toml_edit

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


def ours(
    program: str, cwd: Path, environ: Mapping[str, str], hooks_file: Path, commands: Set[str]
) -> list[Hook] | None:
    """Our handlers as ``codex app-server`` lists them; None if it cannot be asked.

    Ours are those in the person's own ``hooks_file`` that run exactly one of ``commands``. Codex also lists the hooks
    that a checkout brings along, and those may be written to look like ours.
    """
    try:
        found = _listed(program, cwd, environ)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    hooks = [Hook(h["key"], h["currentHash"], str(h.get("trustStatus", "")), str(h.get("command", ""))) for h in found]
    return [hook for hook in hooks if hook.command in commands and _spot(hook.key, hooks_file)]


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
    """``config.toml`` without trust in the handlers of ours that ``hooks_file`` holds."""
    try:
        held = hooktree.ours(json_edit.read(hooks_file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, Invalid):
        return text
    mine = {(_snake(event), place, inner) for event, spots in held.items() for place, inner in spots}
    state = toml_edit.has(text, ("hooks", "state"))
    for key in state if isinstance(state, dict) else {}:
        if _spot(key, hooks_file) in mine:
            text = toml_edit.drop(text, ("hooks", "state", key))
    return text


def _spot(key: str, hooks_file: Path) -> tuple[str, int, int] | None:
    """The event, group and handler that a key ``<file>:<event>:<group>:<handler>`` names in ``hooks_file``."""
    file, *rest = key.rsplit(":", 3)
    if len(rest) != 3 or os.path.realpath(file) != os.path.realpath(hooks_file):
        return None
    return (rest[0], int(rest[1]), int(rest[2])) if rest[1].isdigit() and rest[2].isdigit() else None


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


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
