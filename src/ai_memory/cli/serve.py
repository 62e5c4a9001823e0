"""``ai-memory serve``."""

from __future__ import annotations

import logging

import click

from ai_memory import config
from ai_memory.serve import server


@click.command("serve")
@click.option("--bind", default=None, help="host:port to listen on. Default 127.0.0.1:49374.")
@click.option("--data-dir", default=None, help="The data directory.")
@click.option("--json", "as_json", is_flag=True, help="Print errors as JSON.")
def command(bind: str | None, data_dir: str | None, as_json: bool) -> None:
    """Run the server in the foreground. Ctrl-C stops it; what waits is written first."""
    settings = config.load(data_dir, {"bind": bind})
    level = getattr(logging, str(settings["log_level"]).upper(), logging.INFO)
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("mcp").setLevel(max(level, logging.WARNING))
    server.run(settings)
