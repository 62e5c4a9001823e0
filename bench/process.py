"""Programs under measurement: a server with a data directory of its own, and what the system says about a process."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
WITHOUT_VECTORS = {"AI_MEMORY_EMBEDDING__PROVIDER": "none"}
SOURCE = Path(__file__).resolve().parents[1] / "src"


def environment(data: Path, port: int = 0) -> dict[str, str]:
    """An environment in which nothing of the person's own is read or written."""
    home = data.parent / "home"
    home.mkdir(exist_ok=True)
    path = os.pathsep.join([str(SOURCE), str(SOURCE.parent)])
    return {
        "PATH": os.environ.get("PATH", ""), "HOME": str(home), "PYTHONPATH": path, "LC_ALL": "C.UTF-8",
        "AI_MEMORY_DATA_DIR": str(data), "AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{port}",
    }  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """``command`` started with ``{port}`` filled in; ready once /healthz answers. ``started`` is the seconds it took.

    ``settings`` are more environment variables; where none are given, no vectors are made.
    """

    def __init__(self, data: Path, command: list[str] | None = None, settings: dict[str, str] | None = None) -> None:
        self.data = data
        self.port = free_port()
        own = ["-m", "ai_memory", "serve", "--bind", "127.0.0.1:{port}"]
        line = [part.replace("{port}", str(self.port)) for part in command or own]
        self.env = environment(data, self.port) | (WITHOUT_VECTORS if settings is None else settings)
        self._log = open(data.parent / f"{data.name}.log", "ab")  # noqa: SIM115
        began = time.perf_counter()
        self._child = subprocess.Popen([sys.executable, *line], env=self.env, stdout=self._log, stderr=self._log)
        self.pid = self._child.pid
        while True:
            try:
                self.get("/healthz")
                break
            except OSError:
                if self._child.poll() is not None or time.perf_counter() - began > 120:
                    said = Path(self._log.name).read_text(encoding="utf-8", errors="replace")
                    raise RuntimeError(f"the server did not start: {said[-2_000:]}") from None
                time.sleep(0.005)
        self.started = time.perf_counter() - began

    def get(self, path: str, headers: dict[str, str] | None = None) -> Any:
        return self.send("GET", path, None, headers)

    def send(self, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Any:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            data = None if body is None else json.dumps(body).encode()
            link.request(method, path, data, {"Content-Type": "application/json"} | (headers or {}))
            answer = link.getresponse()
            said = answer.read()
            if answer.status >= 400:
                raise RuntimeError(f"{method} {path}: {answer.status} {said[:300]!r}")
            return json.loads(said) if said else None
        finally:
            link.close()

    def caught_up(self, limit: float = 300.0) -> float:
        """Seconds until all that is stored can be found."""
        began = time.perf_counter()
        while not self.get("/api/v1/status")["index"]["caught_up"]:
            if time.perf_counter() - began > limit:
                raise RuntimeError("the index did not catch up")
            time.sleep(0.05)
        return time.perf_counter() - began

    def cpu(self) -> float:
        return cpu(self.pid)

    def rss(self) -> float:
        return rss(self.pid)

    def stop(self) -> None:
        self._child.send_signal(signal.SIGTERM)
        try:
            self._child.wait(60)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log.close()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used, its ended children apart."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def rss(pid: int) -> float:
    """Resident memory in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
