"""Record what the real agents send to a hook, again: ``python scripts/record_session.py [contract|demo]``.

``contract`` rewrites ``tests/contract/<agent>/*.json``, one payload a file. ``demo`` rewrites
``src/ai_memory/demo/recording.jsonl``, a whole Claude Code session. Both run the agents against the scripted model in
a home of their own; paths, ids and durations are replaced, so that a second run gives the same files.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO))

from scripts import recorded_work as work  # noqa: E402
from tests.acceptance import agents  # noqa: E402
from tests.acceptance.agents import World  # noqa: E402
from tests.acceptance.app_server import AppServer, trust_hooks  # noqa: E402
from tests.acceptance.model_server import ModelServer  # noqa: E402
from tests.acceptance.script import Script  # noqa: E402

EVENTS = {
    "claude-code": (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
        "PostCompact", "Notification", "SubagentStart", "SubagentStop", "Stop", "SessionEnd",
    ),
    "codex": (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "PreCompact",
        "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "SessionEnd",
    ),
}  # fmt: skip
Payload = dict[str, Any]
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_AGENT = re.compile(r"\ba[0-9a-f]{16}\b")
_DAY = re.compile(r"/sessions/\d{4}/\d\d/\d\d/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-")


class Recorder:
    """A hook that writes what it is given to a folder, in both agents' configuration."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._dump = world.root / "dump"
        self._dump.mkdir()
        self._seen: set[Path] = set()
        hook = world.root / "record.sh"
        hook.write_text(
            f'#!/bin/sh\ncd "{self._dump}" && cat > ".$$" && mv ".$$" "$(date +%s%N)-$$"\n', encoding="utf-8"
        )
        hook.chmod(0o755)
        files = {"claude-code": world.claude_dir / "settings.json", "codex": world.codex_dir / "hooks.json"}
        for agent, path in files.items():
            handler = {"type": "command", "command": str(hook), "timeout": 3}
            path.write_text(json.dumps({"hooks": {e: [{"hooks": [handler]}] for e in EVENTS[agent]}}), encoding="utf-8")

    def take(self) -> list[Payload]:
        """The payloads written since the last call, in order."""
        new = sorted(p for p in self._dump.glob("[0-9]*") if p not in self._seen)
        self._seen.update(new)
        return [json.loads(p.read_text(encoding="utf-8")) for p in new]


class Cleaner:
    """Replaces what differs from run to run: directories, ids (numbered as they appear), dates, durations."""

    def __init__(self, world: World, home: str, project: str) -> None:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(world.project))
        self._paths = ((str(world.project), project), (slug, "-home-dev-project"),
                       (str(world.home), home), (str(world.root / "tmp"), "/tmp"))  # fmt: skip
        self._ids: dict[str, str] = {}

    def clean(self, value: Any) -> Any:
        """``value`` with every text and every key named after a duration made stable."""
        if isinstance(value, dict):
            stable = {"duration_ms": 12, "totalDurationMs": 120}
            return {k: stable.get(k, self.clean(v)) for k, v in value.items()}
        if isinstance(value, list):
            return [self.clean(v) for v in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        for old, new in self._paths:
            text = text.replace(old, new)
        text = _DAY.sub("/sessions/2026/11/30/rollout-2026-11-30T09-00-00-", text)
        text = re.sub(r"in \d+\.\d+s\b", "in 0.001s", text)
        text = re.sub(r'("nickname":)"\w+"', r'\1"Kepler"', text)
        text = _UUID.sub(lambda m: self._id(m[0], "{:08d}-0000-4000-8000-000000000000"), text)
        return _AGENT.sub(lambda m: self._id(m[0], "a{:016d}"), text)

    def _id(self, real: str, form: str) -> str:
        return self._ids.setdefault(real, form.format(len(self._ids) + 1))


def kebab(name: str) -> str:
    """``PostToolUse`` → ``post-tool-use``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def name(payload: Payload) -> str:
    """A file name that says what the payload shows."""
    parts = [kebab(payload["hook_event_name"])]
    told = [str(payload[k]) for k in ("source", "tool_name", "trigger") if payload.get(k)]
    parts += [re.sub(r"[^A-Za-z0-9]+", "-", word).lower() for word in told]
    if work.FAILING in str(payload.get("tool_input")):
        parts.append("failing")
    if payload.get("agent_id"):
        parts.append("subagent" if payload.get("agent_type") else "internal")
    return "-".join(dict.fromkeys(parts))


def keep(payloads: list[Payload], cleaner: Cleaner, found: dict[str, Payload], mark: str = "") -> None:
    """Add the first payload of each name to ``found``."""
    for payload in payloads:
        found.setdefault(name(payload) + mark, cleaner.clean(payload))


def claude_contract(world: World, recorder: Recorder) -> dict[str, Payload]:
    """Tools that work and fail, a subagent, an MCP tool, resume, compaction."""
    cleaner, found = Cleaner(world, "/home/dev", "/home/dev/project"), dict[str, Payload]()
    config = {"mcpServers": {"ai-memory": {"type": "stdio", "command": sys.executable, "args": [str(work.MCP)]}}}
    extra = ("--mcp-config", json.dumps(config))
    done = world.run("claude-code", work.CLAUDE_TOOLS, extra=extra)
    keep(recorder.take(), cleaner, found)
    session = agents.claude_session(done)
    for prompt in (work.CLAUDE_DELEGATE, "/compact"):
        world.run("claude-code", prompt, resume=session)
        keep(recorder.take(), cleaner, found)
    return found


def codex_contract(world: World, recorder: Recorder) -> dict[str, Payload]:
    """The same for Codex, with newer and older models' tools, compaction and an interruption."""
    cleaner, found = Cleaner(world, "/home/dev", "/home/dev/project"), dict[str, Payload]()
    with (world.codex_dir / "config.toml").open("a", encoding="utf-8") as out:
        out.write(f'\n[mcp_servers.ai-memory]\ncommand = "{sys.executable}"\nargs = ["{work.MCP}"]\n'
                  'default_tools_approval_mode = "approve"\n')  # fmt: skip
    trust_hooks(world)
    done = world.run("codex", work.CODEX_TOOLS)
    keep(recorder.take(), cleaner, found)
    session = agents.codex_session(done)
    world.run("codex", work.CODEX_DELEGATE, extra=("-m", "unknown-model"))
    keep(recorder.take(), cleaner, found)
    world.run("codex", work.CODEX_OLDER, resume=session, extra=("-m", "gpt-5.5"))
    keep(recorder.take(), cleaner, found)
    with AppServer(world) as server:
        server.ask("thread/resume", {"threadId": session})
        server.ask("thread/compact/start", {"threadId": session})
        server.until(lambda m: m.get("method") == "turn/completed")
        given = [{"type": "text", "text": work.WAIT}]
        turn = server.ask("turn/start", {"threadId": session, "input": given})["turn"]["id"]
        work.HELD.held.wait(20)
        server.ask("turn/interrupt", {"threadId": session, "turnId": turn})
        server.until(lambda m: m.get("method") == "turn/completed")
        work.HELD.release.set()
    keep(recorder.take(), cleaner, found)
    return found


def contract() -> None:
    """Rewrite ``tests/contract``."""
    for agent, record in (("claude-code", claude_contract), ("codex", codex_contract)):
        folder = REPO / "tests" / "contract" / agent.replace("-", "_")
        with recording(work.GREETING, work.greeting) as (world, recorder):
            found = record(world, recorder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for stem, payload in sorted(found.items()):
            text = json.dumps(payload, indent=1, ensure_ascii=False) + "\n"
            (folder / f"{stem}.json").write_text(text, encoding="utf-8")
        print(f"{agent}: {len(found)} payloads")


def demo() -> None:
    """Rewrite the bundled recording. The model answers at once, so offsets are spread as in a person's session."""
    with recording(work.SHOP, work.shop) as (world, recorder):
        cleaner = Cleaner(world, "{home}", "{cwd}")
        work.converse(world)
        payloads = [cleaner.clean(p) for p in recorder.take()]
    lines, at = [], 0
    for payload in payloads:
        at += work.PACE.get(payload["hook_event_name"], 500)
        event = kebab(payload["hook_event_name"])
        lines.append({"event": event, "agent": "claude-code", "at_offset_ms": at, "payload": payload})
    path = REPO / "src" / "ai_memory" / "demo" / "recording.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(f"demo: {len(lines)} events")


class recording:
    """A world with a recorder, gone at the end."""

    def __init__(self, files: dict[str, str], rules: Callable[[Path], Script]) -> None:
        self._files = files
        self._root = Path(tempfile.mkdtemp(prefix="ai-memory-record-", dir="/var/tmp"))
        self._model = ModelServer(rules(self._root / "work" / "shop"), self._root / "requests.jsonl")

    def __enter__(self) -> tuple[World, Recorder]:
        programs = {agent: agents.install(agent) for agent in agents.VERSIONS}
        self._model.__enter__()
        world = World(self._root, self._model.url, programs)
        world.prepare(self._files)
        return world, Recorder(world)

    def __exit__(self, *_: object) -> None:
        self._model.__exit__()
        shutil.rmtree(self._root, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """Record what is asked for, or both."""
    known: dict[str, Callable[[], None]] = {"contract": contract, "demo": demo}
    for word in arguments or list(known):
        known[word]()


if __name__ == "__main__":
    main(sys.argv[1:])
