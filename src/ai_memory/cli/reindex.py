"""``ai-memory reindex``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory import config
from ai_memory.cli.ask import show
from ai_memory.client import http
from ai_memory.domain.actor import SYSTEM
from ai_memory.errors import Unreachable
from ai_memory.memory import opening, rebuild


@click.command("reindex")
@click.option("--data-dir", default=None, help="The data directory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(data_dir: str | None, as_json: bool) -> None:
    """Build the index anew from the files: by the server if it runs, else here, under its lock."""
    settings = config.load(data_dir)
    try:
        lock = opening.Lock(settings.data, "")
    except Unreachable:
        answer = http.connect(settings, timeout=3_600).request("POST", "/admin/reindex", {})[1]
    else:
        answer = _here(settings, lock)
    show(answer, as_json, _text)


def _here(settings: config.Config, lock: opening.Lock) -> Any:
    try:
        core = opening.open_core(settings)
        try:
            opening.settle(core)
            core.shadow.settle()
            return rebuild.reindex(core, SYSTEM)
        finally:
            opening.close(core)
    finally:
        lock.close()


def _text(answer: dict[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in answer.items())
