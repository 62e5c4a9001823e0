"""A secret that enters anywhere is nowhere in the data directory, in git, or in the log."""

from __future__ import annotations

import base64
import itertools
import json
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .conftest import Served, launch
from .test_mcp import call


class Planted:
    """Secrets by the place they were put."""

    def __init__(self) -> None:
        self._count = itertools.count(10)
        self.all: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        secret = f"ghp_{next(self._count)}bcdefghijklmnopqrstuvwxyz012345678"
        self.all[secret] = place
        return secret

    def low(self, place: str) -> str:
        """One that is fit for a name: lower case, digits, dashes."""
        secret = f"sk-ant-api03-{next(self._count)}cdefghijklmnopqrstuvwxyz0123456789-abcde"
        self.all[secret] = place
        return secret


def header(**facts: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps({"cwd": "/p/q", "home": "/home/x", "machine": "m2"} | facts).encode()).decode()


def events(s: Served, here: Path, secret: Planted) -> None:
    def event(query: str, body: dict[str, Any], facts: str = "") -> None:
        more = {"X_AI_Memory_Facts": facts} if facts else {}
        assert s.ask("POST", f"/hook?{query}", body, None if facts else here, **more)[0] == 202

    prompt = {"session_id": "p", "prompt": "hello"}
    event(f"event=user-prompt&agent={secret.low('agent')}", prompt)
    event("event=user-prompt&agent=codex", {"session_id": secret("session"), "prompt": secret("prompt")})
    event(f"event=user-prompt&agent=codex&session_id={secret('session in the query')}", {"prompt": "hello"})
    event(f"event={secret('event')}&agent=codex", prompt)
    key = secret("ingest key")
    event(f"event=user-prompt&agent=codex&ingest_key={key}", prompt)
    assert s.ask("POST", f"/hook?event=user-prompt&agent=codex&ingest_key={key}", prompt, here)[1]["outcome"] == "replayed"
    event("event=post-tool-use&agent=codex", {
        "session_id": "t", "tool_name": secret("tool"), "tool_use_id": secret("call"), "tool_response": {"stdout": secret("output")},
        "tool_input": {secret("key"): secret("argument"), "file_path": f"/x/{secret('file')}"},
    })  # fmt: skip
    event("event=session-start&agent=codex", {
        "session_id": "t", "source": secret("source"), "cwd": f"/t/{secret('cwd')}", "transcript_path": f"/t/{secret('transcript')}",
        "model": secret("model"), "agent_type": secret("agent type"), "permission_mode": secret("mode"),
    })  # fmt: skip
    event("event=session-end&agent=codex", {"session_id": "t", "reason": secret("reason")})
    folder, remote = secret("directory"), secret("remote")
    event("event=user-prompt&agent=codex", {"session_id": "f1", "prompt": "hi"}, header(cwd=f"/p/{folder}"))
    root = secret("root")
    checkout = {"cwd": f"/p/{root}", "root": f"/p/{root}", "root_name": root, "branch": secret("branch"), "worktree": f"/w/{secret('worktree')}"}
    event("event=user-prompt&agent=codex", {"session_id": "f2", "prompt": "hi"}, header(**checkout))
    remotes = {"origin": f"https://u:{secret('password')}@github.com/a/{remote}", secret("name of a remote"): "https://x.example/a/b"}
    event("event=user-prompt&agent=codex", {"session_id": "f3", "prompt": "hi"}, header(cwd="/p/r", root="/p/r", remotes=remotes))
    marker = {"dir": "/p/m", "project": secret.low("project"), "workspace": secret.low("workspace"), "aliases": [secret.low("alias")]}
    event("event=user-prompt&agent=codex", {"session_id": "f4", "prompt": "hi"}, header(cwd="/p/m", markers=[marker]))
    s.raw("POST", "/hook?event=stop&agent=codex", f'{{"a": "{secret("broken JSON")}"'.encode())


def pages(s: Served, here: Path, secret: Planted) -> None:
    path = f"/api/v1/pages/notes/{secret('page path')}.md"
    status, answer = s.ask("PUT", path, {"body": "# x"}, here)
    assert (status, "page path" in answer["error"]["message"]) == (400, True)
    s.ask("GET", path, at=here)
    named = f"project={secret.low('explicit project')}&workspace={secret.low('explicit workspace')}"
    assert s.ask("PUT", f"/api/v1/pages/x.md?{named}", {"body": "# x"}, here)[0] == 400
    page = {
        "body": f"# x\n{secret('body')}", "title": secret("title"), "description": secret("description"), "tags": [secret("tag")],
        "kind": secret("kind"), "meta": {secret("meta key"): secret("meta"), "n": {"d": [secret("deep meta")]}},
    }  # fmt: skip
    assert s.ask("PUT", "/api/v1/pages/notes/k.md", page, here)[0] == 200
    for name in (secret("client"), secret.low("client"), "a b", "x" * 5000):
        assert s.ask("PUT", "/api/v1/pages/notes/by.md", {"body": f"# {len(name)}"}, here, X_AI_Memory_Agent=name, X_AI_Memory_Session=secret("session header"))[0] == 200
    call(s, "memory_write_page", here, path="m.md", body=f"# M {secret('body by tool')}", tags=[secret("tag by tool")])


def others(s: Served, here: Path, secret: Planted) -> None:
    baton = {
        "summary": f"S {secret('summary')}", "questions": [secret("question")], "steps": [secret("step")], "files": [secret("touched")],
        "to_agent": secret("to_agent"), "to_branch": secret("to_branch"), "to_worktree": secret("to_worktree"),
    }  # fmt: skip
    assert s.ask("POST", "/api/v1/handoffs", baton, here, X_AI_Memory_Agent=secret.low("maker"), X_AI_Memory_Session=secret("maker's session"))[0] == 200
    call(s, "memory_handoff_begin", here, summary=secret("summary by tool"), to_agent=secret("aim by tool"))
    call(s, secret("tool that is none"), here)
    call(s, "memory_query", here, query=secret("query by tool"))
    s.ask("POST", "/api/v1/search", {"q": secret("query")}, here)
    s.ask("GET", f"/api/v1/search?q={secret('query in the address')}", at=here)
    s.ask("POST", f"/api/v1/handoffs/{secret('handoff id')}/accept", {}, here)
    s.ask("POST", "/api/v1/sessions/finalize", {"session": secret("session's name")}, here)
    s.ask("POST", "/handoff", {"agent": secret("starter"), "session": secret("start"), "source": secret("start's source"), "drain": True})
    s.ask("POST", "/handoff/claim", {"agent": secret("claimer"), "session": secret("claim")})
    s.raw("GET", f"/{secret('address')}?x={quote(secret('argument of an address'))}")
    s.raw("GET", "/healthz", Host=secret("host"))


def test_a_secret_is_nowhere_whatever_it_came_in(tmp_path: Path) -> None:
    s, secret = launch(tmp_path), Planted()
    here = s.checkout("shop")
    for put in (events, pages, others):
        put(s, here, secret)
    s.settled()
    time.sleep(0.2)
    assert s.stop() == 0
    kept = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for bundle in s.data.glob("wiki/*/*"):
        log = subprocess.run(["git", "-C", str(bundle), "log", "--all", "-p"], capture_output=True, check=False)
        kept[f"history of {bundle.name}"] = log.stdout
    found = [(place, name) for name, data in kept.items() for text, place in secret.all.items() if text.encode() in data or text in name]
    assert found == []


def test_two_directories_that_differ_in_a_secret_stay_two_projects(server: Served) -> None:
    secret = Planted()
    for number in (1, 2):
        facts = header(cwd=f"/p/{secret(str(number))}")
        body = {"body": f"# Number {number}\n"}
        assert server.ask("PUT", "/api/v1/pages/n.md", body, X_AI_Memory_Facts=facts)[0] == 200
        assert server.ask("GET", "/api/v1/pages/n.md", X_AI_Memory_Facts=facts)[1]["body"] == f"# Number {number}\n"
