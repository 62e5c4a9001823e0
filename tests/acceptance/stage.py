"""What one check stands on: a world, a scripted model and the product, fresh and gone afterwards."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance import agents
from tests.acceptance.agents import Done, World
from tests.acceptance.model_server import ModelServer, Request
from tests.acceptance.product import Product, free_port
from tests.acceptance.script import Rule, Script, Step

OFFER = '<ai-memory-context v=\\"1\\" origin=\\"handoff\\"'  # as it stands in a request's JSON text
ANY = "<ai-memory-context"


class Skip(Exception):
    """The check cannot run here; the text says why."""


@dataclass(frozen=True)
class Check:
    """One named promise, proved with one agent."""

    agent: str
    name: str
    run: Callable[[Stage], None]
    files: dict[str, str] | None = None


CHECKS: list[Check] = []


def check(agent: str, name: str, files: dict[str, str] | None = None) -> Callable[..., Callable[[Stage], None]]:
    """Register a check; the function gets a stage whose server runs and whose agents are installed for nothing yet."""

    def add(run: Callable[[Stage], None]) -> Callable[[Stage], None]:
        CHECKS.append(Check(agent, name, run, files))
        return run

    return add


class Stage:
    """Use as a context manager. ``keep`` leaves the directory for a look."""

    def __init__(self, programs: dict[str, Path], files: dict[str, str] | None = None, keep: bool = False) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="ai-memory-acceptance-", dir="/var/tmp"))
        self._keep = keep
        self.script = Script()
        self.model = ModelServer(self.script, self.root / "requests.jsonl")
        port = free_port()
        env = {"AI_MEMORY_DATA_DIR": str(self.root / "data"), "AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{port}"}
        self.world = World(self.root, self.model.url, programs, env)
        self.product = Product(self.world, port)
        self._files = files

    def __enter__(self) -> Stage:
        self.model.__enter__()
        self.world.prepare(self._files)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.product.stop()
        finally:
            self.model.__exit__()
            if not self._keep:
                remove(self.root)

    def ready(self, *names: str) -> None:
        """Start the server and wire the agents called ``names``."""
        self.product.serve()
        self.product.install(*names)

    def teach(self, match: str, *steps: Step) -> None:
        """What the model answers to a prompt that holds ``match``."""
        self.script.add(Rule(match, steps))

    def run(self, agent: str, prompt: str, **options: object) -> Done:
        """A headless run that must end well."""
        done = self.world.run(agent, prompt, **options)  # type: ignore[arg-type]
        assert done.code == 0, f"{agent} exited {done.code}: {(done.err or done.out)[-400:]}"
        return done

    def requests(self, prompt: str) -> list[Request]:
        """The requests of the turn whose prompt holds ``prompt``; there must be one at least."""
        found = self.model.asked_with(prompt)
        assert found, f"no request about {prompt!r} reached the model"
        return found


def remove(root: Path) -> None:
    """Remove a world's directory; a process that is just ending may still write into it."""
    for _ in range(20):
        shutil.rmtree(root, ignore_errors=True)
        if not root.exists():
            return
        time.sleep(0.1)


def programs() -> tuple[dict[str, Path], dict[str, str]]:
    """The agents that can be had, and why the others cannot."""
    have: dict[str, Path] = {}
    missing: dict[str, str] = {}
    for agent in agents.VERSIONS:
        try:
            have[agent] = agents.install(agent)
        except agents.Unavailable as error:
            missing[agent] = str(error)
    return have, missing
