"""``ai-memory install-mcp``."""

from __future__ import annotations

import click

from ai_memory import config
from ai_memory.cli import wire


@click.command("install-mcp")
@click.option("--http", is_flag=True, help="Wire the plain HTTP address; writes must then name their project.")
@wire.common
def command(http: bool, names: tuple[str, ...], really: bool, as_json: bool, data_dir: str | None) -> int:
    """Put the memory tools into an agent's configuration, by the stdio bridge, which knows the project."""
    to = wire.wiring(config.load(data_dir), http=http)
    return wire.carry_out(wire.chosen(names, to), to, lambda agent: agent.tools(to), really=really, as_json=as_json)
