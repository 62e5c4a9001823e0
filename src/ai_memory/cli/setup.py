"""``ai-memory setup``: everything a machine needs, shown first, proven last."""

from __future__ import annotations

import json
import secrets
import subprocess
import time
from typing import Any
from urllib.parse import urlsplit

import click

from ai_memory import config, disk
from ai_memory.care import service
from ai_memory.cli import wire
from ai_memory.client import http, spool
from ai_memory.config import Config
from ai_memory.errors import MemoryFault, Unreachable
from ai_memory.harness import codex, edits, trust
from ai_memory.harness.adapter import HOOK, Agent, Wiring
from ai_memory.harness.edits import Edit

_START = 20.0
_DOWN = "not tried, the server is not running"
_SERVER = {
    "none": "not started",
    "process": "started in the background; run `ai-memory setup` again after a reboot",
    "systemd": "started as a systemd user service",
    "launchd": "started as a launchd agent",
}


@click.command("setup")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--no-service", is_flag=True, help="Do not start a server; run `ai-memory serve` yourself.")
@click.option("--agent", "names", multiple=True, help="Only this agent. Default: all that are installed.")
@click.option("--data-dir", default=None, help="The data directory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; implies --yes.")
def command(yes: bool, no_service: bool, names: tuple[str, ...], data_dir: str | None, as_json: bool) -> int:
    """Wire the installed agents, start the server as a user service, and prove with one round trip that it works."""
    settings = config.load(data_dir)
    to = wire.wiring(settings)
    agents = wire.chosen(names, to)
    plans = {agent.name: edits.installing([*agent.hooks(to), *agent.tools(to)], to) for agent in agents}
    if not as_json:
        _show(agents, plans, to)
        if not yes and any(e.changes for plan in plans.values() for e in plan) and not click.confirm("Make these edits?"):
            return 1
    told: dict[str, Any] = {"agents": [agent.name for agent in agents], "data": str(settings.data)}
    _token(settings)
    settings = config.load(data_dir)
    wire.put_hook(to)
    told["backups"] = [str(path) for name in plans for path in edits.apply(plans[name], to, remember=True)]
    told["service"] = "none" if no_service else _serve(settings, to)
    told["proof"] = _prove(settings, to)
    told["next"] = [agent.after for agent in agents if agent.after and not _trusted(agent, plans[agent.name], to)]
    if told["proof"] == _DOWN:
        told["next"].insert(0, "Start the server with `ai-memory serve`, or run `ai-memory setup` without --no-service.")
    print(json.dumps(told, indent=1) if as_json else _text(told))
    return 0 if told["proof"] == "ok" or no_service else 7


def _trusted(agent: Agent, plan: list[Edit], to: Wiring) -> bool:
    """Whether Codex runs our hooks already. It is asked only if a person has decided before: asking starts it."""
    if agent.name != codex.NAME or any(edit.changes and edit.path.name == "hooks.json" for edit in plan):
        return False
    file, program = codex.folder(to) / "config.toml", wire.program(agent, to)
    try:
        if program is None or not trust.asked(file.read_text(encoding="utf-8"), codex.hooks_file(to)):
            return False
    except (OSError, ValueError, MemoryFault):
        return False
    hooks = wire.codex_hooks(program, to)
    return bool(hooks) and all(hook.trusted for hook in hooks or [])


def plan(settings: Config, to: Wiring) -> service.Plan:
    """What the service runs."""
    return service.Plan(to.python, settings.data, urlsplit(settings.url).netloc, to.home, to.environ)


def _show(agents: list[Agent], plans: dict[str, list[Edit]], to: Wiring) -> None:
    if not agents:
        print("No known agent is installed here. The server is set up all the same; run this again after installing one.")
    for agent in agents:
        changes = [edit for edit in plans[agent.name] if edit.changes]
        print(f"{agent.title}: " + ("these edits" if changes else "wired already"))
        for edit in changes:
            print(wire.shown(edit, to), end="")


def _token(settings: Config) -> None:
    if not settings.token:
        disk.private_dir(settings.data)
        disk.write(settings.data / "auth-token", secrets.token_urlsafe(32).encode() + b"\n")


def _serve(settings: Config, to: Wiring) -> str:
    if _answers(settings):
        return "running already"
    kind = service.start(plan(settings, to))
    deadline = time.monotonic() + _START
    while not _answers(settings):
        if time.monotonic() > deadline:
            raise Unreachable(f"The server does not answer. See {settings.data / 'serve.log'}, or run `ai-memory serve`.")
        time.sleep(0.1)
    return kind


def _answers(settings: Config) -> bool:
    try:
        http.connect(settings, timeout=2).request("GET", "/api/v1/projects")
    except Unreachable:
        return False
    except MemoryFault as error:
        raise Unreachable(
            f"A server answers at {settings.url} but refuses our token ({error}). Stop it, or set AI_MEMORY_AUTH_TOKEN."
        ) from error
    return True


def _prove(settings: Config, to: Wiring) -> str:
    """One round trip: an event through the real hook, from the home directory, which is never a project, to the server."""
    if not _answers(settings):
        return _DOWN
    payload = json.dumps({"session_id": "ai-memory-setup", "cwd": str(to.home), "message": "setup"})
    environ = {**to.environ, "AI_MEMORY_DATA_DIR": str(settings.data), "AI_MEMORY_SERVER_URL": settings.url}
    words = [to.python, "-I", "-S", str(settings.data / HOOK), "notification", "ai-memory"]
    touched, refused = _touched(settings), spool.counts(settings.data)["refused"]
    done = subprocess.run(words, input=payload.encode(), env=environ, cwd=to.home, timeout=10, check=False)
    if done.returncode or _touched(settings) == touched:
        return "the hook did not write its event; see `ai-memory doctor`"
    deadline = time.monotonic() + 5
    while spool.counts(settings.data)["waiting"]:
        if time.monotonic() > deadline:
            return "the server did not take in the event; see `ai-memory doctor`"
        time.sleep(0.05)
    if spool.counts(settings.data)["refused"] > refused:
        return "the server refused the event; see `ai-memory doctor`"
    return "ok"


def _touched(settings: Config) -> int:
    """When the spool last changed, in nanoseconds: it does whenever an event comes or goes."""
    place = spool.folder(settings.data)
    return place.stat().st_mtime_ns if place.is_dir() else 0


def _text(told: dict[str, Any]) -> str:
    lines = [f"server     {_SERVER.get(told['service'], told['service'])}", f"round trip {told['proof']}"]
    lines += [f"backup     {path}" for path in told["backups"]]
    lines += [f"next       {line}" for line in told["next"]]
    return "\n".join(lines)
