"""``ai-memory sessions``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory.cli.ask import Asker, common, show


@click.command("sessions")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500))
@common
def command(limit: int, as_json: bool, data_dir: str | None, workspace: str | None, project: str | None) -> None:
    """List this project's sessions, the newest first."""
    show(Asker(data_dir, workspace, project).ask("GET", "/api/v1/sessions", limit=limit), as_json, _text)


def _text(answer: dict[str, Any]) -> str:
    return "\n".join(_line(row) for row in answer["sessions"]) or "No sessions."


def _line(row: dict[str, Any]) -> str:
    state = f"ended ({row['reason']})" if row["ended"] else "open"
    return f"{row['id'][:8]}  {row['agent']:12}  {row['started'][:16]}  {row['lines']:5} events  {state}  {row['page']}"
