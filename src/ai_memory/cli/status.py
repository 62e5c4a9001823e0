"""``ai-memory status``."""

from __future__ import annotations

from typing import Any

import click

from ai_memory.cli.ask import Asker, common, counted, show, spool_line
from ai_memory.client import spool
from ai_memory.errors import MemoryFault

_STORE = {"projects": "project", "sessions": "session", "lines": "event", "pages": "page"}


@click.command("status")
@common
def command(as_json: bool, data_dir: str | None, workspace: str | None, project: str | None) -> int:
    """What is stored, what waits, and which project this is. The spool is told even when the server is down."""
    asker = Asker(data_dir, workspace, project)
    answer: dict[str, Any] = {"spool": spool.counts(asker.config.data), "server": {"url": asker.config.url, "up": True}}
    code = 0
    try:
        answer |= asker.ask("GET", "/api/v1/status")
    except MemoryFault as error:
        answer["server"] |= {"up": False, "error": str(error)}
        code = error.exit
    show(answer, as_json, _text)
    return code


def _text(answer: dict[str, Any]) -> str:
    server, waiting = answer["server"], answer["spool"]
    lines = [f"server    {server['url']} {'answers' if server['up'] else 'does not answer: ' + server['error']}"]
    if "store" in answer:
        store = answer["store"]
        counts = ", ".join(counted(store[name], word) for name, word in _STORE.items())
        lines.append(f"store     {counts}")
    if "project" in answer:
        here = answer["project"]
        lines.append(f"here      {counted(here['sessions'], 'session')}, {counted(here['pages'], 'page')}, "
                     f"{counted(here['handoffs'], 'open handoff')}")
    if "queues" in answer:
        lines.append("waiting   " + ", ".join(f"{name} {count}" for name, count in answer["queues"].items()))
    if "embedding" in answer:
        lines.append("vectors   " + _vectors(answer["embedding"], answer["embedding_pending"]))
    lines.append("spool     " + spool_line(waiting))
    return "\n".join(lines)


def _vectors(embedding: dict[str, Any], pending: int) -> str:
    """Whether questions are answered by meaning too, or why not."""
    note = str(embedding["note"])
    if not embedding["model"]:
        return note
    waiting = f", {counted(pending, 'passage')} waiting" if pending else ""
    return f"{embedding['model']}{waiting}" + (f" ({note})" if note else "")
