"""How much of each text is kept. One table; applied after redaction, never before."""

from __future__ import annotations

CAPS: dict[str, int] = {
    "prompt": 16_384,
    "assistant": 16_384,
    "compaction": 16_384,
    "notification": 2_000,
    "arguments": 2_000,
    "command": 4_000,
    "output": 6_000,
    "path": 1_024,
    "name": 200,
    "other": 2_000,
}


def clip(text: str, kind: str) -> str:
    """``text`` within its cap in characters; what is over keeps its head and tail around a mark that says how much is gone."""
    cap = CAPS[kind]
    if len(text) <= cap:
        return text
    mark = f"\n[… {len(text) - cap} characters left out …]\n"
    room = cap - len(mark)
    head = room * 2 // 3
    return text[:head] + mark + text[len(text) - (room - head) :]
