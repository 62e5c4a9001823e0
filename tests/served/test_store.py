"""The store as a whole: rebuilt from files, stopped and started, held by one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ai_memory.index import dump
from ai_memory.index import store as indexes

from .conftest import Served, launch


def lived_in(served: Served) -> Path:
    here = served.checkout("shop")
    for number in range(3):
        served.session(here, f"s{number}", f"Count the herons, round {number}.")
    for number in range(4):
        served.ask("PUT", "/api/v1/pages/decisions/herons.md", {"body": f"# Herons\n\nThere are {number}.\n"}, here)
    served.ask("PUT", "/api/v1/pages/gone.md", {"body": "# Gone\n"}, here)
    served.ask("DELETE", "/api/v1/pages/gone.md", at=here)
    served.settled()
    return here


def dumped(data: Path) -> list[str]:
    index = indexes.open(data / "index.db")
    try:
        assert not index.fresh
        with index.reader() as db:
            return list(dump.lines(db))
    finally:
        index.close()


def command(served: Served, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(served.home), "AI_MEMORY_DATA_DIR": str(served.data), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run([sys.executable, "-m", "ai_memory", *words], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_a_deleted_index_comes_back_equal_with_its_version_chains(tmp_path: Path) -> None:
    served = launch(tmp_path)
    lived_in(served)
    assert served.stop() == 0
    before = dumped(served.data)
    assert sum(line.startswith('["versions"') for line in before) >= 6
    for suffix in ("", "-wal", "-shm"):
        (served.data / f"index.db{suffix}").unlink(missing_ok=True)
    done = command(served, "reindex", "--json")
    assert done.returncode == 0, done.stderr
    assert dumped(served.data) == before


def test_a_running_server_rebuilds_its_index(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = lived_in(served)
    status, answer = served.ask("POST", "/admin/reindex", {})
    assert (status, answer["pages"]) == (200, 4)
    assert served.ask("GET", "/api/v1/search?q=herons", at=here)[1]["hits"]
    served.stop()


def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = lived_in(served)
    served.stop()
    (served.data / "index.db").write_bytes(b"garbage" * 1000)
    again = launch(tmp_path)
    again.settled()
    assert again.ask("GET", "/api/v1/search?q=herons", at=here)[1]["hits"]
    again.stop()


def test_a_torn_and_dirty_evidence_file_costs_only_its_last_line(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = lived_in(served)
    served.stop()
    file = next(served.data.glob("raw/*/*/*/*.jsonl"))
    with file.open("ab") as out:
        out.write(b'garbage\n{"kind":"user-pro')
    again = launch(tmp_path)
    assert file.read_bytes().endswith(b"garbage\n")
    assert len(again.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]) == 3
    again.stop()


def test_a_lost_ledger_finds_projects_sessions_and_batons_again(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = lived_in(served)
    served.start(here, "codex", "c1")
    served.stop()
    for suffix in ("", "-wal", "-shm"):
        (served.data / f"ledger.db{suffix}").unlink(missing_ok=True)
    again = launch(tmp_path)
    assert len(again.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]) == 3
    assert again.ask("GET", "/api/v1/pages/decisions/herons.md", at=here)[0] == 200
    assert "herons" in again.start(here, "codex", "c2")["text"]
    again.stop()


def test_one_data_directory_has_one_server(tmp_path: Path) -> None:
    served = launch(tmp_path)
    done = command(served, "serve", "--bind", "127.0.0.1:0")
    assert done.returncode == 7
    assert "Stop it first" in done.stderr
    served.stop()


def test_a_bind_beyond_loopback_needs_a_token(tmp_path: Path) -> None:
    served = launch(tmp_path)
    served.stop()
    done = command(served, "serve", "--bind", "0.0.0.0:0")
    assert done.returncode == 2
    assert "token" in done.stderr


def test_a_stop_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    served = launch(tmp_path)
    here = served.checkout("shop")
    for number in range(200):
        served.event(here, "user-prompt", "stopper", key=f"k{number}", prompt=f"Number {number}")
    assert served.stop() == 0
    text = "".join(p.read_text(encoding="utf-8") for p in served.data.glob("raw/*/*/*/*.jsonl"))
    assert all(text.count(f'"key":"k{number}"') == 1 for number in range(200))
