"""Wiring an agent changes what it must and gives everything back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.agents import TRUST_NOTHING
from tests.acceptance.app_server import trust_hooks
from tests.acceptance.script import Say, Shell
from tests.acceptance.stage import Stage, check

PROMPT = "Please greet the plovers."
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/true", "timeout": 5}]}


def _snapshot(stage: Stage) -> dict[str, bytes]:
    """The agents' own files in the home and the checkout; backups and our data are not among them."""
    world = stage.world
    found: dict[str, bytes] = {}
    for base in (world.claude_dir, world.codex_dir, world.project):
        paths = (p for p in base.rglob("*") if p.is_file() and ".git/" not in str(p))
        found |= {str(p.relative_to(world.root)): p.read_bytes() for p in paths if not _backup(p)}
    path = world.home / ".claude.json"
    return found | ({"home/.claude.json": path.read_bytes()} if path.exists() else {})


def _backup(path: Path) -> bool:
    return "ai-memory" in path.name or path.suffix in (".bak", ".backup")


def _given_back(stage: Stage, agent: str) -> None:
    stage.product.serve()
    before = _snapshot(stage)
    stage.product.install(agent)
    once = _snapshot(stage)
    assert once != before, "installing changed nothing"
    stage.product.install(agent)
    assert _snapshot(stage) == once, "installing twice differs from installing once"
    stage.product.call("uninstall", "--agent", agent, "--apply")
    after = _snapshot(stage)
    differing = sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))
    assert not differing, f"not as before: {differing}"


def _foreign(stage: Stage) -> None:
    world = stage.world
    text = json.dumps({"model": "opus", "hooks": {"PostToolUse": [FOREIGN]}}, indent=4) + "\n"
    (world.claude_dir / "settings.json").write_text(text, encoding="utf-8")
    (world.codex_dir / "hooks.json").write_text(json.dumps({"hooks": {"Stop": [FOREIGN]}}), encoding="utf-8")
    with (world.codex_dir / "config.toml").open("a", encoding="utf-8") as out:
        out.write('\n[mcp_servers.other] # kept\ncommand = "true"\n')


@check("claude-code", "install twice and uninstall leave a fresh home as it was")
def claude_fresh(stage: Stage) -> None:
    _given_back(stage, "claude-code")


@check("codex", "install twice and uninstall leave a fresh home as it was")
def codex_fresh(stage: Stage) -> None:
    _given_back(stage, "codex")


@check("claude-code", "install twice and uninstall leave other people's entries as they were")
def claude_foreign(stage: Stage) -> None:
    _foreign(stage)
    _given_back(stage, "claude-code")


@check("codex", "install twice and uninstall leave other people's entries as they were")
def codex_foreign(stage: Stage) -> None:
    _foreign(stage)
    _given_back(stage, "codex")


@check("claude-code", "after uninstall nothing is captured and nothing is injected")
def claude_gone(stage: Stage) -> None:
    stage.ready("claude-code")
    stage.product.call("uninstall", "--agent", "claude-code", "--apply")
    stage.teach(PROMPT, Shell("echo plover-3"), Say("Greeted."))
    stage.run("claude-code", PROMPT)
    assert not stage.product.traces("plover-3")
    assert "mcp__ai-memory__" not in stage.requests(PROMPT)[0].text


def _doctor(stage: Stage) -> str:
    done = stage.product.call("doctor", "--json", check=False)
    return done.stdout + done.stderr


@check("codex", "hooks that Codex does not trust are told by doctor, trusted ones work")
def untrusted(stage: Stage) -> None:
    stage.ready("codex")
    stage.teach(PROMPT, Shell("echo plover-4"), Say("Greeted."))
    stage.run("codex", PROMPT, extra=(TRUST_NOTHING,))
    assert not stage.product.traces("plover-4"), "Codex ran hooks that nobody trusted"
    assert "trust" in _doctor(stage).lower(), f"doctor says nothing of trust: {_doctor(stage)[:400]}"
    assert trust_hooks(stage.world) > 0
    assert "untrusted" not in _doctor(stage).lower(), "doctor still calls them untrusted"
    stage.run("codex", PROMPT, extra=(TRUST_NOTHING,))
    stage.product.page_with("plover-4")
