"""What time brings: idle sessions are closed, batons expire, old idempotency keys are forgotten."""

from __future__ import annotations

from ai_memory.domain.change import Change, Row
from ai_memory.memory.core import Core, rfc3339

_KEYS = 30 * 86_400


def tick(core: Core) -> None:
    """One round; cheap when nothing is due."""
    now = core.clock()
    idle = rfc3339(now - core.config["session.idle_minutes"] * 60)
    for row in core.ledger.all("session_idle", before=idle):
        core.chores.finish(row["id"])
    rows = (
        Row("baton_expire", {"at": rfc3339(now)}),
        Row("key_expire", {"before": rfc3339(now - _KEYS)}),
    )
    core.writer.apply(Change(rows=rows))
