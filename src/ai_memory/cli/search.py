"""``ai-memory search``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory.cli.ask import Asker, common, show


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", default=10, show_default=True, type=click.IntRange(1, 100))
@common
def command(
    query: tuple[str, ...], limit: int, as_json: bool, data_dir: str | None, workspace: str | None, project: str | None
) -> None:
    """Search the pages and the sessions of this project."""
    asker = Asker(data_dir, workspace, project)
    show(asker.ask("POST", "/api/v1/search", {"q": " ".join(query), "limit": limit}), as_json, _text)


def _text(answer: dict[str, Any]) -> str:
    return "\n".join(_hit(hit) for hit in answer["hits"]) or "Nothing found."


def _hit(hit: dict[str, Any]) -> str:
    place = hit["path"] or f"session {hit['session'][:8]} ({hit['agent']}, {hit['role']})"
    snippet = " ".join(hit["snippet"].split())[:300]
    return f"{place}  {hit['title']}  {hit['at'][:16]}\n    {snippet}"
