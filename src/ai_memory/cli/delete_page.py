"""``ai-memory delete-page``."""

from __future__ import annotations

import click

from ai_memory.cli.ask import Asker, common, page, show


@click.command("delete-page")
@click.argument("path")
@click.option("--expected-version", default=None, help="Refuse if the page is not at this version.")
@common
def command(
    path: str, expected_version: str | None,
    as_json: bool, data_dir: str | None, workspace: str | None, project: str | None,
) -> None:  # fmt: skip
    """Delete a page; its history stays in git."""
    asker = Asker(data_dir, workspace, project)
    answer = asker.ask("DELETE", page(path), expected_version=expected_version)
    show(answer, as_json, lambda a: f"deleted {path}" if a["deleted"] else f"there was no {path}")
