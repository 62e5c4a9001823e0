from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

SETTINGS = b'\xef\xbb\xbf{\r\n   // mine\r\n   "theme": "dark",\r\n   "hooks": {\r\n      "Stop": [ {"hooks":[{"command":"say done"}]} ]\r\n   }\r\n}\r\n'


def test_without_apply_the_edits_are_shown_and_nothing_is_written(machine: Any) -> None:
    machine.agent("claude", "codex")
    said = machine.run("install-hooks").stdout
    assert '+    "SessionStart": [' in said and "Run it again with --apply." in said
    assert machine.files() == {} and not (machine.data / "bin").exists()


def test_with_no_agent_it_says_which_are_known(machine: Any) -> None:
    assert machine.run("install-hooks").stdout == "No agent is installed here. Known: claude-code, codex.\n"
    assert "Known: claude-code, codex." in machine.run("install-hooks", "--agent", "gemini", code=2).stderr


def test_hooks_of_others_comments_indentation_line_ends_and_bom_stay(machine: Any) -> None:
    machine.agent("claude")
    file = machine.write(".claude/settings.json", SETTINGS)
    file.chmod(0o640)
    machine.run("install-hooks", "--apply")
    done = file.read_bytes()
    assert done.startswith(b'\xef\xbb\xbf{\r\n   // mine\r\n   "theme": "dark",\r\n') and b"say done" in done
    assert done.count(b"\n") == done.count(b"\r\n") and b"hook.py session-start claude-code" in done
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    machine.run("install-hooks", "--apply")
    assert file.read_bytes() == done


def test_each_agent_gets_its_tools_and_a_second_run_changes_nothing(machine: Any) -> None:
    machine.agent("claude", "codex")
    machine.write(".codex/config.toml", '# mine\nmodel = "m"\n')
    machine.run("install-mcp", "--apply")
    before = machine.files()
    server = json.loads(before[".claude.json"])["mcpServers"]["ai-memory"]
    assert server["args"] == ["-I", "-m", "ai_memory", "mcp"]
    config = tomllib.loads(before[".codex/config.toml"].decode())
    assert config["model"] == "m" and config["mcp_servers"]["ai-memory"]["env"] == {"AI_MEMORY_AGENT": "codex"}
    assert machine.run("install-mcp", "--apply").stdout.count("needs no change") == 2
    assert machine.files() == before


def test_a_new_file_is_for_its_owner_alone(machine: Any) -> None:
    machine.agent("claude")
    machine.write(".local/share/ai-memory/auth-token", "secret-token\n")
    machine.run("install-mcp", "--http", "--apply")
    file = machine.home / ".claude.json"
    assert "Bearer secret-token" in file.read_text() and stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["{ broken", "[1]", '{"hooks": []}', '{"hooks": {"Stop": 3}}', b"\xff\xfe{"])
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(machine: Any, text: str | bytes) -> None:
    machine.agent("claude", "codex")
    file = machine.write(".claude/settings.json", text)
    before = machine.files()
    error = machine.run("install-hooks", "--apply", code=2).stderr
    assert error.startswith(f"ai-memory: {file} ") and "left alone" in error and error.count("\n") == 1
    assert machine.files() == before


def test_the_block_of_instructions_comes_and_goes_and_leaves_the_rest(machine: Any) -> None:
    machine.agent("claude")
    file = machine.write("work/CLAUDE.md", "# Rules\r\n\r\nBe kind.")
    machine.run("install-instructions", "--project", "--apply")
    done = file.read_bytes()
    assert done.startswith(b"# Rules\r\n\r\nBe kind.\r\n") and b"memory_query" in done and done.count(b"\n") == done.count(b"\r\n")
    machine.run("install-instructions", "--project", "--apply")
    assert file.read_bytes() == done
    machine.run("uninstall", "--apply", "--agent", "claude-code")
    assert file.read_bytes() == b"# Rules\r\n\r\nBe kind."


def test_a_link_to_a_file_elsewhere_stays_a_link(machine: Any, tmp_path: Path) -> None:
    machine.agent("claude")
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude/settings.json").symlink_to(real)
    machine.run("install-hooks", "--apply")
    assert (machine.home / ".claude/settings.json").is_symlink() and "hook.py" in real.read_text()
    machine.run("uninstall", "--apply")
    assert real.read_text() == '{"a": 1}'


def test_json_says_what_would_change(machine: Any) -> None:
    machine.agent("codex")
    (one,) = machine.json("install-hooks")["agents"]
    assert (one["agent"], one["applied"], one["left"]) == ("codex", False, [])
    assert one["files"][0]["path"].endswith("hooks.json") and "SessionStart" in one["files"][0]["diff"]
