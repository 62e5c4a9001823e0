"""``ai-memory doctor``."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click

from ai_memory import config, sql
from ai_memory.cli import wire
from ai_memory.cli.ask import spool_line
from ai_memory.client import http, spool
from ai_memory.config import Config
from ai_memory.errors import MemoryFault
from ai_memory.harness import codex, edits, trust
from ai_memory.harness.adapter import HOOK, Agent, Wiring
from ai_memory.harness.edits import Edit
from ai_memory.harness.registry import AGENTS
from ai_memory.hook import packed

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: ``state`` is ok, warn or fail; ``next`` is what to do."""

    name: str
    state: str
    said: str
    next: str = ""


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended; asks before it trusts anything.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("--data-dir", default=None, help="The data directory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(fix: bool, yes: bool, data_dir: str | None, as_json: bool) -> int:
    """Check this machine's installation and say what to do about what is wrong."""
    settings = config.load(data_dir)
    to = wire.wiring(settings)
    if fix:
        _mend(settings, to, yes)
    checks = [*_machine(settings, to), *_server(settings), *_spool(settings)]
    for agent in AGENTS.values():
        checks += list(_agent(agent, to))
    if as_json:
        print(json.dumps({"checks": [asdict(check) for check in checks]}, indent=1))
    else:
        for check in checks:
            print(f"{check.state:4}  {check.name}: {check.said}" + (f"\n      → {check.next}" if check.next else ""))
    return 1 if any(check.state == FAIL for check in checks) else 0


def _machine(settings: Config, to: Wiring) -> Iterator[Check]:
    try:
        sql.require()
        yield Check("sqlite", OK, "has full-text search")
    except MemoryFault as error:
        yield Check("sqlite", FAIL, str(error))
    found = shutil.which("git", path=to.environ.get("PATH"))
    yield Check("git", OK, "found") if found else Check("git", FAIL, "not found", "Install git.")
    if settings.data.is_dir():
        mode = stat.S_IMODE(settings.data.stat().st_mode)
        yield (
            Check("data", OK, f"{settings.data} is yours alone")
            if mode & 0o077 == 0
            else Check("data", WARN, f"{settings.data} can be read by others", f"chmod 700 {settings.data}")
        )
    place = to.data / HOOK
    current = place.is_file() and place.read_bytes() == packed.text().encode()
    yield Check("hook", OK, "current") if current else Check("hook", FAIL, "missing or old", "Run `ai-memory doctor --fix`.")


def _server(settings: Config) -> Iterator[Check]:
    try:
        http.connect(settings, timeout=5).request("GET", "/api/v1/projects")
        yield Check("server", OK, f"answers at {settings.url}")
    except MemoryFault as error:
        yield Check("server", FAIL, str(error))
    if not settings.token:
        yield Check("token", WARN, "none: every user of this machine can read the memory", "Run `ai-memory setup`.")


def _spool(settings: Config) -> Iterator[Check]:
    counts = spool.counts(settings.data)
    said = spool_line(counts)
    slow = counts["waiting"] and counts["oldest_seconds"] > 60
    bad = slow or counts["refused"] or counts["dropped"]
    where = settings.data / "spool" / "refused"
    yield Check("spool", WARN if bad else OK, said, f"Start the server; refused events lie in {where}." if bad else "")


def _agent(agent: Agent, to: Wiring) -> Iterator[Check]:
    if not wire.installed(agent, to):
        yield Check(agent.name, OK, "not installed here")
        return
    for what, parts, fix in (("hooks", agent.hooks(to), "install-hooks"), ("tools", agent.tools(to), "install-mcp")):
        try:
            missing = any(edit.changes for edit in edits.installing(parts, to))
        except MemoryFault as error:
            yield Check(f"{agent.name} {what}", FAIL, str(error))
            continue
        step = f"Run `ai-memory {fix} --agent {agent.name} --apply`."
        yield Check(f"{agent.name} {what}", WARN if missing else OK, "not wired" if missing else "wired", step if missing else "")
    if agent.name == codex.NAME:
        yield from _trust(agent, to)


def _trust(agent: Agent, to: Wiring) -> Iterator[Check]:
    program = wire.program(agent, to)
    hooks = wire.codex_hooks(program, to) if program else None
    if hooks is None:
        yield Check("codex trust", WARN, "Codex could not be asked", "Start codex and say /hooks to see them.")
        return
    waiting = [hook for hook in hooks if not hook.trusted]
    if waiting:
        step = "Start codex and say /hooks, or run `ai-memory doctor --fix`."
        yield Check("codex trust", FAIL, f"{len(waiting)} hooks are untrusted, so Codex does not run them", step)
    elif hooks:
        yield Check("codex trust", OK, f"{len(hooks)} hooks are trusted")


def _mend(settings: Config, to: Wiring, yes: bool) -> None:
    wire.put_hook(to)
    if settings.data.is_dir():
        settings.data.chmod(0o700)
    agent = AGENTS[codex.NAME]
    program = wire.program(agent, to)
    hooks = wire.codex_hooks(program, to) if program else None
    waiting = [hook for hook in hooks or [] if not hook.trusted]
    if not waiting:
        return
    for hook in waiting:
        click.echo(f"Codex does not trust: {hook.command}", err=True)
    if yes or click.confirm("Trust these hooks of ai-memory?", err=True):
        file = codex.folder(to) / "config.toml"
        before = file.read_bytes() if file.exists() else None
        after = trust.put((before or b"").decode("utf-8"), waiting).encode()
        edits.apply([Edit(file, before, after)], to, remember=True)
