from __future__ import annotations

import plistlib
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ai_memory.care import service
from ai_memory.care.service import Plan

# The server is left running on purpose, and its Popen with it.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    programs = tmp_path / "bin"
    programs.mkdir()
    env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}
    return Plan(sys.executable, tmp_path / "data", "127.0.0.1:1", tmp_path, env)


def program(plan: Plan, name: str, text: str) -> None:
    file = plan.home / "bin" / name
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def sleeper(plan: Plan) -> Plan:
    """The same plan, whose Python is a program that only waits."""
    program(plan, "waits", "exec sleep 60")
    return Plan(str(plan.home / "bin" / "waits"), plan.data, plan.bind, plan.home, plan.environ)


def test_the_unit_quotes_what_systemd_would_take_apart(tmp_path: Path) -> None:
    said = service.unit(Plan("/opt/my python", tmp_path / "50%", "127.0.0.1:1", tmp_path, {}))
    assert '"/opt/my python" -m ai_memory serve' in said and f"{tmp_path}/50%%" in said
    assert "UMask=0077" in said and "Restart=on-failure" in said and "WantedBy=default.target" in said


def test_the_launchd_agent_is_a_property_list(tmp_path: Path) -> None:
    plan = Plan("/opt/a&b/python", tmp_path, "127.0.0.1:1", tmp_path, {})
    read: dict[str, Any] = plistlib.loads(service.plist(plan).encode())
    assert read["ProgramArguments"] == plan.words and read["RunAtLoad"] and read["KeepAlive"]


def test_without_systemd_it_is_a_process_that_stop_ends(plan: Plan) -> None:
    waits = sleeper(plan)
    assert service.start(waits) == "process"
    pid = service.running(waits)
    assert pid and {stat.S_IMODE((plan.data / n).stat().st_mode) for n in ("serve.pid", "serve.log")} == {0o600}
    service.start(waits)
    assert service.running(waits) == pid, "a second start finds the first"
    assert service.stop(waits) == ["stopped the background server"]
    assert service.running(waits) == 0 and not (plan.data / "serve.pid").exists()
    assert service.stop(waits) == []


def test_a_process_that_only_has_the_number_of_ours_is_left_alone(plan: Plan) -> None:
    plan.data.mkdir()
    with subprocess.Popen(["sleep", "60"]) as other:
        (plan.data / "serve.pid").write_text(f"{other.pid} 12345\n", encoding="ascii")
        assert service.running(plan) == 0
        service.stop(plan)
        assert other.poll() is None
        other.terminate()


@pytest.mark.parametrize("text", ["", "x", "1", "a b", "1 2 3", "-1 5"])
def test_a_torn_pid_file_is_no_process(plan: Plan, text: str) -> None:
    plan.data.mkdir()
    (plan.data / "serve.pid").write_text(text, encoding="ascii")
    assert service.running(plan) == 0 and service.stop(plan) == []


def test_systemd_gets_a_unit_that_stop_removes(plan: Plan) -> None:
    program(plan, "systemctl", f'echo "$@" >> {plan.home}/calls')
    with_bus = Plan(plan.python, plan.data, plan.bind, plan.home, {**plan.environ, "XDG_RUNTIME_DIR": "/run/user/1"})
    assert service.start(with_bus) == "systemd"
    unit = plan.home / ".config/systemd/user" / service.UNIT
    assert "ExecStart=" in unit.read_text(encoding="utf-8")
    assert service.stop(with_bus) == ["removed the systemd user unit"] and not unit.exists()
    calls = (plan.home / "calls").read_text(encoding="utf-8")
    assert f"--user enable --now {service.UNIT}" in calls and f"--user disable --now {service.UNIT}" in calls


def test_the_unit_of_another_data_directory_is_left_alone(plan: Plan) -> None:
    program(plan, "systemctl", f'echo "$@" >> {plan.home}/calls')
    with_bus = Plan(plan.python, plan.data, plan.bind, plan.home, {**plan.environ, "XDG_RUNTIME_DIR": "/run/user/1"})
    service.start(with_bus)
    other = Plan(plan.python, plan.home / "other", plan.bind, plan.home, with_bus.environ)
    assert service.stop(other) == []
    assert (plan.home / ".config/systemd/user" / service.UNIT).exists()
    assert "disable" not in (plan.home / "calls").read_text(encoding="utf-8")


def test_a_systemd_that_refuses_leaves_no_unit_and_a_process_instead(plan: Plan) -> None:
    program(plan, "systemctl", 'test "$2" != enable')
    waits = sleeper(plan)
    with_bus = Plan(waits.python, plan.data, plan.bind, plan.home, {**plan.environ, "XDG_RUNTIME_DIR": "/run/user/1"})
    assert service.start(with_bus) == "process"
    assert not (plan.home / ".config/systemd/user" / service.UNIT).exists()
    pid = service.running(with_bus)
    assert pid and service.stop(with_bus) == ["stopped the background server"]
    assert service.running(with_bus) == 0


def test_a_python_that_is_gone_is_a_sentence(plan: Plan) -> None:
    gone = Plan(str(plan.home / "no-python"), plan.data, plan.bind, plan.home, plan.environ)
    with pytest.raises(service.Unreachable, match="Run `ai-memory serve` to see why"):
        service.start(gone)
