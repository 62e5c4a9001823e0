"""``ai-memory install-hooks``."""

from __future__ import annotations

import click

from ai_memory import config
from ai_memory.cli import wire


@click.command("install-hooks")
@wire.common
def command(names: tuple[str, ...], really: bool, as_json: bool, data_dir: str | None) -> int:
    """Put the capture hooks into an agent's configuration. Shows the edits; --apply makes them."""
    to = wire.wiring(config.load(data_dir))
    if really:
        wire.put_hook(to)
    return wire.carry_out(wire.chosen(names, to), to, lambda agent: agent.hooks(to), really=really, as_json=as_json)
