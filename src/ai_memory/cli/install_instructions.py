"""``ai-memory install-instructions``."""

from __future__ import annotations

from pathlib import Path

import click

from ai_memory import config
from ai_memory.cli import wire
from ai_memory.harness import instructions
from ai_memory.harness.adapter import Agent, Part


@click.command("install-instructions")
@click.option("--project", "here", is_flag=True, help="Into this project's file, not your own.")
@wire.common
def command(here: bool, names: tuple[str, ...], really: bool, as_json: bool, data_dir: str | None) -> None:
    """Put a short managed block into CLAUDE.md or AGENTS.md that says when to use the memory."""
    to = wire.wiring(config.load(data_dir))

    def parts(agent: Agent) -> tuple[Part, ...]:
        own = agent.instructions(to)
        return (Part(Path.cwd() / own.name if here else own, instructions.put, instructions.drop),)

    wire.carry_out(wire.chosen(names, to), to, parts, really=really, as_json=as_json)
