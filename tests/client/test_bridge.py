"""The stdio bridge as a process: lines in, posts out, answers back; quick, small, and gone when its agent is."""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from client_twin import Reply, Seen, Twin

Make = Callable[..., Twin]
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"}},
}  # fmt: skip
ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "ai-memory", "version": "9"}}
TOOLS = {"tools": [{"name": "memory_query", "inputSchema": {"type": "object"}}]}


def answering(seen: Seen) -> Reply:
    said = seen.json
    if "id" not in said:
        return Reply(202, b"")
    result = {"initialize": ABOUT, "tools/list": TOOLS}.get(said["method"], {"echo": said.get("params")})
    return Reply(200, json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}).encode())


def call(id: object, name: str = "memory_query", **arguments: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


class Running:
    """A bridge that runs, as its agent sees it."""

    def __init__(self, home: Path, url: str, *words: str, cwd: Path | None = None, **more: str) -> None:
        world = {"PATH": os.environ["PATH"], "HOME": str(home), "AI_MEMORY_DATA_DIR": str(home / "data")}
        source = str(Path(__file__).parents[2] / "src")
        world |= {"AI_MEMORY_SERVER_URL": url, "PYTHONPATH": source, **more}
        command = [sys.executable, "-m", "ai_memory", "mcp", *words]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=world, cwd=cwd or home)
        assert self.child.stdin and self.child.stdout
        self._in = self.child.stdin
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, args=(self.child.stdout,), daemon=True)
        self._reader.start()

    def _read(self, source: Any) -> None:
        for line in source:
            self._lines.put(line)

    def send(self, *messages: object) -> None:
        for message in messages:
            self._in.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self._in.flush()

    def next(self, seconds: float = 20) -> Any:
        return json.loads(self._lines.get(timeout=seconds))

    def quiet(self) -> bool:
        return self._lines.empty()

    def close(self) -> int:
        if not self._in.closed:
            self._in.close()
        try:
            return self.child.wait(10)
        finally:
            self.child.kill()
            self.child.wait()
            self._reader.join(5)
            for stream in (self.child.stdout, self.child.stderr):
                if stream:
                    stream.close()


@pytest.fixture
def bridge(home: Path) -> Iterator[Callable[..., Running]]:
    made: list[Running] = []

    def start(url: str, *words: str, cwd: Path | None = None, **more: str) -> Running:
        made.append(Running(home, url, *words, cwd=cwd, **more))
        return made[-1]

    yield start
    for one in made:
        one.close()


Start = Callable[..., Running]


def test_a_session_goes_through_with_facts_ids_token_and_version(
    home: Path, twin: Make, bridge: Start, repository: Callable[..., Path]
) -> None:
    place = repository("api", origin="https://u:hunter2@github.com/acme/api")
    (home / "data" / "auth-token").write_text("t0ken\n", encoding="utf-8")
    server = twin(answering)
    run = bridge(server.url, cwd=place, CLAUDE_CODE_SESSION_ID="abc", CLAUDECODE="1")
    run.send(HELLO)
    assert run.next()["result"] == ABOUT
    run.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, call(2, query="x"))
    assert run.next() == {"jsonrpc": "2.0", "id": 2, "result": {"echo": {"name": "memory_query", "arguments": {"query": "x"}}}}
    assert run.close() == 0
    first, note, asked = server.seen
    assert [seen.path for seen in server.seen] == ["/mcp"] * 3
    assert "mcp-protocol-version" not in first.headers
    assert note.headers["mcp-protocol-version"] == asked.headers["mcp-protocol-version"] == "2025-06-18"
    assert asked.headers["authorization"] == "Bearer t0ken"
    assert (asked.headers["x-ai-memory-agent"], asked.headers["x-ai-memory-session"]) == ("claude-code", "abc")
    assert "text/event-stream" in asked.headers["accept"] and "application/json" in asked.headers["accept"]
    assert asked.facts["remotes"] == {"origin": "github.com/acme/api"}
    assert asked.facts["root"] == str(place)
    assert asked.facts["machine"] == (home / "data" / "machine-id").read_text(encoding="utf-8").strip()


def test_the_agent_is_known_by_flag_environment_or_its_own_word(twin: Make, bridge: Start) -> None:
    server = twin(answering)
    for words, more in ((("--agent", "mine"), {}), ((), {"AI_MEMORY_AGENT": "env"}), ((), {})):
        run = bridge(server.url, *words, **more)
        run.send(HELLO, call(2))
        run.next(), run.next()
        run.close()
    agents = [seen.headers["x-ai-memory-agent"] for seen in server.seen if seen.json["method"] == "tools/call"]
    assert agents == ["mine", "env", "codex"]


def test_the_session_is_taken_from_the_call_where_the_agent_puts_it_there(twin: Make, bridge: Start) -> None:
    server = twin(answering)
    run = bridge(server.url, CODEX_THREAD_ID="from-env")
    metas: list[dict[str, object]] = [
        {"x-codex-turn-metadata": '{"session_id":"turn"}'},
        {"x-codex-turn-metadata": {"session_id": "table"}},
        {"ai.opencode/sessionID": "open"},
        {"x-codex-turn-metadata": "{", "threadId": 7},
    ]
    for n, meta in enumerate(metas):
        message = call(n)
        message["params"]["_meta"] = meta
        run.send(message)
        run.next()
    assert [s.headers["x-ai-memory-session"] for s in server.seen] == ["turn", "table", "open", "from-env"]


def test_facts_follow_the_directory_as_it_changes(home: Path, twin: Make, bridge: Start) -> None:
    place = home / "work"
    place.mkdir()
    server = twin(answering)
    run = bridge(server.url, cwd=place)
    run.send(call(1))
    run.next()
    (place / ".ai-memory.toml").write_text('project = "named"\n', encoding="utf-8")
    run.send(call(2))
    run.next()
    assert "markers" not in server.seen[0].facts
    assert server.seen[1].facts["markers"][0]["project"] == "named"


def test_the_agents_project_directory_stands_above_the_process_directory(home: Path, twin: Make, bridge: Start) -> None:
    place = home / "work"
    place.mkdir()
    server = twin(answering)
    run = bridge(server.url, CLAUDE_PROJECT_DIR=str(place))
    run.send(call(1))
    run.next()
    assert server.seen[0].facts["cwd"] == str(place)


def test_answers_as_server_sent_events_arrive_one_by_one(twin: Make, bridge: Start) -> None:
    parts = [
        b": ping\r\n\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"notifications/progress\"}\r\n\r\n",
        b'data: {"jsonrpc":"2.0","id":1,', b'"result":{"n":1}}\n', b"\n",
    ]  # fmt: skip
    run = bridge(twin(lambda seen: Reply(chunks=parts, headers={"Content-Type": "text/event-stream"})).url)
    run.send(call(1))
    assert run.next()["method"] == "notifications/progress"
    assert run.next()["result"] == {"n": 1}


def test_requests_run_side_by_side(twin: Make, bridge: Start) -> None:
    def reply(seen: Seen) -> Reply:
        if seen.json["id"] == "slow":
            time.sleep(1.0)
        return answering(seen)

    run = bridge(twin(reply).url)
    run.send(call("slow"), *(call(n) for n in range(30)))
    answers = [run.next()["id"] for _ in range(31)]
    assert sorted(map(str, answers)) == sorted(["slow", *map(str, range(30))])
    assert answers[-1] == "slow"


def test_no_server_gives_an_error_with_the_next_step_in_about_two_seconds(nowhere: str, bridge: Start) -> None:
    run = bridge(nowhere)
    started = time.monotonic()
    run.send(call(1))
    answer = run.next()
    assert answer["id"] == 1
    assert "ai-memory serve" in answer["error"]["message"]
    assert 1.5 < time.monotonic() - started < 8


def test_no_server_leaves_an_agent_its_handshake_and_the_tools_it_saw_before(
    twin: Make, nowhere: str, home: Path, bridge: Start
) -> None:
    fresh = bridge(nowhere)
    fresh.send(HELLO)
    assert fresh.next()["result"]["protocolVersion"] == "2025-06-18"
    fresh.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert "ai-memory serve" in fresh.next()["error"]["message"]
    fresh.close()
    known = bridge(twin(answering).url)
    known.send(HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    known.next(), known.next()
    known.close()
    again = bridge(nowhere)
    newer = {**HELLO, "params": {**HELLO["params"], "protocolVersion": "2025-11-25"}}  # type: ignore[dict-item]
    again.send(newer, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert again.next()["result"] == ABOUT | {"protocolVersion": "2025-11-25"}
    assert again.next()["result"] == TOOLS
    assert (home / "data" / "mcp-answers.json").stat().st_mode & 0o777 == 0o600


def test_a_server_that_starts_a_moment_later_is_waited_for(home: Path, nowhere: str, twin: Make, bridge: Start) -> None:
    run = bridge("", AI_MEMORY_SERVER_URL="")
    (home / "data" / "server-url").write_text(nowhere, encoding="utf-8")
    run.close()
    run = bridge("", AI_MEMORY_SERVER_URL="")
    run.send(call(1))
    assert "error" in run.next()
    (home / "data" / "server-url").write_text(twin(answering).url, encoding="utf-8")
    run.send(call(2))
    assert run.next()["id"] == 2


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"error":{"code":"refused","message":"A valid token is needed."}}', "A valid token is needed."),
        (404, b"<html>", "not an ai-memory server"),
        (307, b"", "redirect"),
        (500, b"{}", "500"),
        (200, b"", None),
    ],
)
def test_a_refusal_becomes_an_error_that_says_it(
    status: int, body: bytes, words: str | None, twin: Make, bridge: Start
) -> None:
    run = bridge(twin(lambda seen: Reply(status, body)).url)
    run.send(call(1))
    answer = run.next()
    assert answer["id"] == 1
    assert (words or "no answer") in answer["error"]["message"]


def test_a_json_rpc_error_with_an_http_status_is_handed_on(twin: Make, bridge: Start) -> None:
    body = b'{\n "jsonrpc": "2.0",\r\n "id": 1,\n "error": {"code": -32602, "message": "No."}\n}'
    run = bridge(twin(lambda seen: Reply(400, body)).url)
    run.send(call(1))
    assert run.next() == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No."}}


def test_bad_lines_are_answered_and_the_next_one_works(twin: Make, bridge: Start) -> None:
    run = bridge(twin(answering).url)
    run.send(b"{", b"", b"   ", b"[]", b"7", b'{"jsonrpc":"2.0","id":9}', b"[" * 100_000, b"\xff\xfe", call(1))
    codes = [run.next()["error"]["code"] for _ in range(6)]
    assert codes == [-32700, -32600, -32600, -32600, -32700, -32700]
    assert run.next()["id"] == 1


def test_a_notification_that_cannot_be_delivered_is_not_answered(twin: Make, bridge: Start) -> None:
    run = bridge(twin(lambda seen: Reply(500, b"{}") if "id" not in seen.json else answering(seen)).url)
    run.send({"jsonrpc": "2.0", "method": "notifications/cancelled"}, call(1))
    assert run.next()["id"] == 1
    assert run.quiet()


def test_a_batch_is_carried_message_by_message(twin: Make, bridge: Start) -> None:
    server = twin(answering)
    run = bridge(server.url)
    run.send([call(1), {"jsonrpc": "2.0", "method": "notifications/x"}, call(2)])
    assert {run.next()["id"], run.next()["id"]} == {1, 2}
    assert all(isinstance(seen.json, dict) for seen in server.seen)


def test_text_of_all_kinds_arrives_as_it_was(twin: Make, bridge: Start) -> None:
    server = twin(answering)
    run = bridge(server.url, LC_ALL="C", PYTHONIOENCODING="ascii")
    run.send(json.dumps(call(1, query="é 日本 🙂 \u2028 \0"), ensure_ascii=False).encode())
    assert run.next()["result"]["echo"]["arguments"]["query"] == "é 日本 🙂 \u2028 \0"
    run.send(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"a":"x\\ud800y \\ud83d\\ude42"}}')
    assert run.next()["result"]["echo"] == {"a": "x\ufffdy 🙂"}
    server.seen[1].body.decode("utf-8")


def test_a_giant_line_is_refused_by_its_id_and_forgotten(twin: Make, bridge: Start) -> None:
    run = bridge(twin(answering).url)
    giant = b"x" * (17 * 1024 * 1024)
    run.send(b'{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"a":"' + giant + b'"}}')
    answer = run.next()
    assert (answer["id"], answer["error"]["code"]) == ("first", -32600)
    run.send(b'{"method":"tools/call","params":{"a":"' + giant + b'"},"jsonrpc":"2.0","id":8}')
    assert run.next()["id"] == 8
    run.send(call(3))
    assert run.next()["id"] == 3


def test_it_is_gone_when_its_agent_is_even_while_a_call_waits(twin: Make, bridge: Start) -> None:
    release = threading.Event()

    def reply(seen: Seen) -> Reply:
        release.wait(20)
        return answering(seen)

    server = twin(reply)
    run = bridge(server.url)
    run.send(call(1))
    deadline = time.monotonic() + 10
    while not server.seen and time.monotonic() < deadline:
        time.sleep(0.01)
    started = time.monotonic()
    assert run.close() == 0
    assert time.monotonic() - started < 1.5
    release.set()


def test_a_call_on_the_last_line_is_still_answered(twin: Make, home: Path) -> None:
    run = Running(home, twin(answering).url)
    run.send(call(1))
    run._in.close()
    assert run.next()["id"] == 1
    assert run.close() == 0


def test_an_agent_that_closes_its_end_early_is_no_crash(twin: Make, bridge: Start) -> None:
    run = bridge(twin(answering).url)
    assert run.child.stdout is not None
    run.send(call(1))
    run.next()
    os.kill(run.child.pid, 0)
    assert run.close() == 0


@pytest.mark.parametrize("words", [["x"], ["--agent"], ["--agent", "a", "b"]])
def test_words_it_does_not_know_are_a_usage_error(home: Path, words: list[str]) -> None:
    run = Running(home, "http://127.0.0.1:9", *words)
    assert run.close() == 2


def test_a_server_address_that_cannot_be_used_is_said_at_the_start(home: Path) -> None:
    run = Running(home, "nonsense")
    assert run.close() == 2


def test_it_loads_little_and_stays_small(home: Path, twin: Make, bridge: Start, repository: Callable[..., Path]) -> None:
    place = repository("api", origin="git@github.com:acme/api.git")
    run = bridge(twin(answering).url, cwd=place)
    run.send(HELLO)
    run.next()
    run.send(*(call(n) for n in range(2, 40)))
    for _ in range(38):
        run.next()
    status = Path(f"/proc/{run.child.pid}/status").read_text(encoding="utf-8")
    peak = int(status.partition("VmHWM:")[2].split()[0])
    assert peak < 20 * 1024, f"{peak} kB"
    source = str(Path(__file__).parents[2] / "src")
    listing = "import sys, ai_memory.client.bridge; print(len(sys.modules), *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", listing], env={"PYTHONPATH": source}, capture_output=True, text=True, check=True)
    count, *names = done.stdout.split()
    assert not {"hashlib", "ssl", "email", "http.client", "click", "starlette", "asyncio", "mcp"} & set(names)
    assert int(count) <= 130, names


def test_the_facts_header_is_one_the_gate_can_read(home: Path, twin: Make, bridge: Start) -> None:
    server = twin(answering)
    run = bridge(server.url)
    run.send(call(1))
    run.next()
    raw = server.seen[0].headers["x-ai-memory-facts"]
    assert set(raw) <= set(base64.urlsafe_b64encode(bytes(range(256))).decode() + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=")
