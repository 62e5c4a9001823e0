"""``ai-memory install-instructions``."""

from __future__ import annotations

import click

from ai_memory import config
from ai_memory.cli import wire
from ai_memory.errors import Invalid
from ai_memory.harness import instructions
from ai_memory.harness.adapter import Agent, Part


@click.command("install-instructions")
@click.option("--project", "here", is_flag=True, help="Into this project's file, not your own.")
@wire.common
def command(here: bool, names: tuple[str, ...], really: bool, as_json: bool, data_dir: str | None) -> int:
    """Put a short managed block into CLAUDE.md or AGENTS.md that says when to use the memory."""
    to = wire.wiring(config.load(data_dir))
    cwd = wire.here()
    if here and cwd is None:
        raise Invalid("This directory no longer exists. Go to the project and run this again.")

    def parts(agent: Agent) -> tuple[Part, ...]:
        own = agent.instructions(to)
        return (Part(cwd / own.name if here and cwd else own, instructions.put, instructions.drop),)

    return wire.carry_out(wire.chosen(names, to), to, parts, really=really, as_json=as_json)
