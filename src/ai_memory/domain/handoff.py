"""The baton: a handoff with one owner at a time."""

from __future__ import annotations

from dataclasses import dataclass

OPEN, CLAIMED, CANCELLED, EXPIRED = STATES = ("open", "claimed", "cancelled", "expired")


@dataclass(frozen=True, slots=True)
class Baton:
    """Where one session stopped, for the one session that goes on.

    ``origin`` is ``session-end`` (made by rule) or ``agent`` (made on purpose). ``to_agent``, ``to_branch`` and
    ``to_worktree`` narrow who is offered it; empty means anyone. Times are RFC 3339 in UTC.
    """

    id: str
    workspace: str
    project: str
    summary: str
    questions: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    cwd: str = ""
    branch: str = ""
    owner: str = ""
    origin: str = "session-end"
    to_agent: str = ""
    to_branch: str = ""
    to_worktree: str = ""
    created: str = ""
    expires: str = ""
    state: str = OPEN
    claimed_by: str = ""
    claimed_at: str = ""


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who asks: the agent, its session (our id), and where it stands."""

    agent: str
    session: str
    owner: str = ""
    branch: str = ""
    worktree: str = ""


def offerable(baton: Baton, to: Receiver, now: str) -> bool:
    """Whether ``baton`` may be shown to ``to`` at ``now``: open, not its own, not expired, aimed at it or at anyone."""
    return (
        baton.state == OPEN
        and baton.session != to.session
        and (not baton.expires or baton.expires > now)
        and baton.owner in ("", to.owner)
        and baton.to_agent in ("", to.agent)
        and baton.to_branch in ("", to.branch)
        and baton.to_worktree in ("", to.worktree)
    )


def choose(batons: list[Baton], to: Receiver, now: str) -> Baton | None:
    """The one to offer: made on purpose before made by rule, then the newest."""
    fit = [b for b in batons if offerable(b, to, now)]
    return max(fit, key=lambda b: (b.origin == "agent", b.created), default=None)
