"""What the commands that ask the server share: options, the connection, the facts of this directory, output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import click

from ai_memory import config
from ai_memory.client import http, machine
from ai_memory.client.facts import Places

F = TypeVar("F", bound=Callable[..., Any])


def common(function: F) -> F:
    """``--json``, ``--data-dir``, ``--workspace`` and ``--project``."""
    for option in (
        click.option("--project", default=None, help="Another project than this directory's."),
        click.option("--workspace", default=None, help="With --project: its workspace."),
        click.option("--data-dir", default=None, help="The data directory."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ):
        function = option(function)
    return function


class Asker:
    """A server to ask about the project of the current directory."""

    def __init__(self, data_dir: str | None, workspace: str | None, project: str | None) -> None:
        self.config = config.load(data_dir)
        self._server = http.connect(self.config)
        self._scope = {"workspace": workspace, "project": project}
        self._facts = Places(machine.id(self.config.data)).facts(_here())

    def ask(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """The JSON answer of a route."""
        asked = {name: value for name, value in {**self._scope, **query}.items() if value is not None}
        return self._server.request(method, path, body, self._facts, asked)[1]


def show(answer: Any, as_json: bool, text: Callable[[Any], str]) -> None:
    """Print an answer: as JSON, or as ``text`` says it. The scope goes to standard error."""
    if as_json:
        print(json.dumps(answer, ensure_ascii=False, indent=1))
        return
    scope = answer.get("scope") if isinstance(answer, dict) else None
    if scope:
        note = f" {scope['note']}" if scope.get("note") else ""
        print(f"[{scope['workspace']}/{scope['project'] or '-'} by {scope['resolved_by']}]{note}", file=sys.stderr)
    said = text(answer)
    if said:
        print(said)


def page(path: str) -> str:
    """The route of a page. What its name holds stands for itself there, a percent sign and broken text too."""
    return f"/api/v1/pages/{segment(path, safe='/')}"


def segment(text: str, safe: str = "") -> str:
    """``text`` as a piece of a route."""
    return quote(text, safe=safe, errors="replace")


def counted(count: int, word: str) -> str:
    """``1 page``, ``2 pages``."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def spool_line(counts: Mapping[str, int]) -> str:
    """What waits in the spool, for a person."""
    age = f" for {counts['oldest_seconds']} s" if counts["waiting"] else ""
    return f"{counts['waiting']} waiting{age}, {counts['refused']} refused, {counts['dropped']} dropped"


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
