"""``ai-memory handoffs``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory.cli.ask import Asker, common, segment, show


@click.command("handoffs")
@click.option("--open", "only_open", is_flag=True, help="Only those that wait.")
@click.option("--begin", default=None, metavar="SUMMARY", help="Leave a handoff.")
@click.option("--accept", default=None, metavar="ID", help="Take one.")
@click.option("--cancel", default=None, metavar="ID", help="Withdraw one.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500))
@common
def command(
    only_open: bool, begin: str | None, accept: str | None, cancel: str | None, limit: int,
    as_json: bool, data_dir: str | None, workspace: str | None, project: str | None,
) -> None:  # fmt: skip
    """List this project's handoffs, or leave, take or withdraw one."""
    asker = Asker(data_dir, workspace, project)
    base = "/api/v1/handoffs"
    if begin:
        show(asker.ask("POST", base, {"summary": begin}), as_json, lambda a: f"left {a['handoff']['id']}")
    elif accept:
        show(asker.ask("POST", f"{base}/{segment(accept)}/accept"), as_json, lambda a: str(a["text"]))
    elif cancel:
        show(asker.ask("POST", f"{base}/{segment(cancel)}/cancel"), as_json, lambda a: f"withdrew {a['handoff']['id']}")
    else:
        show(asker.ask("GET", base, limit=limit, state="open" if only_open else "all"), as_json, _text)


def _text(answer: dict[str, Any]) -> str:
    return "\n".join(_line(baton) for baton in answer["handoffs"]) or "No handoffs."


def _line(baton: dict[str, Any]) -> str:
    first = " ".join(baton["summary"].split())[:160]
    return f"{baton['id']}  {baton['state']:9}  {baton['created'][:16]}  from {baton['agent'] or 'a person'}\n    {first}"
