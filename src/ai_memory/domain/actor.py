"""Who asks, and what they may."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller. ``level`` is owner (holds the token, or the server is open on loopback) or nobody; ``name`` signs."""

    name: str = "owner"
    level: str = "owner"
    client: str = ""


SYSTEM = Actor(name="ai-memory", level="owner", client="ai-memory")
