"""``ai-memory read-page``."""

from __future__ import annotations

import click

from ai_memory.cli.ask import Asker, common, page, show


@click.command("read-page")
@click.argument("path")
@common
def command(path: str, as_json: bool, data_dir: str | None, workspace: str | None, project: str | None) -> None:
    """Print a page."""
    show(Asker(data_dir, workspace, project).ask("GET", page(path)), as_json, lambda read: str(read["body"]))
