"""The files that wait: read in order, refused with a reason, bounded with a count."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ai_memory.client import spool

NOW = int(time.time() * 1000)


def put(data: Path, n: int = 0, payload: bytes = b'{"session_id":"s"}', at: int = NOW, **header: Any) -> Path:
    place = data / "spool"
    place.mkdir(exist_ok=True)
    head = {"v": 1, "event": "stop", "agent": "codex", "key": f"{n:032x}", "at": at + n, "cwd": "/x", "session": "s"} | header
    path = place / f"{at + n:013d}-77-{n:08x}.json"
    path.write_bytes(json.dumps(head).encode() + b"\n" + payload)
    return path


def refused(data: Path) -> dict[str, str]:
    return {p.name: p.read_text(encoding="utf-8") for p in (data / "spool" / "refused").glob("*.reason")}


def test_events_are_taken_in_the_order_they_happened(tmp_path: Path) -> None:
    for n in (3, 1, 2):
        put(tmp_path, n)
    (tmp_path / "spool" / ".1.77.tmp").write_bytes(b"half")
    (tmp_path / "spool" / "dropped").write_bytes(b"3\n")
    entries = list(spool.take(tmp_path, spool.names(tmp_path)))
    assert [int(entry.key, 16) for entry in entries] == [1, 2, 3]
    assert (entries[0].event, entries[0].agent, entries[0].cwd, entries[0].session) == ("stop", "codex", "/x", "s")
    assert entries[0].body == {"session_id": "s"}


def test_the_time_is_rfc3339_and_reduced_is_told(tmp_path: Path) -> None:
    put(tmp_path, at=1_790_000_000_123, reduced=True)
    (entry,) = spool.take(tmp_path, spool.names(tmp_path))
    assert entry.at == "2026-09-21T14:13:20.123Z"
    assert entry.reduced


def test_taking_removes_nothing_and_done_does(tmp_path: Path) -> None:
    put(tmp_path)
    entries = list(spool.take(tmp_path, spool.names(tmp_path)))
    assert len(spool.names(tmp_path)) == 1
    spool.done(entries)
    spool.done(entries)
    assert spool.names(tmp_path) == []


@pytest.mark.parametrize(
    "data",
    [
        b"", b'{"v":1,"event":"stop","agent":"x","at":1}', b"not json\n{}", b"[]\n{}", b"{}\n{}", b'{"v":2}\n{}',
        b'{"v":1,"event":"stop","agent":"x","at":1}\n', b'{"v":1,"event":"stop","agent":"x","at":1}\n[1]',
        b'{"v":1,"event":"stop","agent":"x","at":1}\n{"a":', b'{"v":1,"event":7,"agent":"x","at":1}\n{}',
        b'{"v":1,"event":"stop","agent":"","at":1}\n{}', b'{"v":1,"event":"stop","agent":"x","at":1e99}\n{}',
        b'{"v":1,"event":"stop","agent":"x","at":true}\n{}', b'{"v":1,"event":"stop","agent":"x","at":-1}\n{}',
        b'{"v":1,"event":"stop","agent":"x","at":99999999999999999}\n{}', b"[" * 100_000 + b"\n{}",
    ],
)  # fmt: skip
def test_a_file_that_is_no_event_is_put_away_with_a_reason_and_the_rest_goes_on(tmp_path: Path, data: bytes) -> None:
    bad = put(tmp_path, 1)
    bad.write_bytes(data)
    put(tmp_path, 2)
    entries = list(spool.take(tmp_path, spool.names(tmp_path)))
    assert [int(entry.key, 16) for entry in entries] == [2]
    assert list(refused(tmp_path)) == [f"{bad.name}.reason"]
    assert (tmp_path / "spool" / "refused" / bad.name).read_bytes() == data
    assert not bad.exists()


def test_a_reason_never_quotes_the_event(tmp_path: Path) -> None:
    put(tmp_path, payload=b'{"prompt":"hunter2"')
    assert list(spool.take(tmp_path, spool.names(tmp_path))) == []
    assert "hunter2" not in str(refused(tmp_path))


def test_links_and_pipes_in_the_spool_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(put(tmp_path, 1).read_bytes())
    (tmp_path / "spool" / f"{NOW:013d}-0-link.json").symlink_to(secret)
    os.mkfifo(tmp_path / "spool" / f"{NOW:013d}-0-pipe.json")
    assert len(list(spool.take(tmp_path, spool.names(tmp_path)))) == 1
    assert secret.exists()


def test_a_file_that_another_process_took_is_passed_over(tmp_path: Path) -> None:
    path = put(tmp_path, 1)
    names = spool.names(tmp_path)
    path.unlink()
    assert list(spool.take(tmp_path, names)) == []
    spool.refuse(tmp_path, path, "x")
    assert spool.counts(tmp_path)["refused"] == 0


def test_beyond_the_most_the_oldest_go_and_are_counted(tmp_path: Path) -> None:
    for n in range(12):
        put(tmp_path, n)
    (tmp_path / "spool" / "dropped").write_text("5\n", encoding="utf-8")
    assert spool.trim(tmp_path, most=10) == 2
    assert spool.names(tmp_path)[0].endswith("-77-00000002.json")
    assert spool.counts(tmp_path)["dropped"] == 7
    assert spool.trim(tmp_path, most=10) == 0


def test_what_is_older_than_a_week_goes_and_is_counted(tmp_path: Path) -> None:
    put(tmp_path, at=NOW - 8 * 86_400_000)
    put(tmp_path, at=NOW - 6 * 86_400_000)
    assert spool.trim(tmp_path) == 1
    assert spool.counts(tmp_path)["waiting"] == 1


def test_refused_events_are_bounded_too_and_old_drafts_are_removed(tmp_path: Path) -> None:
    for n, days in enumerate((8, 1)):
        spool.refuse(tmp_path, put(tmp_path, n, at=NOW - days * 86_400_000), "x")
    draft = tmp_path / "spool" / ".x.1.tmp"
    draft.write_bytes(b"")
    os.utime(draft, (1, 1))
    fresh = tmp_path / "spool" / ".y.1.tmp"
    fresh.write_bytes(b"")
    spool.trim(tmp_path)
    assert len(refused(tmp_path)) == spool.counts(tmp_path)["refused"] == 1
    assert not draft.exists()
    assert fresh.exists()


def test_counts_tell_how_much_waits_and_since_when(tmp_path: Path) -> None:
    assert spool.counts(tmp_path) == {"waiting": 0, "oldest_seconds": 0, "refused": 0, "dropped": 0}
    put(tmp_path, at=int(time.time() * 1000) - 90_000)
    put(tmp_path)
    spool.problem(tmp_path, "The server refuses the token.")
    counts = spool.counts(tmp_path)
    assert counts["waiting"] == 2
    assert 89 <= counts["oldest_seconds"] <= 120
    assert counts["problem"] == "The server refuses the token."
    spool.problem(tmp_path, "")
    assert "problem" not in spool.counts(tmp_path)


def test_files_are_private(tmp_path: Path) -> None:
    spool.refuse(tmp_path, put(tmp_path), "x")
    place = tmp_path / "spool" / "refused"
    assert place.stat().st_mode & 0o777 == 0o700
    assert next(place.glob("*.reason")).stat().st_mode & 0o777 == 0o600


def test_the_file_of_the_real_hook_is_read(tmp_path: Path, home: Path) -> None:
    import subprocess
    import sys

    from ai_memory import hook

    script = Path(hook.__file__).parent / "hook.py"
    world = {"AI_MEMORY_DATA_DIR": str(tmp_path), "HOME": str(home), "PATH": os.environ["PATH"]}
    payload = b'{"session_id":"abc","prompt":"caf\xc3\xa9"}'
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), "UserPromptSubmit", "claude-code"],
        input=payload, cwd=home, env=world, capture_output=True, timeout=20, check=True,
    )  # fmt: skip
    assert done.stdout == b""
    entries = [e for e in spool.take(tmp_path, spool.names(tmp_path)) if e.event == "UserPromptSubmit"]
    assert [e.body for e in entries] == [{"session_id": "abc", "prompt": "café"}]
    assert (entries[0].agent, entries[0].cwd, entries[0].session) == ("claude-code", str(home.resolve()), "abc")
