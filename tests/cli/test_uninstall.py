from __future__ import annotations

from typing import Any

import pytest

FILES = {
    ".claude/settings.json": b'\xef\xbb\xbf{\r\n   "theme": "dark",\r\n   "hooks": {\r\n      "Stop": [ {"hooks":[{"command":"x"}]} ]\r\n   }\r\n}\r\n',
    ".claude.json": b'{"mcpServers":{"x":{"command":"y"}},"numStartups":3}',
    ".codex/hooks.json": b'{\n\t"hooks": {}\n}',
    ".codex/config.toml": b'# mine\r\nmodel = "m"\r\n\r\n[mcp_servers.x]\r\ncommand = "y" # z',
    ".claude/CLAUDE.md": b"# Rules\n\nBe kind.\n",
}


def wire(machine: Any) -> None:
    machine.agent("claude", "codex")
    for command in ("install-hooks", "install-mcp", "install-instructions"):
        machine.run(command, "--apply")


def without_backups(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not name.endswith(".bak")}


def test_every_byte_comes_back(machine: Any) -> None:
    for name, data in FILES.items():
        machine.write(name, data).chmod(0o644)
    wire(machine)
    assert without_backups(machine.files()) != FILES
    wire(machine)
    machine.run("uninstall", "--apply")
    assert without_backups(machine.files()) == FILES
    assert {(machine.home / name).stat().st_mode & 0o777 for name in FILES} == {0o644}


def test_what_we_made_goes_with_its_folder_and_leaves_no_backup(machine: Any) -> None:
    wire(machine)
    assert (machine.home / ".claude/settings.json").exists()
    machine.run("uninstall", "--apply")
    assert machine.files() == {}
    assert not (machine.home / ".claude").exists() and not (machine.home / ".codex").exists()
    assert not list((machine.data / "bin").glob("*"))


def test_a_folder_that_was_there_before_stays(machine: Any) -> None:
    (machine.home / ".claude").mkdir()
    wire(machine)
    machine.run("uninstall", "--apply")
    assert (machine.home / ".claude").is_dir()


def test_what_a_person_changed_in_between_survives(machine: Any) -> None:
    for name, data in FILES.items():
        machine.write(name, data)
    wire(machine)
    wanted = {}
    for name, old, new in [
        (".claude/settings.json", b'"dark"', b'"light"'),
        (".claude.json", b'"numStartups":3', b'"numStartups":4'),
        (".codex/config.toml", b'"m"', b'"other"'),
        (".claude/CLAUDE.md", b"kind", b"brief"),
    ]:
        machine.write(name, (machine.home / name).read_bytes().replace(old, new))
        wanted[name] = FILES[name].replace(old, new)
    machine.run("uninstall", "--apply")
    left = without_backups(machine.files())
    wanted[".codex/config.toml"] += b"\r\n"  # the line that our table began behind got its end
    assert left | wanted == left


def test_a_broken_file_is_left_and_told_and_the_rest_goes(machine: Any) -> None:
    wire(machine)
    file = machine.write(".claude/settings.json", (machine.home / ".claude/settings.json").read_bytes() + b"}")
    done = machine.run("uninstall", "--apply", code=2)
    assert f"{file} is left alone" in done.stdout
    assert list(without_backups(machine.files())) == [".claude/settings.json"]


def test_a_broken_file_without_anything_of_ours_is_nobodys_business(machine: Any) -> None:
    machine.write(".claude/settings.json", "{ broken")
    assert "claude-code: needs no change" in machine.run("uninstall", "--apply").stdout
    assert not machine.data.exists()


def test_without_apply_it_only_shows(machine: Any) -> None:
    wire(machine)
    before = machine.files()
    assert "Nothing was changed. Run it again with --apply." in machine.run("uninstall").stdout
    assert machine.files() == before


def test_two_backups_of_one_second_are_two_files(machine: Any) -> None:
    machine.agent("codex")
    machine.write(".codex/config.toml", "a = 1\n")
    for _ in range(3):
        machine.run("install-mcp", "--apply")
        machine.write(".codex/config.toml", (machine.home / ".codex/config.toml").read_bytes() + b"# mine\n")
        machine.run("uninstall", "--apply", "--agent", "codex")
    assert len([name for name in machine.files() if name.endswith(".bak")]) == 6


@pytest.mark.parametrize("command", [("uninstall", "--apply"), ("doctor",), ("status",), ("install-instructions", "--project")])
def test_a_directory_that_was_deleted_is_no_traceback(machine: Any, command: tuple[str, ...]) -> None:
    import subprocess
    import sys

    machine.agent("claude")
    (machine.cwd / "gone").mkdir()
    line = f'rmdir "{machine.cwd}/gone" && exec "$0" -m ai_memory "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", line, sys.executable, *command], cwd=machine.cwd / "gone", env=machine.env, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr and done.returncode in (0, 1, 2, 7)


def test_the_data_is_kept_unless_its_deletion_is_asked_for(machine: Any) -> None:
    wire(machine)
    assert f"kept {machine.data}" in machine.run("uninstall", "--apply").stderr
    machine.run("uninstall", "--apply", "--purge-data", "--yes")
    assert not machine.data.exists()
