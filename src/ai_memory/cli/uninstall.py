"""``ai-memory uninstall``."""

from __future__ import annotations

import shutil

import click

from ai_memory import config
from ai_memory.care import service
from ai_memory.cli import setup, wire
from ai_memory.harness import codex, instructions, trust
from ai_memory.harness.adapter import Agent, Part, Wiring
from ai_memory.harness.registry import AGENTS


@click.command("uninstall")
@click.option("--purge-data", is_flag=True, help="Also delete everything that is remembered. Asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@wire.common
def command(
    purge_data: bool, yes: bool, names: tuple[str, ...], really: bool, as_json: bool, data_dir: str | None
) -> int:
    """Take our entries out of the agents' files and stop the server; what others wrote there stays, to the byte."""
    settings = config.load(data_dir)
    to = wire.wiring(settings)
    agents = wire.chosen(names, to) if names else list(AGENTS.values())
    code = wire.carry_out(agents, to, lambda agent: _parts(agent, to), really=really, as_json=as_json, removing=True)
    if not really or names:
        return code
    for line in service.stop(setup.plan(settings, to)):
        click.echo(line, err=True)
    for file in (to.data / "bin").glob("hook*"):
        file.unlink()
    if purge_data and (yes or click.confirm(f"Delete everything in {to.data}?")):
        shutil.rmtree(to.data)
        click.echo(f"deleted {to.data}", err=True)
    elif to.data.is_dir():
        click.echo(f"kept {to.data}, what is remembered; --purge-data deletes it", err=True)
    return code


def _parts(agent: Agent, to: Wiring) -> list[Part]:
    notes = agent.instructions(to)
    cwd = wire.here()
    files = {notes, cwd / notes.name} if cwd else {notes}
    parts = [*agent.hooks(to), *(_untrusting(part, to) for part in agent.tools(to))]
    return parts + [Part(file, instructions.put, instructions.drop) for file in sorted(files)]


def _untrusting(part: Part, to: Wiring) -> Part:
    """Codex's file of tools also holds its trust in our hooks, which goes with them."""
    if part.path.name != "config.toml":
        return part
    return Part(part.path, part.put, lambda text, w: trust.drop(part.drop(text, w), codex.hooks_file(w)))
