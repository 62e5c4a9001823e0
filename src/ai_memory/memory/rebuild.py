"""The verb of rebuilding: throw the index away and read it again from the files."""

from __future__ import annotations

import time
from typing import Any

from ai_memory.domain.actor import Actor
from ai_memory.index import listing
from ai_memory.index.store import Index
from ai_memory.memory import access, follow
from ai_memory.memory.core import Core


def reindex(core: Core, actor: Actor) -> dict[str, Any]:
    """Build the index anew from evidence and pages; counts and seconds. Searches meanwhile see what is there so far."""
    access.require(actor, "reindex")
    began = time.monotonic()
    core.shadow.hold(lambda index: _build(core, index))
    core.shadow.settle()
    with core.index.reader() as db:
        counts = listing.status(db)
    return counts | {"seconds": round(time.monotonic() - began, 3)}


def _build(core: Core, index: Index) -> None:
    index.restart()
    for bundle in core.wiki.everything():
        follow.bundle(index, bundle)
    sizes = {row["file"]: (None, row["bytes"]) for row in core.ledger.all("session_all")}
    follow.evidence(index, core.raw, sizes)
