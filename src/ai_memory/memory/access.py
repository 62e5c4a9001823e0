"""Who may do what. One function, asked by every verb."""

from __future__ import annotations

from ai_memory.domain.actor import Actor
from ai_memory.errors import Forbidden, Invalid


def require(actor: Actor, verb: str) -> None:
    """Raise ``Forbidden`` unless ``actor`` may ``verb``. An owner may everything; there are no other levels yet."""
    if actor.level != "owner":
        raise Forbidden(f"{actor.name} may not {verb}. Ask the owner of this memory for a token.")


def bounded(limit: int, most: int) -> int:
    """``limit`` of a list, which is 1 to ``most``. Raises ``Invalid``."""
    if not 1 <= limit <= most:
        raise Invalid(f"limit must be between 1 and {most}.")
    return limit
