"""Identifiers. Session ids are derived, so the same native session always lands in the same file; the rest are UUIDv7."""

from __future__ import annotations

import uuid
from functools import lru_cache

_SESSIONS = uuid.UUID("6f0c8a52-3d0b-5c39-9f6e-5d8f2f1b7a10")


@lru_cache(maxsize=8192)
def session(agent: str, native: str) -> str:
    """The id of a native session: a UUIDv5 of (agent, native id), since a native id is untrusted text."""
    return str(uuid.uuid5(_SESSIONS, f"{agent}\0{native}"))


def version7(milliseconds: int, random: bytes) -> str:
    """A UUIDv7 from Unix ``milliseconds`` and 10 ``random`` bytes (RFC 9562, section 5.7)."""
    value = (milliseconds & ((1 << 48) - 1)) << 80 | int.from_bytes(random[:10], "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    plain = f"{value:032x}"
    return f"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}"
