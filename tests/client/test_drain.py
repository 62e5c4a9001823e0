"""Delivering the spool: in batches, redacted, with an outcome an event, whatever the server does."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from client_twin import Reply, Seen, Twin
from test_spool import put

from ai_memory import config, errors
from ai_memory.client import drain, spool
from ai_memory.client.drain import Drainer, Patience

Make = Callable[..., Twin]
BRISK = Patience(quiet=0.05, give_up=0.4, first=0.01, last=0.05)
SECRET = "sk-ant-" + "api03-" + "Ab3dEf6hIj9lMn2pQr5tUv8x" * 2


def accepting(seen: Seen) -> Reply:
    n = len(seen.json)
    return Reply(200, json.dumps({
        "accepted": n, "accepted_indices": list(range(n)),
        "results": [{"index": i, "outcome": "stored"} for i in range(n)],
    }).encode())  # fmt: skip


def drainer(home: Path, url: str, monkeypatch: pytest.MonkeyPatch, patience: Patience = BRISK) -> Drainer:
    monkeypatch.setenv("AI_MEMORY_SERVER_URL", url)
    return Drainer(config.load(), patience)


def sent(server: Twin) -> list[Any]:
    return [item for seen in server.seen for item in seen.json]


def test_what_is_sent_names_event_agent_key_and_time(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch, repository: Callable[..., Path]
) -> None:
    place = repository("api", origin="git@github.com:acme/api.git")
    path = put(home / "data", 5, b'{"session_id":"s","prompt":"hi"}', cwd=str(place), event="UserPromptSubmit")
    (home / "data" / "auth-token").write_text("t0ken\n", encoding="utf-8")
    server = twin(accepting)
    assert drainer(home, server.url, monkeypatch).run() == 0
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.headers["authorization"]) == ("POST", "/hook/batch", "Bearer t0ken")
    (item,) = seen.json
    query = parse_qs(urlsplit(item["url"]).query)
    assert urlsplit(item["url"]).path == "/hook"
    assert query["event"] == ["UserPromptSubmit"]
    assert query["ingest_key"] == [f"{5:032x}"]
    assert query["occurred_at"][0].endswith("Z")
    assert query["session_id"] == ["s"]
    assert item["body"] == {"session_id": "s", "prompt": "hi"}
    assert item["facts"]["remotes"] == {"origin": "github.com/acme/api"}
    assert len(item["facts"]["machine"]) == 32
    assert not path.exists()


def test_secrets_never_leave(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / "data", payload=json.dumps({"session_id": "s", "prompt": f"key {SECRET}", "deep": [{"x": SECRET}]}).encode())
    server = twin(accepting)
    drainer(home, server.url, monkeypatch).run()
    assert SECRET.encode() not in server.seen[0].body
    assert b"[REDACTED]" in server.seen[0].body


def test_batches_hold_at_most_256_events_in_order(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(300):
        put(home / "data", n)
    server = twin(accepting)
    assert drainer(home, server.url, monkeypatch).run() == 0
    assert [len(seen.json) for seen in server.seen] == [256, 44]
    keys = [int(parse_qs(urlsplit(item["url"]).query)["ingest_key"][0], 16) for item in sent(server)]
    assert keys == list(range(300))


def test_batches_stay_within_their_bytes(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(5):
        put(home / "data", n, json.dumps({"session_id": "s", "text": "word " * 600_000}).encode())
    server = twin(accepting)
    assert drainer(home, server.url, monkeypatch).run() == 0
    assert [len(seen.json) for seen in server.seen] == [2, 2, 1]
    assert all(len(seen.body) <= drain.BYTES for seen in server.seen)


def test_an_event_the_server_finds_invalid_is_put_away_and_the_rest_is_kept(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(3):
        put(home / "data", n)
    outcomes = ["stored", "dropped_invalid", "dropped_policy"]
    results = [{"index": n, "outcome": outcome} for n, outcome in enumerate(outcomes)]
    server = twin(lambda seen: Reply(200, json.dumps({"results": results}).encode()))
    assert drainer(home, server.url, monkeypatch).run() == 0
    counts = spool.counts(home / "data")
    assert (counts["waiting"], counts["refused"]) == (0, 1)


def test_one_poisoned_event_does_not_hold_up_the_others(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(9):
        put(home / "data", n, b'{"session_id":"s","venom":1}' if n == 4 else b'{"session_id":"s"}')
    bad = b'{"error":{"code":"invalid","message":"No."}}'
    server = twin(lambda seen: Reply(400, bad) if b"venom" in seen.body else accepting(seen))
    assert drainer(home, server.url, monkeypatch).run() == 0
    counts = spool.counts(home / "data")
    assert (counts["waiting"], counts["refused"]) == (0, 1)
    stored = [parse_qs(urlsplit(i["url"]).query)["ingest_key"][0] for s in server.seen if b"venom" not in s.body for i in s.json]
    assert sorted(int(key, 16) for key in stored) == [0, 1, 2, 3, 5, 6, 7, 8]


def test_a_full_server_takes_a_part_and_the_rest_after_the_wait_it_asks_for(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(4):
        put(home / "data", n)
    calls: list[int] = []

    def reply(seen: Seen) -> Reply:
        calls.append(len(seen.json))
        if len(calls) > 1:
            return accepting(seen)
        part = {"accepted": 2, "results": [{"index": n, "outcome": "stored"} for n in range(2)], "failed_index": 2}
        return Reply(429, json.dumps(part).encode(), {"Retry-After": "1"})

    assert drainer(home, twin(reply).url, monkeypatch).run() == 0
    assert calls == [4, 2]


def test_a_full_server_that_takes_nothing_is_asked_again(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / "data")
    busy = Reply(429, b'{"error":{"code":"busy","message":"Full."}}', {"Retry-After": "0"})
    replies = iter([busy, busy])
    assert drainer(home, twin(lambda seen: next(replies, None) or accepting(seen)).url, monkeypatch).run() == 0


def test_a_refused_token_keeps_events_and_is_told_and_a_new_token_is_taken_up(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / "data")
    token = home / "data" / "auth-token"
    told: list[str] = []

    def reply(seen: Seen) -> Reply:
        if seen.headers.get("authorization") == "Bearer new":
            return accepting(seen)
        told.append(spool.counts(home / "data").get("problem", ""))
        if len(told) == 2:
            token.write_text("new\n", encoding="utf-8")
        return Reply(401, b'{"error":{"code":"refused","message":"A valid token is needed."}}')

    token.write_text("old\n", encoding="utf-8")
    assert drainer(home, twin(reply).url, monkeypatch).run() == 0
    assert told[1] == "A valid token is needed."
    assert spool.counts(home / "data") == {"waiting": 0, "oldest_seconds": 0, "refused": 0, "dropped": 0}


def test_without_a_server_events_stay_and_the_drainer_gives_up(home: Path, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(home / "data")
    started = time.monotonic()
    assert drainer(home, nowhere, monkeypatch).run() == errors.Unreachable.exit
    assert 0.3 < time.monotonic() - started < 5
    assert path.exists()
    assert "ai-memory serve" in spool.counts(home / "data")["problem"]


def test_a_server_that_comes_back_gets_everything(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / "data")
    replies = iter([Reply(500, b"oops"), Reply(503, b"{}"), Reply(502, b""), Reply(408, b"{}")])
    server = twin(lambda seen: next(replies, None) or accepting(seen))
    assert drainer(home, server.url, monkeypatch, Patience(quiet=0.05, give_up=5, first=0.01, last=0.05)).run() == 0
    assert len(server.seen) == 5


def test_a_server_that_does_not_say_what_became_of_an_event_has_not_taken_it(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(home / "data")
    assert drainer(home, twin(lambda seen: Reply(200, b'{"results":[]}')).url, monkeypatch).run() != 0
    assert path.exists()


def test_events_that_come_meanwhile_are_sent_too(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / "data", 1)

    def reply(seen: Seen) -> Reply:
        if b"00000001" in seen.body:
            put(home / "data", 2)
        return accepting(seen)

    server = twin(reply)
    assert drainer(home, server.url, monkeypatch).run() == 0
    assert len(sent(server)) == 2


def test_only_one_drainer_works_at_a_time(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(home / "data")
    server = twin(accepting)
    with (home / "data" / "drain.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert drainer(home, server.url, monkeypatch).run() == 0
    assert path.exists() and server.seen == []


def test_an_event_that_comes_at_the_very_end_is_not_left_behind(home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    server = twin(accepting)
    one = drainer(home, server.url, monkeypatch)
    looked = spool.names
    late = threading.Event()

    def names(data: Path) -> list[str]:
        found = looked(data)
        frame = sys._getframe(1).f_code.co_name
        if frame == "run" and not late.is_set():
            late.set()
            put(home / "data", 9)
            return looked(data)
        return found

    monkeypatch.setattr(spool, "names", names)
    assert one.run() == 0
    assert len(sent(server)) == 1


def test_a_marker_that_names_another_server_keeps_its_events_from_ours(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = home / "work" / "x"
    place.mkdir(parents=True)
    (home / ".ai-memory.toml").write_text('server = "https://memory.example"\n', encoding="utf-8")
    put(home / "data", cwd=str(place))
    server = twin(accepting)
    assert drainer(home, server.url, monkeypatch).run() == 0
    assert server.seen == []
    assert spool.counts(home / "data")["refused"] == 1


def test_a_redaction_setting_that_cannot_be_used_sends_nothing(
    home: Path, twin: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home / "data")
    (home / "data" / "config.toml").write_text('[sanitize]\nextra_patterns = ["("]\n', encoding="utf-8")
    server = twin(accepting)
    monkeypatch.setenv("AI_MEMORY_SERVER_URL", server.url)
    assert drain.main([]) == 2
    assert server.seen == []
    assert "sanitize" in capsys.readouterr().err
    assert "sanitize" in spool.counts(home / "data")["problem"]


def test_the_command_delivers_and_ends(home: Path, twin: Make) -> None:
    put(home / "data")
    server = twin(accepting)
    world = {"PATH": os.environ["PATH"], "HOME": str(home), "AI_MEMORY_DATA_DIR": str(home / "data")}
    world |= {"AI_MEMORY_SERVER_URL": server.url, "PYTHONPATH": os.environ.get("PYTHONPATH", "src")}
    done = subprocess.run([sys.executable, "-m", "ai_memory", "hook-drain", "--once"], env=world, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert spool.names(home / "data") == []


def test_killed_at_any_moment_it_loses_nothing(home: Path, twin: Make) -> None:
    for n in range(40):
        put(home / "data", n)

    def slow(seen: Seen) -> Reply:
        time.sleep(0.02)
        return accepting(seen)

    server = twin(slow)
    world = {"PATH": os.environ["PATH"], "HOME": str(home), "AI_MEMORY_DATA_DIR": str(home / "data")}
    world |= {"AI_MEMORY_SERVER_URL": server.url, "PYTHONPATH": os.environ.get("PYTHONPATH", "src")}
    for delay in (0.2, 0.3, 0.4):
        child = subprocess.Popen([sys.executable, "-m", "ai_memory", "hook-drain"], env=world)
        try:
            child.wait(delay)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    subprocess.run([sys.executable, "-m", "ai_memory", "hook-drain", "--once"], env=world, timeout=60, check=True)
    keys = {parse_qs(urlsplit(item["url"]).query)["ingest_key"][0] for item in sent(server)}
    assert len(keys) == 40
