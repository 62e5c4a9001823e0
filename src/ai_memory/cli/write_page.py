"""``ai-memory write-page``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ai_memory.cli.ask import Asker, common, page, show
from ai_memory.errors import Invalid


@click.command("write-page")
@click.argument("path")
@click.option("--body", default=None, help="The text; '-' reads standard input.")
@click.option("--file", "source", default=None, type=click.Path(exists=True, dir_okay=False), help="Read the text from a file.")
@click.option("--title", default=None, help="Only if the text has no heading.")
@click.option("--tag", "tags", multiple=True, help="May be given more than once.")
@click.option("--expected-version", default=None, help="Refuse if the page is not at this version.")
@click.option("--create-only", is_flag=True, help="Refuse if the page exists.")
@common
def command(
    path: str, body: str | None, source: str | None, title: str | None, tags: tuple[str, ...],
    expected_version: str | None, create_only: bool,
    as_json: bool, data_dir: str | None, workspace: str | None, project: str | None,
) -> None:  # fmt: skip
    """Write a page; the old version is kept in git."""
    said = {
        "body": _body(body, source), "title": title, "tags": list(tags) or None,
        "expected_version": expected_version, "create_only": create_only,
    }  # fmt: skip
    written = Asker(data_dir, workspace, project).ask("PUT", page(path), said)
    show(written, as_json, lambda w: f"{'wrote' if w['changed'] else 'unchanged'} {w['path']} (version {w['version']})")


def _body(body: str | None, source: str | None) -> str:
    if (body is None) == (source is None):
        raise click.UsageError("Give the text with --body TEXT, --body - or --file FILE.")
    if source is not None:
        return _decoded(Path(source).read_bytes())
    return _decoded(sys.stdin.buffer.read()) if body == "-" else str(body)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"The text is not UTF-8 (at byte {error.start}). Save it as UTF-8 and try again.") from error
