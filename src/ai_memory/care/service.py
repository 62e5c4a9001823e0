"""The server as the user's own service: systemd where it runs, launchd on macOS, else a plain background process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from ai_memory import disk
from ai_memory.errors import Unreachable

UNIT = "ai-memory.service"
LABEL = "io.github.ai-memory"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to run: the Python, the data directory, the address, the user's home and environment."""

    python: str
    data: Path
    bind: str
    home: Path
    environ: Mapping[str, str]

    @property
    def words(self) -> list[str]:
        return [self.python, "-m", "ai_memory", "serve", "--data-dir", str(self.data), "--bind", self.bind]


def kind(plan: Plan) -> str:
    """``systemd``, ``launchd`` or ``process``: what this machine offers."""
    if sys.platform == "darwin":
        return "launchd"
    if plan.environ.get("XDG_RUNTIME_DIR") and _runs(plan, "systemctl", "--user", "show-environment"):
        return "systemd"
    return "process"


def start(plan: Plan) -> str:
    """Start the server, now and at every login where the machine can; what it became."""
    found = kind(plan)
    if found == "systemd":
        disk.write(_made(_unit_file(plan)), unit(plan).encode())
        _runs(plan, "systemctl", "--user", "daemon-reload")
        if _runs(plan, "systemctl", "--user", "enable", "--now", UNIT) and _runs(plan, "systemctl", "--user", "restart", UNIT):
            return found
        _unit_file(plan).unlink(missing_ok=True)
    elif found == "launchd":
        file = _made(_agent_file(plan))
        disk.write(file, plist(plan).encode())
        _runs(plan, "launchctl", "unload", str(file))
        if _runs(plan, "launchctl", "load", "-w", str(file)):
            return found
    _spawn(plan)
    return "process"


def stop(plan: Plan) -> list[str]:
    """Stop and remove what ``start`` made; what was done. Only a process that is ours is ended."""
    done = []
    if _serves(_unit_file(plan), _quoted(str(plan.data))):
        _runs(plan, "systemctl", "--user", "disable", "--now", UNIT)
        _unit_file(plan).unlink()
        done.append("removed the systemd user unit")
    if _serves(_agent_file(plan), f"<string>{escape(str(plan.data))}</string>"):
        _runs(plan, "launchctl", "unload", "-w", str(_agent_file(plan)))
        _agent_file(plan).unlink()
        done.append("removed the launchd agent")
    pid = running(plan)
    if pid:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 15
        while running(plan) and time.monotonic() < deadline:
            time.sleep(0.05)
        done.append("stopped the background server")
    _pid_file(plan).unlink(missing_ok=True)
    return done


def running(plan: Plan) -> int:
    """The process id of a background server we started, 0 if none lives."""
    try:
        word, born = _pid_file(plan).read_text(encoding="ascii").split()
        pid = int(word)
    except (OSError, ValueError):
        return 0
    return pid if pid > 0 and _born(pid) == born else 0


def unit(plan: Plan) -> str:
    """The systemd user unit."""
    words = " ".join(_quoted(word) for word in plan.words)
    return (
        "[Unit]\nDescription=ai-memory, long-term memory for coding agents\n\n"
        f"[Service]\nExecStart={words}\nRestart=on-failure\nRestartSec=2\nUMask=0077\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def plist(plan: Plan) -> str:
    """The launchd agent."""
    words = "".join(f"<string>{escape(word)}</string>" for word in plan.words)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>\n'
        f"<key>Label</key><string>{LABEL}</string>\n<key>ProgramArguments</key><array>{words}</array>\n"
        "<key>RunAtLoad</key><true/>\n<key>KeepAlive</key><true/>\n</dict></plist>\n"
    )


def _spawn(plan: Plan) -> None:
    if running(plan):
        return
    disk.private_dir(plan.data)
    log = os.open(plan.data / "serve.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
            plan.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=plan.home, env=dict(plan.environ),
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise Unreachable(f"The server could not be started ({error}). Run `ai-memory serve` to see why.") from error
    finally:
        os.close(log)
    disk.write(_pid_file(plan), f"{process.pid} {_born(process.pid)}\n".encode())


def _born(pid: int) -> str:
    """When a process started, in the system's own ticks; empty if it is gone."""
    with contextlib.suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return "" if stat[0] == "Z" else stat[19]
    return ""


def _runs(plan: Plan, *words: str) -> bool:
    try:
        done = subprocess.run(words, capture_output=True, timeout=20, env=dict(plan.environ), check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _serves(file: Path, data: str) -> bool:
    """Whether the service in ``file`` is there and is that of the data directory, as it writes it."""
    try:
        return data in file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _made(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _unit_file(plan: Plan) -> Path:
    base = plan.environ.get("XDG_CONFIG_HOME") or plan.home / ".config"
    return Path(base) / "systemd" / "user" / UNIT


def _agent_file(plan: Plan) -> Path:
    return plan.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _pid_file(plan: Plan) -> Path:
    return plan.data / "serve.pid"


def _quoted(word: str) -> str:
    plain = word.replace("%", "%%")
    return plain if plain.isascii() and all(c.isalnum() or c in "/._-:%" for c in plain) else f'"{plain}"'
