"""``ai-memory generate-auth-token``."""

from __future__ import annotations

import json
import secrets

import click

from ai_memory import config, disk


@click.command("generate-auth-token")
@click.option("--write", is_flag=True, help="Put it into the data directory, where the server and its clients read it.")
@click.option("--data-dir", default=None, help="The data directory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(write: bool, data_dir: str | None, as_json: bool) -> None:
    """Make a random token. Give it to clients on other machines as AI_MEMORY_AUTH_TOKEN."""
    token = secrets.token_urlsafe(32)
    if write:
        data = config.data_dir(data_dir)
        disk.private_dir(data)
        disk.write(data / "auth-token", token.encode() + b"\n")
    print(json.dumps({"token": token}) if as_json else token)
