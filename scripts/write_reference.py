"""Writes docs/reference.md from the code: commands, routes, tools, errors. ``tests/test_docs.py`` holds it to the code."""

from __future__ import annotations

import inspect
from pathlib import Path

from ai_memory import errors
from ai_memory.api import app
from ai_memory.cli.app import TABLE
from ai_memory.mcp.tools import TOOLS

PLACE = Path(__file__).parent.parent / "docs" / "reference.md"
HEAD = """# Reference

Made from the code by `python scripts/write_reference.py`. Settings are in [settings.md](settings.md), files in
[formats.md](formats.md), hooks in [hooks.md](hooks.md).
"""


def commands() -> str:
    rows = [f"| `ai-memory {name}` | {line} |" for name, (_, line) in TABLE.items()]
    rows.append("| `ai-memory mcp` | Serve an agent over stdio; agents start it. |")
    return "\n".join(["## Commands", "", "Each has `--help` and `--json`.", "", "| command | what it does |", "|---|---|", *rows])


def routes() -> str:
    rows = []
    for path, methods, line in app.listed():
        rows.append(f"| `{', '.join(methods)}` | `{path}` | {line} |")
    said = (
        "All but `/healthz` need the token when there is one. The project is told by the header `X-AI-Memory-Facts`, or by\n"
        "`workspace` and `project` in the query."
    )
    return "\n".join(["## Routes", "", said, "", "| method | route | what it does |", "|---|---|---|", *rows])


def tools() -> str:
    parts = ["## Tools", "", "Over MCP, at `/mcp` or by `ai-memory mcp`. All take `workspace` and `project`.", ""]
    for tool in TOOLS:
        names = [f"`{name}`" + (" (required)" if name in tool.required else "") for name in tool.properties]
        parts += [f"### {tool.name}", "", tool.description, "", f"Takes {', '.join(names) or 'nothing else'}.", ""]
    return "\n".join(parts).rstrip()


def faults() -> str:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.MemoryFault)]
    rows = [
        f"| `{kind.code}` | {kind.status} | {kind.exit} | {(kind.__doc__ or '').splitlines()[0]} |"
        for kind in sorted(kinds, key=lambda kind: kind.status)
    ]
    said = 'An answer of failure is `{"error": {"code", "message"}}`; the message is a sentence with the next step.'
    return "\n".join(["## Errors", "", said, "", "| code | HTTP status | exit code | meaning |", "|---|---|---|---|", *rows])


def text() -> str:
    return "\n\n".join([HEAD.rstrip(), commands(), routes(), tools(), faults()]) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
