"""What the commands that wire agents share: the wiring of this machine, showing edits, making them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ai_memory import config, disk
from ai_memory.config import Config
from ai_memory.errors import Invalid
from ai_memory.harness import codex, edits, trust
from ai_memory.harness.adapter import HOOK, Agent, Part, Wiring, named
from ai_memory.harness.edits import Edit
from ai_memory.harness.registry import AGENTS
from ai_memory.hook import packed

F = TypeVar("F", bound=Callable[..., Any])


def common(function: F) -> F:
    """``--agent`` (may be repeated), ``--apply``, ``--json`` and ``--data-dir``."""
    for option in (
        click.option("--data-dir", default=None, help="The data directory."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--apply", "really", is_flag=True, help="Make the edits; without it they are only shown."),
        click.option("--agent", "--client", "--only", "names", multiple=True, help="Which. Default: all installed ones."),
    ):
        function = option(function)
    return function


def wiring(settings: Config, *, http: bool = False) -> Wiring:
    """The wiring of this machine and user."""
    environ = config.environment()
    return Wiring(
        python=sys.executable,
        data=settings.data,
        home=Path.home(),
        environ=environ,
        plain_data=settings.data == config.data_dir_default(),
        url=settings.url,
        token=settings.token,
        http=http,
    )


def chosen(names: Sequence[str], to: Wiring) -> list[Agent]:
    """The agents that were named, else those that are installed."""
    if names:
        return [named(AGENTS, name) for name in names]
    return [agent for agent in AGENTS.values() if installed(agent, to)]


def installed(agent: Agent, to: Wiring) -> bool:
    """Whether the agent's program or its configuration is here."""
    return program(agent, to) is not None or agent.folder(to).is_dir()


def program(agent: Agent, to: Wiring) -> str | None:
    """The agent's program on the PATH."""
    return shutil.which(agent.program, path=to.environ.get("PATH"))


def codex_hooks(program: str, to: Wiring) -> list[trust.Hook] | None:
    """Our hooks as Codex lists them; None if it cannot be asked."""
    return trust.ours(program, to.home, to.environ, codex.hooks_file(to), codex.commands(to))


def here() -> Path | None:
    """The current directory; None if it was deleted under us."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def put_hook(to: Wiring) -> None:
    """The hook file at its stable place, and the address its waits go to; both are cheap to repeat."""
    disk.private_dir(to.data / "bin")
    text = packed.text().encode()
    place = to.data / HOOK
    if not place.exists() or place.read_bytes() != text:
        disk.write(place, text)
    if to.url != config.DEFAULT_URL:
        disk.write(to.data / "server-url", to.url.encode() + b"\n")


def carry_out(
    agents: Iterable[Agent], to: Wiring, parts: Callable[[Agent], Iterable[Part]], *, really: bool, as_json: bool,
    removing: bool = False,
) -> int:  # fmt: skip
    """Plan, show and, if ``really``, make the edits of each agent; the exit code.

    Nothing is put in anywhere if one file cannot be read; taking out goes on with the others and tells.
    """
    told = []
    plans = [(agent, *_plan(parts(agent), to, removing)) for agent in agents]
    for agent, plan, left in plans:
        changes = [edit for edit in plan if edit.changes]
        backups = edits.apply(plan, to, remember=not removing) if really else []
        told.append({"agent": agent.name, "applied": really, "files": [_said(edit, to) for edit in changes],
                     "backups": [str(path) for path in backups], "left": left,
                     "next": agent.after if not removing else ""})  # fmt: skip
    if as_json:
        print(json.dumps({"agents": told}, indent=1))
    else:
        _print(told, really)
    return Invalid.exit if any(left for _, _, left in plans) else 0


def _plan(parts: Iterable[Part], to: Wiring, removing: bool) -> tuple[list[Edit], list[str]]:
    """The edits, and what is said of files that are left alone."""
    if not removing:
        return edits.installing(parts, to), []
    plan: list[Edit] = []
    left: list[str] = []
    for part in parts:
        try:
            plan += edits.removing([part], to)
        except Invalid as error:
            left.append(str(error))
    return plan, left


def _said(edit: Edit, to: Wiring) -> dict[str, str]:
    return {"path": str(edit.path), "diff": shown(edit, to)}


def shown(edit: Edit, to: Wiring) -> str:
    """What would change, without our token."""
    return edit.diff.replace(to.token, "…") if to.token else edit.diff


def _print(told: list[dict[str, Any]], really: bool) -> None:
    if not told:
        print(f"No agent is installed here. Known: {', '.join(AGENTS)}.")
    for one in told:
        did = ("changed" if really else "would change") if one["files"] else "left" if one["left"] else "needs no change"
        print(f"{one['agent']}: {did}{''.join(os.linesep + '  ' + file['path'] for file in one['files'])}")
        if not really:
            for file in one["files"]:
                print(file["diff"], end="")
        for backup in one["backups"]:
            print(f"  backup: {backup}")
        for line in one["left"]:
            print(f"  {line}")
        if one["files"] and one["next"]:
            print(f"  {one['next']}")
    if not really and any(one["files"] for one in told):
        print("Nothing was changed. Run it again with --apply.")
