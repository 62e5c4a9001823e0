"""The verbs of capture: events in, a line of evidence out for each, or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ai_memory.capture import observe
from ai_memory.domain import event, evidence, ids
from ai_memory.domain.actor import Actor
from ai_memory.domain.change import Change, Line
from ai_memory.domain.facts import Facts
from ai_memory.domain.observation import Observation, Session
from ai_memory.harness import payload as payloads
from ai_memory.harness.payload import Payload
from ai_memory.memory import access, places
from ai_memory.memory.core import Core, rfc3339, seconds
from ai_memory.memory.places import Where
from ai_memory.memory.writer import Applied

STORED, REPLAYED = "stored", "replayed"
INVALID, POLICY, EMPTY = "dropped_invalid", "dropped_policy", "dropped_empty"
_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_PLAIN = re.compile(r"[0-9a-f-]{1,36}\Z")
_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
_ACTIVITY = (event.USER_PROMPT, event.POST_TOOL, event.STOP)
_AHEAD = 300.0
_BEHIND = 20 * 365 * 86_400.0


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event as it came: ``body`` is the agent's JSON, ``facts`` where it ran, ``at`` when it says it happened.

    ``key`` makes a repeated delivery harmless; one that does not fit (1 to 64 of A-Za-z0-9_-) is replaced by a fresh
    one. ``session`` is the native id where the body does not carry it.
    """

    event: str
    agent: str
    key: str
    facts: Facts
    body: Any
    at: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """An envelope that was looked into. With ``session``, its header, ``prepare`` will not block on disk or git."""

    envelope: Envelope
    payload: Payload
    native: str
    session: Session | None


def see(core: Core, envelope: Envelope) -> Seen:
    """Read the payload and look its session up."""
    payload = payloads.parse(envelope.event, envelope.body)
    native = payload.session or envelope.session
    known = core.sessions.known(ids.session(envelope.agent, native)) if native else None
    return Seen(envelope, payload, native, known)


@dataclass(frozen=True, slots=True)
class Ready:
    """An event that is redacted and placed; with an ``outcome`` there is nothing of it to store."""

    outcome: str = ""
    session: Session | None = None
    observation: Observation | None = None


def prepare(core: Core, actor: Actor, seen: Seen) -> Ready:
    """Redact and place one event. May create the project on its first event."""
    access.require(actor, "capture")
    envelope, payload = seen.envelope, seen.payload
    if not _AGENT.match(envelope.agent) or not seen.native:
        return Ready(INVALID)
    if seen.session is None and core.redactor.text(envelope.agent) != envelope.agent:
        return Ready(INVALID)
    session = seen.session or _session(core, envelope, seen.native, payload.cwd)
    if session is None:
        return Ready(POLICY)
    observation = observe.observe(
        payload,
        kind=payload.event,
        id=core.new_id(),
        key=_key(core, envelope.key),
        session=session.id,
        at=_when(core, envelope.at),
        redactor=core.redactor,
        agent=envelope.agent,
    )
    return Ready("", session, observation) if observation is not None else Ready(EMPTY)


def store(core: Core, ready: Sequence[Ready]) -> Future[tuple[str, ...]]:
    """Store events in order, all or none. The future holds ``stored``, ``replayed`` or a ``dropped_…`` word for each.

    It is done after the flush. Raises ``Busy`` when the queue is full.
    """
    news = [(one.session, one.observation) for one in ready if one.session and one.observation]
    if not news:
        return _done(tuple(one.outcome for one in ready))
    lines = tuple(Line(session, evidence.record(observation)) for session, observation in news)
    outcome: Future[tuple[str, ...]] = Future()
    applied = core.writer.submit(Change(lines=lines))
    applied.add_done_callback(lambda done: _settle(core, ready, done, outcome))
    return outcome


def _session(core: Core, envelope: Envelope, native: str, cwd: str) -> Session | None:
    """The session's header: as first seen, wherever it has moved since; None where no project may be made."""
    id = ids.session(envelope.agent, native)
    known = core.sessions.known(id)
    if known is not None:
        return known
    place = places.create(core, Where(envelope.facts))
    if place is None:
        return None
    clean = core.redactor.text
    session = Session(
        id=id,
        agent=envelope.agent,
        native=clean(native),
        workspace=place.workspace,
        project=place.id,
        started=_when(core, envelope.at),
        cwd=clean(envelope.facts.cwd or cwd),
        branch=clean(envelope.facts.branch),
        machine=envelope.facts.machine,
    )
    return core.sessions.remember(session)


def _settle(core: Core, ready: Sequence[Ready], done: Future[Applied], outcome: Future[tuple[str, ...]]) -> None:
    error = done.exception()
    if error is not None:
        outcome.set_exception(error)
        return
    stored = iter(done.result().lines)
    outcome.set_result(tuple(one.outcome or next(stored) for one in ready))
    for one in ready:
        if one.session and one.observation:
            _follow(core, one.session, one.observation)


def _follow(core: Core, session: Session, seen: Observation) -> None:
    """What a stored event sets off."""
    if seen.kind in _ACTIVITY and not seen.subagent and core.sessions.was_offered(session.id):
        core.chores.claim(session.id)
    elif seen.kind == event.SESSION_END:
        core.chores.finish(session.id)


def _key(core: Core, said: str) -> str:
    """The key that makes a repeat harmless; one that is no UUID is looked at as any text, and hashed if it holds a secret."""
    if _PLAIN.match(said):
        return said
    if not _KEY.match(said):
        return core.new_id()
    return said if core.redactor.text(said) == said else ids.session("", said)


def _when(core: Core, said: str) -> str:
    """When the event happened: what it says within bounds (five minutes ahead, twenty years behind), else now."""
    now = core.clock()
    try:
        then = seconds(said) if said else now
    except ValueError:
        then = now
    return rfc3339(then if now - _BEHIND < then < now + _AHEAD else now)


def _done(outcomes: tuple[str, ...]) -> Future[tuple[str, ...]]:
    future: Future[tuple[str, ...]] = Future()
    future.set_result(outcomes)
    return future
