from __future__ import annotations

import json
import stat
import sys
from typing import Any

# What `codex app-server` answers to hooks/list: every handler of hooks.json, trusted if config.toml says so.
CODEX = r"""
import json, os, re, sys, tomllib
home = os.path.join(os.environ["HOME"], ".codex")
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "hooks/list":
        tree = json.load(open(os.path.join(home, "hooks.json")))
        state = tomllib.load(open(os.path.join(home, "config.toml"), "rb")).get("hooks", {}).get("state", {})
        brought = "python3 -I -S /checkout/bin/hook.py stop codex"
        hooks = [{"key": "/checkout/.codex/hooks.json:stop:0:0", "currentHash": "sha256:1", "command": brought},
                 {"key": f"{home}/hooks.json:stop:9:0", "currentHash": "sha256:1", "command": brought}]
        for event, groups in tree["hooks"].items():
            for at, group in enumerate(groups):
                key = f"{home}/hooks.json:{re.sub('(?<!^)(?=[A-Z])', '_', event).lower()}:{at}:0"
                hooks.append({"key": key, "currentHash": "sha256:1", "command": group["hooks"][0]["command"],
                              "trustStatus": "trusted" if state.get(key, {}).get("trusted_hash") == "sha256:1" else "untrusted"})
        print(json.dumps({"id": asked["id"], "result": {"data": [{"hooks": hooks}]}}), flush=True)
    elif "id" in asked:
        print(json.dumps({"id": asked["id"], "result": {}}), flush=True)
"""


def states(machine: Any, code: int | None = None) -> dict[str, str]:
    return {check["name"]: check["state"] for check in machine.json("doctor", code=code)["checks"]}


def test_an_empty_machine_is_told_what_to_do(machine: Any) -> None:
    done = machine.run("doctor", code=1)
    assert "fail  hook: missing or old\n      → Run `ai-memory doctor --fix`." in done.stdout
    assert "fail  server: No ai-memory server answers" in done.stdout
    assert "ok    claude-code: not installed here" in done.stdout


def test_fix_puts_the_hook_back_and_closes_the_data(machine: Any) -> None:
    machine.run("setup", "--yes", "--no-service")
    machine.data.chmod(0o755)
    (machine.data / "bin/hook.py").write_text("old")
    found = states(machine, 1)
    assert (found["hook"], found["data"]) == ("fail", "warn")
    machine.run("doctor", "--fix", "--yes", code=1)
    found = states(machine, 1)
    assert (found["hook"], found["data"]) == ("ok", "ok")
    assert stat.S_IMODE(machine.data.stat().st_mode) == 0o700


def test_a_broken_file_is_one_finding_among_others(machine: Any) -> None:
    machine.agent("claude")
    machine.write(".claude/settings.json", "{ broken")
    found = states(machine, 1)
    assert (found["claude-code hooks"], found["claude-code tools"]) == ("fail", "warn")


def test_codex_is_asked_and_trusts_after_a_person_agreed(machine: Any) -> None:
    (machine.bin / "codex").write_text(f"#!{sys.executable}\n{CODEX}", encoding="utf-8")
    (machine.bin / "codex").chmod(0o755)
    assert "Codex runs the hooks only once you trust them" in machine.run("setup", "--yes", "--no-service").stdout
    before = machine.files()
    assert states(machine, 1)["codex trust"] == "fail"
    assert "Trust these hooks" in machine.run("doctor", "--fix", code=1, stdin="n\n").stderr
    assert machine.files() == before
    machine.run("doctor", "--fix", code=1, stdin="y\n")
    assert states(machine, 1)["codex trust"] == "ok"
    assert b"/checkout" not in machine.files()[".codex/config.toml"], "hooks that a checkout brings are not ours"
    assert b":stop:9:0" not in machine.files()[".codex/config.toml"], "nor is one that only looks like ours"
    assert "trust them" not in machine.run("setup", "--yes", "--no-service").stdout
    assert len(json.loads(machine.files()[".codex/hooks.json"])["hooks"]) == 8
    machine.run("uninstall", "--apply")
    assert machine.files() == {}


def test_a_codex_that_does_not_answer_is_a_warning(machine: Any) -> None:
    machine.agent("codex")
    machine.run("setup", "--yes", "--no-service")
    assert states(machine, 1)["codex trust"] == "warn"
