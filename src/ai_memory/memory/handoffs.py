"""The verbs of the handoff: made, offered, claimed by compare-and-set, returned, cancelled.

Each change of hands is a row of the ledger and a line of evidence, written together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ai_memory.domain import handoff, ids
from ai_memory.domain.actor import Actor
from ai_memory.domain.change import Change, Line, Row
from ai_memory.domain.handoff import Baton, Receiver
from ai_memory.domain.observation import Session
from ai_memory.errors import Conflict, Invalid, Missing
from ai_memory.ledger import batons
from ai_memory.memory import access, places
from ai_memory.memory.core import Core, rfc3339
from ai_memory.memory.places import Where
from ai_memory.relay import offer as offers

_SILENT_STARTS = ("clear", "compact")
_MOST = {"summary": 6000, "questions": 20, "steps": 20, "files": 50, "item": 1500}
_AIMS = {"to_agent": 64, "to_branch": 512, "to_worktree": 4096}
MOST = 500


@dataclass(frozen=True, slots=True)
class Context:
    """What a starting session is told: ``text`` is fenced; ``offer`` is the baton it was shown, or empty."""

    text: str
    offer: str
    scope: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """How a claim ended: ``claimed``, ``taken`` (by another) or ``none`` (nothing was offered)."""

    state: str
    text: str = ""
    baton: Baton | None = None


def context(core: Core, actor: Actor, where: Where, agent: str, native: str, source: str = "") -> Context:
    """What a session that starts here should know. Offers a baton but does not claim it; creates nothing else."""
    access.require(actor, "read")
    place = places.find(core, where)
    scope = places.said(place)
    if place.project is None or not native or not core.config["handoff.offer_on_session_start"]:
        return Context("", "", scope)
    core.chores.finish_all(place.project.id)
    if source in _SILENT_STARTS:
        return Context("", "", scope)
    to = _receiver(core, actor, where, agent, ids.session(agent, native))
    found = handoff.choose(batons.open_in(core.ledger, place.project.id), to, core.now())
    if found is None:
        return Context("", "", scope)
    core.writer.apply(Change(rows=(Row("offer_add", {"session": to.session, "baton": found.id, "at": core.now()}),)))
    core.sessions.offer(to.session)
    return Context(offers.render(found, core.now()), found.id, scope)


def claim(core: Core, actor: Actor, session: str, *, tells: bool = True) -> Claim:
    """Claim what ``session`` (our id) was shown. Safe to repeat; exactly one session wins.

    The loser is told once, by whoever passes the answer on: a claim that nobody hears (``tells`` false) leaves that open.
    """
    access.require(actor, "handoff")
    shown = core.ledger.all("offer_of", session=session)
    if not shown:
        core.sessions.settle(session)
        return Claim("none")
    baton = batons.get(core.ledger, shown[0]["baton"])
    if baton is None:
        return Claim("none")
    result = _claim(core, baton, session)
    told = bool(shown[0]["told"])
    core.sessions.settle(session)
    if not told and tells:
        core.writer.apply(Change(rows=(Row("offer_tell", {"session": session, "baton": baton.id}),)))
    if result.state == "taken" and result.baton and not told:
        return replace(result, text=offers.notice_taken(result.baton, _holder(core, result.baton), core.now()))
    return result


def accept(core: Core, actor: Actor, where: Where, baton_id: str, agent: str, native: str) -> Claim:
    """Claim a baton on purpose: the one named, or the one that would be offered here."""
    access.require(actor, "handoff")
    place = places.require(core, where)
    session = ids.session(agent or "unknown", native or core.new_id())
    to = _receiver(core, actor, where, agent, session)
    open_here = batons.open_in(core.ledger, place.id)
    held = [b for b in batons.held(core.ledger, session) if b.project == place.id and baton_id in ("", b.id)]
    if held:
        return Claim("claimed", offers.render(held[0], core.now()), held[0])
    if baton_id:
        found = batons.get(core.ledger, baton_id)
        if found is None or found.project != place.id:
            raise Missing(f"No handoff {baton_id} in {place.name}. List them with memory_handoff_list.")
    else:
        found = handoff.choose(open_here, to, core.now())
        if found is None:
            return Claim("none")
    result = _claim(core, found, session)
    if result.state == "claimed":
        return replace(result, text=offers.render(found, core.now()))
    raise Conflict(offers.notice_taken(result.baton or found, _holder(core, result.baton or found), core.now()))


def begin(core: Core, actor: Actor, where: Where, said: dict[str, Any], agent: str = "", native: str = "") -> Baton:
    """Make a baton on purpose. ``said``: summary (required), questions, steps, files, to_agent, to_branch, to_worktree."""
    access.require(actor, "handoff")
    clean = core.redactor.text
    summary = clean(_words(said, "summary")).strip()
    if not summary:
        raise Invalid("A handoff needs a summary: what was done, and where it stopped.")
    questions, steps, files = (_items(core, said, name) for name in ("questions", "steps", "files"))
    to_agent, to_branch, to_worktree = (_aim(core, said, name) for name in _AIMS)
    place = places.create(core, where)
    if place is None:
        raise Invalid("There is no project here to hand off. Start in a project directory, or name workspace and project.")
    session = ids.session(agent, native) if native else ""
    baton = Baton(
        id=core.new_id(), workspace=place.workspace, project=place.id, summary=summary[: _MOST["summary"]],
        agent=clean(agent), session=session, cwd=clean(where.facts.cwd), branch=clean(where.facts.branch), owner="",
        origin="agent", created=core.now(), expires=expiry(core),
        questions=questions, steps=steps, files=files, to_agent=to_agent, to_branch=to_branch, to_worktree=to_worktree,
    )  # fmt: skip
    lines: tuple[Line, ...] = ()
    header = core.sessions.known(session) if session else None
    if header:
        lines = (line(core, header, "baton-made", baton),)
    core.writer.apply(Change(rows=(batons.row(baton),), lines=lines))
    return baton


def listing(core: Core, actor: Actor, where: Where, limit: int = 50, closed: bool = False) -> list[Baton]:
    """The open batons here, newest first; with ``closed`` those in any state. ``limit`` is 1 to 500."""
    access.require(actor, "read")
    access.bounded(limit, MOST)
    place = places.find(core, where)
    if place.project is None:
        return []
    now = core.now()
    if closed:
        return batons.recent(core.ledger, place.project.id, limit)
    return [b for b in batons.open_in(core.ledger, place.project.id) if b.expires > now][:limit]


def cancel(core: Core, actor: Actor, where: Where, baton_id: str) -> Baton:
    """Withdraw an open baton of this project."""
    access.require(actor, "handoff")
    place = places.require(core, where)
    baton = batons.get(core.ledger, baton_id)
    if baton is None or baton.project != place.id:
        raise Missing(f"No handoff {baton_id} in {place.name}. List them with memory_handoff_list.")
    header = core.sessions.known(baton.session) if baton.session else None
    cancelled = replace(baton, state=handoff.CANCELLED)
    refusal = f"Handoff {baton_id} is {baton.state} already."
    rows = (Row("baton_cancel", {"id": baton_id}, expect=1, refusal=refusal),)
    core.writer.apply(Change(rows=rows, lines=(line(core, header, "baton-cancelled", cancelled),) if header else ()))
    return cancelled


def give_back(core: Core, baton: Baton, header: Session) -> Change:
    """The change that returns what ``header``'s session claimed and did not use."""
    returned = replace(baton, state=handoff.OPEN, claimed_by="", claimed_at="")
    return Change(
        rows=(Row("baton_return", {"id": baton.id, "session": header.id}),),
        lines=(line(core, header, "baton-returned", returned),),
    )


def line(core: Core, header: Session, kind: str, baton: Baton) -> Line:
    """A change of hands as a line of ``header``'s evidence."""
    record = {
        "id": core.new_id(), "key": f"{kind}-{baton.id[-12:]}-{core.new_id()[-12:]}", "session": header.id,
        "at": core.now(), "kind": kind, "baton": batons.to_record(baton),
    }  # fmt: skip
    return Line(header, record)


def expiry(core: Core) -> str:
    """When a baton made now expires."""
    return rfc3339(core.clock() + core.config["handoff.expire_days"] * 86_400)


def session(agent: str, native: str) -> str:
    """Our id of an agent's session."""
    return ids.session(agent, native)


def actor_owner(actor: Actor) -> str:
    """Whose batons an actor may claim. One person's server has no owners."""
    return "" if actor.level == "owner" else actor.name


def _items(core: Core, said: dict[str, Any], name: str) -> tuple[str, ...]:
    given = said.get(name)
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(item, str) for item in given):
        raise Invalid(f"{name} must be a list of texts.")
    return tuple(core.redactor.text(item)[: _MOST["item"]] for item in given[: _MOST[name]])


def _words(said: dict[str, Any], name: str) -> str:
    given = said.get(name)
    if given is not None and not isinstance(given, str):
        raise Invalid(f"{name} must be text.")
    return given or ""


def _aim(core: Core, said: dict[str, Any], name: str) -> str:
    """Whom a baton is for; compared with a receiver that is cleaned likewise."""
    given = _words(said, name)
    if len(given) > _AIMS[name]:
        raise Invalid(f"{name} may have {_AIMS[name]} characters.")
    return core.redactor.text(given)


def _receiver(core: Core, actor: Actor, where: Where, agent: str, session: str) -> Receiver:
    clean = core.redactor.text
    tree = where.facts.worktree or where.facts.root
    return Receiver(clean(agent), session, actor_owner(actor), clean(where.facts.branch), clean(tree))


def _claim(core: Core, baton: Baton, session: str) -> Claim:
    now = core.now()
    claimed = replace(baton, state=handoff.CLAIMED, claimed_by=session, claimed_at=now)
    header = core.sessions.known(session)
    rows = (
        Row("baton_claim", {"id": baton.id, "session": session, "at": now}, expect=1),
        Row("baton_settle", {"project": baton.project, "cwd": baton.cwd, "created": baton.created}),
    )
    try:
        core.writer.apply(Change(rows=rows, lines=(line(core, header, "baton-claimed", claimed),) if header else ()))
    except Conflict:
        held = batons.get(core.ledger, baton.id)
        if held is not None and held.state == handoff.CLAIMED and held.claimed_by == session:
            return Claim("claimed", baton=held)
        return Claim("taken", baton=held)
    return Claim("claimed", baton=claimed)


def _holder(core: Core, baton: Baton) -> str:
    header = core.sessions.known(baton.claimed_by) if baton.claimed_by else None
    return header.agent if header else ""
