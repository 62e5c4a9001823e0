"""The bundled recording: what Claude Code's hooks were given while it worked on a small shop.

One JSON object a line: ``event``, ``agent``, ``at_offset_ms`` and the hook's ``payload``; ``{cwd}`` and ``{home}``
stand for directories. ``scripts/record_session.py demo`` makes it again from the real program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Recorded:
    """One hook call: ``payload`` as the agent sent it, ``offset`` in milliseconds since the session began."""

    event: str
    agent: str
    offset: int
    payload: dict[str, Any]


def read(cwd: str, home: str) -> tuple[Recorded, ...]:
    """The session as if it had run in ``cwd`` by the user of ``home``, both absolute."""
    return tuple(_lines(cwd, home))


def _lines(cwd: str, home: str) -> Iterator[Recorded]:
    text = files(__package__).joinpath("recording.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        given = json.loads(line)
        payload = _filled(given["payload"], cwd, home)
        yield Recorded(given["event"], given["agent"], given["at_offset_ms"], payload)


def _filled(value: Any, cwd: str, home: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, cwd, home) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, cwd, home) for inner in value]
    return value.replace("{cwd}", cwd).replace("{home}", home) if isinstance(value, str) else value
