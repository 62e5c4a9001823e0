"""The real agents: installed from npm into a cache folder, run headless in a home of their own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
CACHE = REPO / ".cache" / "agents"
VERSIONS = {"claude-code": "2.1.197", "codex": "0.171.0"}
PACKAGES = {"claude-code": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
COMMANDS = {"claude-code": "claude", "codex": "codex"}
_BINARIES = {
    "claude-code": "node_modules/@anthropic-ai/claude-code-*/claude",
    "codex": "node_modules/@openai/codex-*/vendor/*/bin/codex",
}
TRUST_NOTHING = "--trust-nothing"  # ours: run Codex as it comes
FAKE_KEY = "not-a-key"
CODEX_MODEL = "gpt-6.2-sol"  # a name Codex knows, so that it offers the tools that people get


class Unavailable(Exception):
    """The agent cannot be had here; the text says why."""


def install(agent: str, cache: Path = CACHE) -> Path:
    """The agent's native program, from the cache or from npm. Raises Unavailable."""
    folder = cache / f"{agent}-{VERSIONS[agent]}"
    found = _binary(agent, folder)
    if found:
        return found
    if shutil.which("npm") is None:
        raise Unavailable("npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    spec = f"{PACKAGES[agent]}@{VERSIONS[agent]}"
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder)]
    command = ["npm", "install", *flags, spec]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"npm did not install {spec} in 300 s") from error
    found = _binary(agent, folder)
    if done.returncode or not found:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise Unavailable(f"npm could not install {spec}: {(lines or ['no binary for this platform'])[0][:200]}")
    return found


def _binary(agent: str, folder: Path) -> Path | None:
    return next((p for p in sorted(folder.glob(_BINARIES[agent])) if os.access(p, os.X_OK)), None)


@dataclass(frozen=True)
class Done:
    """A finished run: exit code (negative = signal), its output, seconds."""

    code: int
    out: str
    err: str
    seconds: float


class Running:
    """A started agent. ``pid`` is the agent itself, the leader of a process group of its own."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str], scratch: Path) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        stem = scratch / f"{time.time_ns()}-{Path(command[0]).name}"
        self._out, self._err = stem.with_suffix(".out"), stem.with_suffix(".err")
        self._started = time.monotonic()
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        self.pid = self._process.pid

    def wait(self, seconds: float = 60.0) -> Done:
        """Wait for the end; after ``seconds`` the group is killed and TimeoutError raised."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end()
            raise TimeoutError(f"agent still running after {seconds} s: {self._read(self._err)[-500:]}") from None
        return Done(code, self._read(self._out), self._read(self._err), time.monotonic() - self._started)

    def kill(self) -> None:
        """kill -9 of the agent alone; it gets no chance to run a hook."""
        os.kill(self.pid, signal.SIGKILL)
        self._process.wait(10)

    def end(self) -> None:
        """kill -9 of the agent and whatever it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait(10)

    @staticmethod
    def _read(path: Path) -> str:
        return path.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class World:
    """One machine's worth of state: a home, a project checkout, the model's address, extra environment."""

    root: Path
    model: str
    programs: dict[str, Path]
    env: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "work" / "shop"

    @property
    def claude_dir(self) -> Path:
        return self.home / ".claude"

    @property
    def codex_dir(self) -> Path:
        return self.home / ".codex"

    def prepare(self, files: dict[str, str] | None = None) -> None:
        """Make the home, both agents' own first-run state, and the checkout with one commit."""
        for folder in (self.home, self.project, self.claude_dir, self.codex_dir, self.root / "tmp", self.root / "bin"):
            folder.mkdir(parents=True, exist_ok=True)
        for agent, program in self.programs.items():
            (self.root / "bin" / COMMANDS[agent]).symlink_to(program)
        claude = {"hasCompletedOnboarding": True, "theme": "dark", "numStartups": 3}
        (self.home / ".claude.json").write_text(json.dumps(claude, indent=2) + "\n", encoding="utf-8")
        (self.codex_dir / "config.toml").write_text(codex_config(self.model), encoding="utf-8")
        for name, text in (files or {"README.md": "# Shop\n\nA small shop.\n"}).items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
            self.git(*arguments)

    def git(self, *arguments: str) -> str:
        """Run git in the checkout; its stdout."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.project, env=self.environ(),
            check=True, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        return done.stdout

    def environ(self) -> dict[str, str]:
        """The whole environment of every process of this world; nothing of the real home gets in."""
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE")}
        return {
            **keep, "PATH": f"{self.root / 'bin'}:{keep.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(self.home), "TMPDIR": str(self.root / "tmp"), "TERM": "dumb", "SHELL": "/bin/bash",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
            "GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
            "ANTHROPIC_BASE_URL": self.model, "ANTHROPIC_API_KEY": FAKE_KEY, "FAKE_KEY": FAKE_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1", "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
            **self.env,
        }  # fmt: skip

    def start(self, agent: str, prompt: str, *, resume: str = "", session: str = "", extra: tuple[str, ...] = (),
              cwd: Path | None = None) -> Running:  # fmt: skip
        """Start ``agent`` headless on ``prompt``; see ``claude_arguments`` and ``codex_arguments``."""
        make = {"claude-code": claude_arguments, "codex": codex_arguments}[agent]
        command = [str(self.programs[agent]), *make(prompt, resume=resume, session=session, extra=extra)]
        return Running(command, cwd or self.project, self.environ(), self.root / "runs")

    def run(self, agent: str, prompt: str, *, resume: str = "", session: str = "", extra: tuple[str, ...] = (),
            cwd: Path | None = None, seconds: float = 60.0) -> Done:  # fmt: skip
        """``start`` and wait."""
        return self.start(agent, prompt, resume=resume, session=session, extra=extra, cwd=cwd).wait(seconds)


def codex_config(model: str) -> str:
    """config.toml for the scripted model: written as a person would, with a comment that must survive."""
    return (
        "# my settings\n"
        f'model = "{CODEX_MODEL}"\nmodel_provider = "scripted"\n\n'
        "[model_providers.scripted]\n"
        f'name = "Scripted"\nbase_url = "{model}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n'
    )


def claude_arguments(prompt: str, *, resume: str = "", session: str = "", extra: tuple[str, ...] = ()) -> list[str]:
    """Print mode, JSON result, no permission questions."""
    chosen = ["--session-id", session] if session else []
    chosen += ["--resume", resume] if resume else []
    return ["-p", prompt, "--output-format", "json", "--dangerously-skip-permissions", *chosen, *extra]


def codex_arguments(prompt: str, *, resume: str = "", session: str = "", extra: tuple[str, ...] = ()) -> list[str]:
    """``codex exec`` with JSON events, no sandbox, hooks trusted for this run unless ``extra`` has TRUST_NOTHING."""
    if session:
        raise ValueError("codex chooses its own session id")
    trust = [] if TRUST_NOTHING in extra else ["--dangerously-bypass-hook-trust"]
    rest = [word for word in extra if word != TRUST_NOTHING]
    flags = ["--json", "--dangerously-bypass-approvals-and-sandbox", *trust, *rest]
    return ["exec", *flags, *(["resume", resume] if resume else []), prompt]


def claude_session(done: Done) -> str:
    """The session id in the JSON result of a Claude run."""
    return str(json.loads(done.out)["session_id"])


def codex_session(done: Done) -> str:
    """The thread id in the JSON events of a Codex run."""
    events = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
    return str(next(e["thread_id"] for e in events if e.get("type") == "thread.started"))
