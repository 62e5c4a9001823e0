from __future__ import annotations

import os
import stat
import time
from typing import Any

import pytest


def modes(machine: Any) -> set[str]:
    """What of our data others could read."""
    return {str(p) for p in [machine.data, *machine.data.rglob("*")] if stat.S_IMODE(p.lstat().st_mode) & 0o077}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_an_empty_home_is_served_wired_proven_and_left_again(machine: Any) -> None:
    machine.agent("claude", "codex")
    done = machine.run("setup", "--yes")
    assert "started in the background" in done.stdout and "round trip ok" in done.stdout
    assert "Codex runs the hooks only once you trust them" in done.stdout
    before, pid = machine.files(), int((machine.data / "serve.pid").read_text().split()[0])
    assert set(before) == {".claude/settings.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml"}
    again = machine.run("setup", "--yes").stdout
    assert "Claude Code: wired already" in again and "running already" in again and "backup" not in again
    assert machine.files() == before
    assert machine.run("status").stdout.startswith("server ")
    wrote = machine.run("write-page", "decisions/queue.md", "--body", "# Queue: Redis streams")
    assert wrote.stderr.startswith("[default/work by ") and "wrote decisions/queue.md" in wrote.stdout
    assert machine.run("read-page", "decisions/queue.md").stdout == "# Queue: Redis streams\n"
    for command in ("sessions", "handoffs"):
        assert machine.run(command).stderr.startswith("[default/work by "), "every answer says its project"
        assert machine.json(command)["scope"]["project"] == "work"
    assert machine.run("read-page", "no.md", code=3).stderr == "ai-memory: No page no.md in work. Search for it with `ai-memory search`.\n"
    assert "List them with `ai-memory handoffs`" in machine.run("handoffs", "--accept", "x", code=3).stderr
    assert modes(machine) == set()
    assert "stopped the background server" in machine.run("uninstall", "--apply").stderr
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid) and machine.files() == {}


def test_a_hook_that_writes_nothing_is_no_proof(machine: Any) -> None:
    machine.run("setup", "--yes")
    (machine.data / "spool").rename(machine.data / "away")
    (machine.data / "spool").write_text("in the way")
    try:
        told = machine.json("setup", code=7)
    finally:
        (machine.data / "spool").unlink()
        machine.run("uninstall", "--apply")
    assert told["proof"] == "the hook did not write its event; see `ai-memory doctor`"


def test_without_a_service_it_says_how_to_start_one(machine: Any) -> None:
    done = machine.run("setup", "--yes", "--no-service")
    assert "not started" in done.stdout and "Start the server with `ai-memory serve`" in done.stdout
    assert "No known agent is installed here." in done.stdout
    assert machine.files() == {}


def test_no_is_an_answer(machine: Any) -> None:
    machine.agent("claude")
    assert "Make these edits? [y/N]" in machine.run("setup", code=1, stdin="n\n").stdout
    assert machine.files() == {} and not (machine.data / "auth-token").exists()


def test_a_broken_file_stops_it_before_anything_is_changed(machine: Any) -> None:
    machine.agent("claude", "codex")
    file = machine.write(".codex/config.toml", "= nothing")
    error = machine.run("setup", "--yes", code=2).stderr
    assert error.startswith(f"ai-memory: {file} is left alone: not valid TOML") and "run this again" in error
    assert list(machine.files()) == [".codex/config.toml"] and not machine.data.exists()


def test_the_token_is_made_once_and_for_the_owner_alone(machine: Any) -> None:
    machine.run("setup", "--yes", "--no-service")
    token = machine.data / "auth-token"
    first = token.read_text()
    machine.run("setup", "--yes", "--no-service")
    assert token.read_text() == first and len(first) > 32 and stat.S_IMODE(token.stat().st_mode) == 0o600


def test_json_tells_what_was_done(machine: Any) -> None:
    machine.agent("claude")
    told = machine.json("setup", "--no-service")
    assert (told["agents"], told["service"]) == (["claude-code"], "none")


DOWN = ["search x", "sessions", "handoffs", "read-page a.md", "write-page a.md --body x", "delete-page a.md", "finalize-session", "trust-marker"]


@pytest.mark.parametrize("command", DOWN)
def test_without_a_server_each_command_says_the_next_step(machine: Any, command: str) -> None:
    error = machine.run(*command.split(), code=7).stderr
    assert error.startswith("ai-memory: No ai-memory server answers") and error.count("\n") == 1
    assert "`ai-memory serve`" in error and "`ai-memory setup`" in error
    assert machine.json(*command.split(), code=7)["error"]["code"] == "unreachable"


def test_status_tells_the_spool_without_a_server(machine: Any) -> None:
    done = machine.run("status", code=7)
    assert "does not answer" in done.stdout and "spool     0 waiting, 0 refused, 0 dropped" in done.stdout
    assert machine.json("status", code=7)["server"]["up"] is False


@pytest.mark.parametrize(
    "words, said",
    [
        ("frob", "No such command 'frob'. See `ai-memory --help`."),
        ("search", "Missing argument 'QUERY...'. See `ai-memory search --help`."),
        ("sessions --limit 0", "range 1<=x<=500. See `ai-memory sessions --help`."),
        ("status --frob", "No such option '--frob'. See `ai-memory status --help`."),
        ("write-page a.md", "Give the text with --body TEXT, --body - or --file FILE. See `ai-memory write-page --help`."),
        ("serve --bind nonsense", "bind is host:port"),
        ("install-mcp --agent emacs", "Known: claude-code, codex."),
    ],
)
def test_a_wrong_command_line_is_one_sentence_with_the_next_step(machine: Any, words: str, said: str) -> None:
    error = machine.run(*words.split(), code=2).stderr
    assert error.startswith("ai-memory: ") and said in error and error.count("\n") == 1
    assert said in machine.json(*words.split(), code=2)["error"]["message"]
