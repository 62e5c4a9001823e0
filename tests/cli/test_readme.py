"""What the documents tell people to type works."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from ai_memory.cli.app import TABLE, group
from ai_memory.domain.redaction import Redactor
from ai_memory.mcp.tools import TOOLS

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def lines(page: Path) -> list[list[str]]:
    """Each command of the page's shell blocks, in words."""
    found = [shlex.split(line, comments=True) for block in blocks(page, "sh") for line in block.splitlines()]
    return [words for words in found if words]


def command(name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found is not None, name
    return found


def test_the_commands_of_the_readme_work_in_their_order(machine: Any) -> None:
    machine.agent("claude", "codex")
    said = [words[1:] for words in lines(ROOT / "README.md") if words[0] == "ai-memory"]
    assert said[0] == ["setup"] and said[-1] == ["uninstall", "--apply"]
    machine.run("setup", stdin="y\n")
    for words in said[1:]:
        if words[0] == "read-page":
            machine.run("write-page", words[1], "--body", "# Queue")
        done = machine.run(*words)
        assert done.stdout.strip(), words


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {words[1] for words in lines(page) if words[0] == "make"}
    named |= set(re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8")))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_command_and_option_that_is_named_exists(page: Path) -> None:
    for inline in re.findall(r"`ai-memory ([^`]+)`", page.read_text(encoding="utf-8")):
        words = inline.split()
        if words[0] in ("mcp", "hook-drain"):
            continue
        options = {option for one in command(words[0]).params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= options, inline


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_of_toml_and_tools_are_right(page: Path) -> None:
    for block in blocks(page, "toml"):
        sanitize = tomllib.loads(block).get("sanitize", {})
        Redactor(sanitize.get("extra_patterns", []), sanitize.get("allowlist", []))
    names = {tool.name for tool in TOOLS}
    assert set(re.findall(r"`(memory_[a-z_]+)`", page.read_text(encoding="utf-8"))) <= names


@pytest.mark.parametrize("name", [*TABLE, "mcp"])
def test_every_command_has_help(machine: Any, name: str) -> None:
    done = machine.run(name, "--help")
    assert done.stdout.startswith(f"Usage: ai-memory {name}") and done.stderr == ""


@pytest.mark.parametrize("name", TABLE)
def test_every_command_takes_json(name: str) -> None:
    assert "--json" in {option for one in command(name).params for option in one.opts}
