"""The verbs of a session: list it, read it, and write it up when it ends."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from ai_memory import __version__
from ai_memory.domain import event, evidence
from ai_memory.domain.actor import Actor
from ai_memory.domain.change import Change, Line, Row
from ai_memory.domain.observation import Observation, Session
from ai_memory.domain.page import Edit, Stamp
from ai_memory.errors import Conflict, Invalid, Missing
from ai_memory.learn import session as learn
from ai_memory.ledger import batons
from ai_memory.memory import access, handoffs, places
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where
from ai_memory.raw import files as raw
from ai_memory.relay import activity, content

log = logging.getLogger(__name__)
_TRIES = 5
MOST = 500
_NAME = 256


@dataclass(frozen=True, slots=True)
class Finished:
    """What the end of a session left behind: a page, a baton, both or neither (empty)."""

    session: str
    page: str = ""
    baton: str = ""


def recent(core: Core, actor: Actor, where: Where, limit: int = 20) -> list[dict[str, Any]]:
    """The newest sessions here. ``limit`` is 1 to 500."""
    access.require(actor, "read")
    access.bounded(limit, MOST)
    place = places.find(core, where)
    if place.project is None:
        return []
    return [_said(row) for row in core.ledger.all("session_recent", project=place.project.id, limit=limit)]


def finalize(core: Core, actor: Actor, where: Where, name: str = "", agent: str = "") -> list[Finished]:
    """End sessions by hand: the one whose id (ours or the agent's) begins with ``name``, else every open one here."""
    access.require(actor, "capture")
    if len(name) > _NAME:
        raise Invalid("No session has an id that long. List them with `ai-memory sessions`.")
    place = places.require(core, where)
    if name:
        rows = core.ledger.all("session_by_prefix", project=place.id, prefix=name)
        if not rows:
            raise Missing(f"No session {name!r} in {place.name}. List them with `ai-memory sessions`.")
        if len(rows) > 1:
            raise Invalid(f"{name!r} names more than one session. Give more of its id; see `ai-memory sessions`.")
    else:
        rows = [r for r in core.ledger.all("session_open_of", project=place.id) if agent in ("", r["agent"])]
    return [finish(core, row["id"], "finalized") for row in rows]


def finish(core: Core, id: str, reason: str) -> Finished:
    """Write a session up: its page, its baton, and its end. Safe to repeat; news meanwhile makes it start over."""
    for _ in range(_TRIES):
        row = core.ledger.one("session_get", id=id)
        if row is None:
            raise Missing(f"No session {id}.")
        if row["ended"] and not row["ending"] and row["covered"] >= row["lines"]:
            return Finished(id, row["page"])
        try:
            return _write_up(core, row, reason)
        except Conflict:
            continue
    raise Conflict("The session keeps growing while it is being closed. Try again when it is quiet.")


def read(core: Core, row: sqlite3.Row) -> tuple[Session, list[Observation], list[dict[str, Any]]]:
    """A session's header, its observations in order of time, and its lines about batons."""
    header = Session(**{name: row[name] for name in Session.__slots__})
    observations: list[Observation] = []
    others: list[dict[str, Any]] = []
    for line in raw.read(core.raw, row["file"], end=row["bytes"]):
        if line.record.get("kind") in event.KINDS:
            observations.append(evidence.from_record(line.record))
        elif "baton" in line.record:
            others.append(line.record)
    return header, sorted(observations, key=lambda o: o.at), others


def _write_up(core: Core, row: sqlite3.Row, reason: str) -> Finished:
    header, observations, others = read(core, row)
    reason = row["reason"] or reason
    digest = learn.summarise(header, observations, core.now())
    page = ""
    if digest is not None:
        page = _page(core, header, learn.render(digest))
    returned = _returned(core, header, observations, others)
    baton = None
    hands_over = core.config["handoff.create_on_session_end"] and not returned and not _handed_off(core, header)
    if digest is not None and hands_over:
        baton = content.baton_from(header, digest, core.new_id(), core.now(), handoffs.expiry(core))
    rows = [
        Row(
            "session_close",
            {"id": header.id, "lines": row["lines"], "page": page, "reason": reason, "ended": row["last"]},
            expect=1,
        )
    ]
    lines: list[Line] = []
    for change in returned:
        rows += change.rows
        lines += change.lines
    if baton is not None:
        rows += [Row("baton_supersede", {"session": header.id, "id": baton.id}), batons.row(baton)]
        lines.append(handoffs.line(core, header, "baton-made", baton))
    core.writer.apply(Change(rows=tuple(rows), lines=tuple(lines)))
    return Finished(header.id, page, baton.id if baton else "")


def _page(core: Core, header: Session, rendered: tuple[str, Any]) -> str:
    """Write the session's page; one that a person has edited stays as it is."""
    path, page = rendered
    stamp = Stamp(core.new_id(), f"process:ai-memory/{__version__}", core.now())
    edit = Edit(header.workspace, header.project, path, page, stamp, automatic=True)
    try:
        core.writer.apply(Change(edits=(edit,)))
    except Conflict:
        log.info("the page of session %s was edited by hand and stays", header.id)
    return path


def _returned(
    core: Core, header: Session, observations: list[Observation], others: list[dict[str, Any]]
) -> list[Change]:
    """What the session claimed and never used, given back."""
    changes = []
    for baton in batons.held(core.ledger, header.id):
        after = [o for o in observations if o.at >= baton.claimed_at]
        if not activity.acted(after):
            changes.append(handoffs.give_back(core, replace(baton), header))
    return changes


def _handed_off(core: Core, header: Session) -> bool:
    """Whether the session made a baton on purpose that still waits."""
    return any(
        b.session == header.id and b.origin == "agent" for b in batons.open_in(core.ledger, header.project)
    )


def _said(row: sqlite3.Row) -> dict[str, Any]:
    names = ("id", "agent", "native", "started", "last", "ended", "reason", "lines", "page", "cwd", "branch")
    return {name: row[name] for name in names}
