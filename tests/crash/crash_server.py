"""A server of the product as a child process that can be killed and started again on the same data and port."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """``wrap`` is put before the command, such as a tracer's."""

    def __init__(self, place: Path, wrap: tuple[str, ...] = ()) -> None:
        self.data = place / "data"
        self.home = place / "home"
        self.log = place / "server.log"
        self.port = free_port()
        self.wrap = wrap
        for folder in (self.data, self.home):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
        return kept | {"HOME": str(self.home), "AI_MEMORY_DATA_DIR": str(self.data), "AI_MEMORY_EMBEDDING__PROVIDER": "none"}

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    def start(self, patience: float = 20.0) -> float:
        """Start, wait for ``/healthz``; seconds until it answered."""
        began = time.monotonic()
        command = [*self.wrap, sys.executable, "-m", "ai_memory", "serve", "--bind", f"127.0.0.1:{self.port}"]
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not self._answers():
            if self._child.poll() is not None or time.monotonic() > began + patience:
                raise AssertionError(f"the server did not start: {self.log.read_text(encoding='utf-8')[-2000:]}")
            time.sleep(0.02)
        return time.monotonic() - began

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        assert self._child is not None
        self._child.kill()
        self._child.wait()

    def stop(self, patience: float = 60.0) -> int:
        """Ask it to stop; its exit code. Under a tracer, ``serve.lock`` says whom to ask."""
        assert self._child is not None
        if self.wrap:
            for child in children(self._child.pid):
                os.kill(child, signal.SIGTERM)
        else:
            self._child.terminate()
        return self._child.wait(patience)

    def close(self) -> None:
        if self._child is not None and self._child.poll() is None:
            for child in children(self._child.pid) if self.wrap else []:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self._child.kill()
            self._child.wait()

    def kill_git(self, patience: float) -> bool:
        """kill -9 a git child, once there is one; False if there was none in time."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            for child in children(self.pid):
                with contextlib.suppress(OSError):
                    if Path(f"/proc/{child}/comm").read_text(encoding="utf-8").startswith("git"):
                        os.kill(child, signal.SIGKILL)
                        return True
        return False

    def command(self, *args: str) -> str:
        """What ``ai-memory args…`` prints on this data directory."""
        done = subprocess.run(
            [sys.executable, "-m", "ai_memory", *args], env=self.env, capture_output=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def _answers(self) -> bool:
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            wire.request("GET", "/healthz")
            return wire.getresponse().status == 200
        except OSError:
            return False
        finally:
            wire.close()


def children(pid: int) -> list[int]:
    """The direct children of every thread of ``pid``."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text(encoding="ascii").split())
    return found


def descendants(mark: str) -> list[str]:
    """Processes whose environment names ``mark``, other than this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        with contextlib.suppress(OSError):
            if f"AI_MEMORY_DATA_DIR={mark}".encode() in (folder / "environ").read_bytes() or (
                f"GIT_DIR={mark}".encode() in (folder / "environ").read_bytes()
            ):
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes()[:200]!r}")
    return found
