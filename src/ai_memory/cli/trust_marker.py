"""``ai-memory trust-marker``."""

from __future__ import annotations

import click

from ai_memory.cli.ask import Asker, common, show


@click.command("trust-marker")
@common
def command(as_json: bool, data_dir: str | None, workspace: str | None, project: str | None) -> None:
    """Agree, once, that the marker in this checkout may name its project."""
    answer = Asker(data_dir, workspace, project).ask("POST", "/api/v1/trust", {})
    named = f"{answer['project']['workspace_name']}/{answer['project']['name']}"
    show(answer, as_json, lambda _: f"This checkout belongs to {named} from now on, as {answer['marker']} says.")
