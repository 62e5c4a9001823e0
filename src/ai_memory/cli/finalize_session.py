"""``ai-memory finalize-session``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory.cli.ask import Asker, common, show


@click.command("finalize-session")
@click.argument("session", required=False, default="")
@click.option("--agent", default="", help="Only sessions of this agent.")
@common
def command(
    session: str, agent: str, as_json: bool, data_dir: str | None, workspace: str | None, project: str | None
) -> None:
    """End SESSION (the beginning of its id), or every open session here, and write it up."""
    asker = Asker(data_dir, workspace, project)
    show(asker.ask("POST", "/api/v1/sessions/finalize", {"session": session, "agent": agent}), as_json, _text)


def _text(answer: dict[str, Any]) -> str:
    lines = [f"{one['session'][:8]}  {one['page'] or 'nothing to write up'}" for one in answer["finished"]]
    return "\n".join(lines) or "No open session here."
