"""The documentation names everything it must."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from ai_memory import __version__, config
from ai_memory.cli.app import TABLE
from ai_memory.domain.rule import Rule
from ai_memory.domain.rules import RULES

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("row", config.TABLE, ids=lambda row: row.name)
def test_each_setting_is_documented(row: config.Setting) -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert f"| `{row.name}` | `{row.default!r}` | `{row.env}` | {row.help} |" in text


@pytest.mark.parametrize("name", sorted(TABLE))
def test_each_command_is_in_the_changelog_and_has_help(name: str) -> None:
    assert f"`{name}`" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_redaction_rule_is_documented(rule: Rule) -> None:
    assert f"`{rule.id}`" in (ROOT / "docs" / "redaction.md").read_text(encoding="utf-8")


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, re.MULTILINE)[0] == __version__


def test_links_between_documents_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_reference_is_what_the_code_says() -> None:
    spec = importlib.util.spec_from_file_location("write_reference", ROOT / "scripts" / "write_reference.py")
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PLACE.read_text(encoding="utf-8") == script.text(), "run python scripts/write_reference.py"
