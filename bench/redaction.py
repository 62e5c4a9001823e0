"""What redaction costs an event, over the bundled recording, and on a hostile megabyte."""

from __future__ import annotations

import time

from ai_memory.demo import recording
from ai_memory.domain.redaction import Redactor
from bench.table import Row, median


def run(quick: bool) -> list[Row]:
    redactor = Redactor((), ())
    events = [one.payload for one in recording.read("/code/shop", "/home/dev")]
    rounds = []
    for _ in range(5 if quick else 20):
        began = time.process_time()
        for payload in events:
            redactor.value(payload)
        rounds.append((time.process_time() - began) * 1000 / len(events))
    mean = median(rounds)
    half, whole = (_hostile(redactor, size) for size in (500_000, 1_000_000))
    return [
        Row("redaction, mean of an event of the recording", f"{mean:.3f} ms CPU", "", "≤ 0.15 ms", mean <= 0.15),
        Row("redaction, hostile 1 MB", f"{whole:.0f} ms CPU", f"hostile 0.5 MB {half:.0f} ms", "linear", whole <= 3 * half),
    ]


def _hostile(redactor: Redactor, size: int) -> float:
    """Openings of secrets that never become one."""
    bait = "password=\\n secret: Bearer -----BEGIN sk-ant- ghp_ AKIA token= https://user:@ eyJ. xoxb- AccountKey= "
    text = (bait * (size // len(bait) + 1))[:size]
    began = time.process_time()
    redactor.text(text)
    return (time.process_time() - began) * 1000
