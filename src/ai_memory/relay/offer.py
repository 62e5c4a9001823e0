"""What a session is told of a handoff: the text offered at its start, and the sentence for the one that came second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ai_memory.domain import excerpt, fence, wording
from ai_memory.domain.handoff import Baton

ORIGIN = "handoff"
# About 1,000 tokens: a token is some four bytes of UTF-8, in Latin script as in others.
BUDGET = 4_000
_LIST, _ITEM, _NAME = 520, 300, 160


def render(baton: Baton, now: str) -> str:
    """The fenced text of ``baton``, at most ``BUDGET`` bytes: who made it, when and where, and what it holds."""
    lists = [
        *_list("Open questions", baton.questions),
        *_list("Next steps", baton.steps),
        *_list("Files touched", baton.files),
        f"Handoff id: {excerpt.line(baton.id, 64)}",
    ]
    head = _head(baton, now)
    # The summary has what the rest leaves, never less than some 1,500 bytes.
    room = BUDGET - excerpt.size(fence.wrap("\n\n".join([head, "", *lists]), ORIGIN))
    parts = [head, excerpt.block(baton.summary, room), *lists]
    return fence.wrap("\n\n".join(part for part in parts if part), ORIGIN)


def _head(baton: Baton, now: str) -> str:
    made = "wrote this handoff" if baton.origin == "agent" else "left this handoff"
    return (
        f"{_who(baton)} {made} {wording.age(baton.created, now)}{_where(baton)}. "
        f"{_state(baton, now)} Check it against the files before relying on it."
    )


def _state(baton: Baton, now: str) -> str:
    if baton.claimed_by:
        return f"This session holds it since {wording.moment(baton.claimed_at or now)}: go on from here."
    return "It is claimed for this session at the first prompt; if another session is quicker, you will be told."


def _who(baton: Baton) -> str:
    return excerpt.line(baton.agent, _NAME) or "Another agent"


def _where(baton: Baton) -> str:
    return f" on branch {excerpt.line(baton.branch, _NAME)}" if baton.branch else ""


def _list(title: str, items: Sequence[str]) -> Iterable[str]:
    """The first of ``items`` under ``title`` within ``_LIST`` bytes, and how many are left out."""
    lines = [f"- {line}" for item in items if (line := excerpt.line(item, _ITEM))]
    kept: list[str] = []
    spent = 0
    for line in lines:
        spent += excerpt.size(line) + 1
        if spent > _LIST - 30:
            break
        kept.append(line)
    if len(kept) < len(lines):
        kept.append(f"- … and {len(lines) - len(kept)} more")
    if kept:
        yield "\n".join([f"{title}:", *kept])


def notice_taken(baton: Baton, by: str, now: str) -> str:
    """One sentence for the session that was shown ``baton`` and came second; ``by`` is the agent that has it."""
    holder = excerpt.line(by, _NAME) or "another agent"
    return (
        f"The handoff from {_who(baton)} that was made {wording.age(baton.created, now)} went to {holder} in another "
        f"session{_since(baton, now)}: leave that work to it unless the person says otherwise."
    )


def _since(baton: Baton, now: str) -> str:
    return f" {wording.age(baton.claimed_at, now)}" if wording.read(baton.claimed_at) else ""


def offers_listing(batons: Sequence[Baton], now: str, most: int = 20) -> str:
    """The fenced list of ``batons``, one a line: id, maker, age, branch, whom it is for, and the first line of it."""
    lines = [_line(baton, now) for baton in batons[:most]]
    if len(batons) > most:
        lines.append(f"- … and {len(batons) - most} more")
    return fence.wrap("\n".join(lines) if lines else "No handoff waits here.", ORIGIN)


def _line(baton: Baton, now: str) -> str:
    aims = ((baton.to_agent, "for"), (baton.to_branch, "for branch"), (baton.to_worktree, "for worktree"))
    aimed = "".join(f", {word} {excerpt.line(name, _NAME)}" for name, word in aims if name)
    state = "" if baton.state == "open" else f", {baton.state}"
    said = excerpt.line(baton.summary, 200)
    return f"- {baton.id}: from {_who(baton)} {wording.age(baton.created, now)}{_where(baton)}{aimed}{state}: {said}"
