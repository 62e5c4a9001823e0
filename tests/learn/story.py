"""Sessions for tests, told in a few words."""

from __future__ import annotations

from ai_memory.domain import event
from ai_memory.domain.observation import Observation, Session, Tool

SESSION = Session(
    id="339c234f-e829-59f8-95bd-95586cddca35",
    agent="claude-code",
    native="n",
    workspace="w",
    project="p",
    started="2026-11-30T22:00:00.000Z",
    branch="main",
)
NOW = "2026-11-30T23:59:00.000Z"


def at(number: int) -> str:
    return f"2026-11-30T22:{number // 60 % 60:02}:{number % 60:02}.{number // 3600:03}Z"


def told(*steps: Observation) -> list[Observation]:
    """``steps`` in order, one second apart."""
    return [
        Observation(
            **{name: getattr(step, name) for name in Observation.__slots__ if name not in ("id", "key", "at")},
            id=f"i{number}",
            key=f"k{number}",
            at=at(number),
        )
        for number, step in enumerate(steps)
    ]


def _step(kind: str, role: str, text: str = "", tool: Tool | None = None, **more: object) -> Observation:
    return Observation(id="", key="", session=SESSION.id, at="", kind=kind, role=role, text=text, tool=tool, **more)  # type: ignore[arg-type]


def asks(text: str, **more: object) -> Observation:
    return _step(event.USER_PROMPT, "user", text, **more)


def says(text: str, **more: object) -> Observation:
    return _step(event.STOP, "assistant", text, **more)


def uses(name: str, outcome: str = "ok", output: str = "", paths: tuple[str, ...] = (), **more: object) -> Observation:
    fields = {key: more.pop(key) for key in ("arguments", "command") if key in more}
    tool = Tool(name=name, outcome=outcome, output=output, paths=paths, **fields)  # type: ignore[arg-type]
    return _step(event.POST_TOOL, "tool", tool=tool, **more)


def runs(command: str, outcome: str = "ok", output: str = "", **more: object) -> Observation:
    return uses("Bash", outcome, output, command=command, **more)


def edits(path: str, **more: object) -> Observation:
    return uses("Edit", paths=(path,), **more)


def ends(reason: str = "exit") -> Observation:
    return _step(event.SESSION_END, "system", source=reason)
