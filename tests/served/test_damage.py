"""What damage leaves: the server starts, says so, and has everything that the sound files hold."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ai_memory.client import facts as facts_of

from .conftest import Served, launch
from .test_mcp import call

GARBAGE = [
    b"garbage", b"\xff\xfe", b"[]", b"null", b"3", b"[" * 50_000, b'{"kind":{"a":1}}', b'{"baton":{}}', b'{"type":"session","id":5}',
    b'{"baton":{"id":"q","project":"nope","state":"wild","questions":5}}', b'{"baton":{"id":["q"],"state":"open","created":3}}',
    b'{"key":5,"session":["x"],"at":{},"kind":[]}', b'{"key":"k3","session":"zz","kind":"stop"}',
    b'{"type":"session","id":"another","started":3}', b'{"baton":{"id":"\\ud800","state":"open","summary":"\\uDC00"},"key":"\\ud800","session":"a"}',
]  # fmt: skip
OF_SESSION = [
    '{"key":"g1","session":"%s","at":5,"kind":"user-prompt","text":{"a":1},"tool":[1],"data":3}',
    '{"key":"\\ud800","session":"%s","kind":"stop","text":"half \\ud800 a letter"}',
    '{"key":"g3","session":"%s","kind":"session-end","source":[1],"at":7}',
]


def used(served: Served) -> Path:
    here = served.checkout("shop")
    served.session(here, "s1", "Count the herons.")
    served.ask("PUT", "/api/v1/pages/bird.md", {"body": "# Heron\n"}, here)
    served.settled()
    return here


def found(served: Served, here: Path, word: str) -> list[str]:
    return [hit["path"] for hit in served.ask("GET", f"/api/v1/search?q={word}", at=here)[1]["hits"]]


def log(served: Served) -> str:
    return (served.root / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize("sound", [0, 4096], ids=["all of it", "all but the first page"])
def test_a_damaged_ledger_is_set_aside_and_made_from_the_files(tmp_path: Path, sound: int) -> None:
    served = launch(tmp_path)
    here = used(served)
    served.stop()
    file = served.data / "ledger.db"
    file.write_bytes(file.read_bytes()[:sound] + os.urandom(file.stat().st_size - sound))
    again = launch(tmp_path)
    assert [row["native"] for row in again.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]] == ["s1"]
    assert again.ask("GET", "/api/v1/pages/bird.md", at=here)[0] == 200
    assert "herons" in again.start(here, "codex", "next")["text"]
    assert again.event(here, "user-prompt", "s1", prompt="Go on") == "stored"
    assert again.stop() == 0
    assert "ledger.db is damaged" in log(again)
    assert len(list(served.data.glob("ledger.db.damaged-*"))) >= 1


def test_lines_of_garbage_in_evidence_stop_nothing(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    served.stop()
    file = next(served.data.glob("raw/*/*/*/*.jsonl"))
    session = json.loads(file.read_text(encoding="utf-8").splitlines()[0])["id"]
    with file.open("ab") as out:
        for line in [*GARBAGE, *(text.replace("%s", session).encode() for text in OF_SESSION)]:
            out.write(line + b"\n")
        out.write(b'{"torn":')
    (file.parent / "00000000-0000-0000-0000-000000000000.jsonl").write_bytes(b'nonsense\n{"kind":"stop","text":"x"}\n')
    (file.parent / "empty.jsonl").write_bytes(b"")
    (file.parent / "folder.jsonl").mkdir()
    (file.parent / "link.jsonl").symlink_to("/etc/hostname")
    os.mkfifo(file.parent / "fifo.jsonl")
    again = launch(tmp_path)
    assert [row["native"] for row in again.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]] == ["s1"]
    assert again.event(here, "user-prompt", "s1", prompt="After the flood, bittern") == "stored"
    again.settled()
    assert found(again, here, "herons") and found(again, here, "bittern")
    assert again.ask("POST", "/api/v1/sessions/finalize", {"session": "s1"}, here)[0] == 200
    assert (again.stop(), "Traceback" in log(again)) == (0, False)


def test_an_index_that_breaks_under_a_running_server_is_built_again(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    for suffix in ("", "-wal"):
        file = served.data / f"index.db{suffix}"
        file.write_bytes(os.urandom(file.stat().st_size))
    deadline = time.monotonic() + 20
    while True:
        status, answer = served.ask("GET", "/api/v1/search?q=heron", at=here)
        assert status in (200, 503), answer
        if status == 200 and answer["hits"]:
            break
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)
    assert served.ask("PUT", "/api/v1/pages/other.md", {"body": "# Bittern\n"}, here)[0] == 200
    served.settled()
    assert found(served, here, "bittern") == ["other.md"]
    assert (served.stop(), "Traceback" in log(served)) == (0, False)


def test_an_index_deleted_under_a_running_server_is_whole_after_the_next_start(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    for suffix in ("", "-wal", "-shm"):
        (served.data / f"index.db{suffix}").unlink(missing_ok=True)
    assert served.ask("PUT", "/api/v1/pages/other.md", {"body": "# Bittern\n"}, here)[0] == 200
    assert served.stop() == 0
    again = launch(tmp_path)
    again.settled()
    assert found(again, here, "bittern") == ["other.md"] and "bird.md" in found(again, here, "heron")
    again.stop()


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    room = max(file.stat().st_size for file in served.data.rglob("*") if file.is_file()) + 300_000
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (room, room))
    kept: list[int] = []
    refused = 0
    for number in range(60):
        body = {"session_id": "big", "prompt": f"word{number} " + "heron " * 2500}
        status, answer = served.ask("POST", f"/hook?event=user-prompt&agent=codex&ingest_key=d{number}", body, here)
        assert status in (202, 503), answer
        if status == 202:
            kept.append(number)
        else:
            refused += 1
            assert answer["error"]["message"].startswith("The store cannot be written")
    assert kept and refused
    assert served.ask("GET", "/api/v1/search?q=heron", at=here)[0] == 200
    began = time.monotonic()
    assert served.stop() == 0
    assert time.monotonic() - began < 10
    again = launch(tmp_path)
    for number in range(60):
        body = {"session_id": "big", "prompt": f"word{number}"}
        assert again.ask("POST", f"/hook?event=user-prompt&agent=codex&ingest_key=d{number}", body, here)[0] == 202
    assert again.stop() == 0
    text = "".join(file.read_text(encoding="utf-8") for file in served.data.glob("raw/*/*/*/*.jsonl"))
    assert [number for number in range(60) if text.count(f'"key":"d{number}"') != 1] == []
    assert all(f"word{number} heron" in text for number in kept)


def test_a_full_queue_says_when_to_come_again(tmp_path: Path) -> None:
    served = launch(tmp_path, 0, AI_MEMORY_QUEUE_LIMIT="1")
    here = used(served)
    facts = facts_of.header(served.facts(here))

    def one(number: int) -> tuple[int, str | None]:
        body = json.dumps({"session_id": f"q{number % 7}", "prompt": "x"}).encode()
        url = f"/hook?event=user-prompt&agent=codex&ingest_key=q{number}"
        status, headers, _ = served.raw("POST", url, body, X_AI_Memory_Facts=facts)
        return status, headers.get("retry-after")

    with ThreadPoolExecutor(32) as pool:
        seen = Counter(pool.map(one, range(300)))
    assert set(seen) == {(202, None), (429, "1")}
    plain = {"cwd": str(here), "home": str(served.home), "machine": "machine1", "root": str(here)}
    items = [{"url": f"/hook?event=user-prompt&agent=codex&ingest_key=b{n}", "body": {"session_id": "b", "prompt": "x"}, "facts": plain} for n in range(256)]
    while True:  # as a drainer does: what was refused is sent again
        status, headers, body = served.raw("POST", "/hook/batch", json.dumps(items).encode())
        if status == 200:
            break
        assert (status, headers["retry-after"]) == (429, "1")
        items = items[json.loads(body)["failed_index"] :]
        time.sleep(0.01)
    assert served.stop() == 0
    text = "".join(file.read_text(encoding="utf-8") for file in served.data.glob("raw/*/*/*/*.jsonl"))
    assert [n for n in range(256) if text.count(f'"key":"b{n}"') != 1] == []


def test_a_stop_under_load_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    facts, kept = facts_of.header(served.facts(here)), []

    def client(name: int) -> None:
        for number in range(100_000):
            try:
                body = json.dumps({"session_id": f"l{name}", "prompt": "x"}).encode()
                if served.raw("POST", f"/hook?event=user-prompt&agent=codex&ingest_key=l{name}-{number}", body, X_AI_Memory_Facts=facts)[0] == 202:
                    kept.append(f"l{name}-{number}")
            except Exception:
                if served.process.poll() is not None:
                    return
                time.sleep(0.01)

    threads = [threading.Thread(target=client, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    assert served.stop() == 0
    assert time.monotonic() - began < 10
    for thread in threads:
        thread.join(30)
    text = "".join(file.read_text(encoding="utf-8") for file in served.data.glob("raw/*/*/*/*.jsonl"))
    assert kept and [key for key in kept if text.count(f'"key":"{key}"') != 1] == []


def test_a_hundred_calls_at_once_are_all_answered(server: Served, here: Path) -> None:
    def one(number: int) -> bool:
        if number % 2:
            return call(server, "memory_query", here, query=f"word {number}")[1]
        return call(server, "memory_write_page", here, path=f"c/{number}.md", body=f"# C {number}\n")[1]

    call(server, "memory_write_page", here, path="first.md", body="# First\n")
    with ThreadPoolExecutor(100) as pool:
        assert not any(pool.map(one, range(100)))
    assert server.settled()["store"]["pages"] >= 50


def test_links_and_other_kinds_of_file_in_the_wiki_are_left_alone(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    served.ask("PUT", "/api/v1/pages/d/x.md", {"body": "# X\n"}, here)
    served.settled()
    bundle = next(path for path in served.data.glob("wiki/*/*") if path.is_dir())
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("# Outside\n", encoding="utf-8")
    shutil.rmtree(bundle / "d")
    (bundle / "d").symlink_to(outside)
    (bundle / "dangling.md").symlink_to("/nonexistent")
    (bundle / "loop").symlink_to(bundle)
    os.mkfifo(bundle / "fifo.md")
    (bundle / "folder.md").mkdir()
    for path in ("d/x.md", "dangling.md", "loop/bird.md", "fifo.md", "folder.md"):
        assert served.ask("GET", f"/api/v1/pages/{path}", at=here)[0] == 400
        assert served.ask("PUT", f"/api/v1/pages/{path}", {"body": "# In\n"}, here)[0] == 400
        assert served.ask("DELETE", f"/api/v1/pages/{path}", at=here)[0] == 400
    served.settled()
    assert served.stop() == 0
    shutil.move(bundle / ".git", tmp_path / "moved")
    (bundle / ".git").symlink_to(tmp_path / "moved")
    again = launch(tmp_path)
    assert again.ask("PUT", "/api/v1/pages/after.md", {"body": "# After\n"}, here)[0] == 200
    again.settled()
    assert again.ask("GET", "/api/v1/pages/bird.md", at=here)[0] == 200
    assert again.stop() == 0
    assert [path.name for path in outside.iterdir()] == ["x.md"]
    assert (outside / "x.md").read_text(encoding="utf-8") == "# Outside\n"


def test_pages_deleted_by_hand_go_and_edits_that_race_with_writes_are_kept(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = used(served)
    for name in "abcd":
        served.ask("PUT", f"/api/v1/pages/{name}.md", {"body": f"# Kiwi {name}\n"}, here)
    served.settled()
    bundle = next(path for path in served.data.glob("wiki/*/*") if path.is_dir())
    (bundle / "a.md").unlink()
    deadline = time.monotonic() + 10
    while "a.md" in found(served, here, "kiwi"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert served.ask("GET", "/api/v1/pages/a.md", at=here)[0] == 404
    served.stop()
    (bundle / "b.md").unlink()
    again = launch(tmp_path)
    deadline = time.monotonic() + 10
    while sorted(found(again, here, "kiwi")) != ["c.md", "d.md"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    by_hand = 0
    for number in range(20):
        with contextlib.suppress(OSError):
            (bundle / "race.md").write_text(f"# hand {number} {'y' * number}\n", encoding="utf-8")
            by_hand += 1
        assert again.ask("PUT", "/api/v1/pages/race.md", {"body": f"# written {number}\n"}, here)[0] == 200
    again.settled()
    assert again.stop() == 0
    log = subprocess.run(["git", "-C", str(bundle), "log", "--all", "-p", "--", "race.md"], capture_output=True, text=True, check=True).stdout
    assert all(f"+# written {number}\n" in log for number in range(20))
    assert sum(f"+# hand {number} " in log for number in range(20)) == by_hand
