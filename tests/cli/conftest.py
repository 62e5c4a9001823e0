"""A person's machine: an empty HOME, programs named like the agents on the PATH, and the real command in its own process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Machine:
    """``run`` starts ``ai-memory`` in ``cwd`` with the whole environment ``env``."""

    home: Path
    cwd: Path
    data: Path
    bin: Path
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str, code: int | None = 0, stdin: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "ai_memory", *words], env=self.env, cwd=more.pop("cwd", self.cwd), input=stdin,
            text=True, capture_output=True, timeout=60,
        )  # fmt: skip
        assert code is None or done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def json(self, *words: str, code: int | None = 0) -> Any:
        return json.loads(self.run(*words, "--json", code=code).stdout)

    def agent(self, *names: str) -> None:
        """Programs of these names, which do nothing."""
        for name in names:
            (self.bin / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def files(self) -> dict[str, bytes]:
        """Every file below HOME but for our data, by its name there."""
        found = (p for p in sorted(self.home.rglob("*")) if p.is_file() and not p.is_relative_to(self.data))
        return {str(p.relative_to(self.home)): p.read_bytes() for p in found if not p.is_relative_to(self.cwd)}

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    home, programs = tmp_path / "home", tmp_path / "bin"
    cwd = home / "work"
    for folder in (cwd, programs):
        folder.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        "HOME": str(home), "PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{port}", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    env |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    made = Machine(home, cwd, home / ".local/share/ai-memory", programs, env)
    yield made
    if (made.data / "serve.pid").exists():
        made.run("uninstall", "--apply", code=None)
