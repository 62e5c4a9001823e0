"""Durable ingest: events a second, single, in batches and from the spool, and when all of it can be found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench import load
from bench.process import Server
from bench.table import Row, quantile


def run(folder: Path, quick: bool) -> list[Row]:
    data, bare = folder / "ingest", folder / "bare"
    data.mkdir()
    bare.mkdir()
    ours = Server(data)
    floor = Server(bare, ["-m", "bench.bare", "{port}", str(bare / "log")])
    try:
        _send(ours, 4, 64, 1, "warm")
        _send(floor, 4, 64, 1, "warm")
        ours.caught_up()
        rows: list[Row] = []
        for clients in (8, 32) if quick else (1, 8, 32, 128):
            rows += _single(ours, floor, clients, 1_500 if quick else 200 * min(clients, 20) + 1_000)
        rows += _batched(ours, floor, 20 if quick else 60)
        rows += _spool(ours, 1_500 if quick else 5_000)
        return rows
    finally:
        ours.stop()
        floor.stop()


def _send(server: Server, clients: int, requests: int, size: int, name: str) -> dict[str, Any]:
    line = [sys.executable, "-m", "bench.load", *map(str, (server.port, clients, requests, size, name))]
    done = subprocess.run(line, env=server.env, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _measured(server: Server, clients: int, requests: int, size: int, name: str) -> tuple[float, dict[str, Any], float]:
    """Events a second, the run, CPU milliseconds of the server an event."""
    before, had = server.cpu(), _stored(server)
    found = _send(server, clients, requests, size, name)
    if had >= 0:
        _whole(_stored(server) - had, found["events"])
    return found["events"] / found["seconds"], found, (server.cpu() - before) * 1000 / found["events"]


def _single(ours: Server, floor: Server, clients: int, requests: int) -> list[Row]:
    floor_rate, floor_run, _ = _measured(floor, clients, requests, 1, f"s{clients}")
    rate, found, cpu = _measured(ours, clients, requests, 1, f"s{clients}")
    later = ours.caught_up()
    p50, p99 = quantile(found["times"], 0.5), quantile(found["times"], 0.99)
    judged = clients == 32
    budget, fits = ("≥ 1,200/s, p99 ≤ 100 ms", rate >= 1200 and p99 <= 100) if judged else ("", None)
    ratio = (found["seconds"] + later) / found["seconds"]
    return [
        Row(
            f"single posts, {clients} clients", f"{rate:,.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms, CPU {cpu:.2f} ms",
            f"bare app {floor_rate:,.0f}/s, p99 {quantile(floor_run['times'], 0.99):.1f} ms", budget, fits,
        ),
        *([Row("… all of it searchable", f"{ratio:.2f} × the run", "", "≤ 1.5 ×", ratio <= 1.5)] if judged else []),
    ]  # fmt: skip


def _batched(ours: Server, floor: Server, requests: int) -> list[Row]:
    floor_rate, _, _ = _measured(floor, 2, requests, 256, "b")
    rate, found, cpu = _measured(ours, 2, requests, 256, "b")
    ratio = (found["seconds"] + ours.caught_up()) / found["seconds"]
    figure = f"{rate:,.0f}/s, CPU {cpu:.2f} ms"
    return [
        Row("batches of 256, 2 clients", figure, f"bare app {floor_rate:,.0f}/s", "≥ 4,000/s", rate >= 4000),
        Row("… all of it searchable", f"{ratio:.2f} × the run", "", "≤ 1.5 ×", ratio <= 1.5),
    ]


def _stored(server: Server) -> int:
    """How many events the ledger counts; -1 for a server that is not ours."""
    try:
        return int(server.get("/api/v1/status")["store"]["lines"])
    except RuntimeError:
        return -1


def _whole(found: int, sent: int) -> None:
    if found != sent:
        raise RuntimeError(f"{sent} events were sent and {found} are stored")


def fill(data: Path, count: int, name: str) -> int:
    """Put ``count`` events of ten sessions into the spool as the hook writes them; how many bytes."""
    shop = data.parent / "shop"
    (shop / ".git").mkdir(parents=True, exist_ok=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    spool = data / "spool"
    data.mkdir(exist_ok=True)
    spool.mkdir(mode=0o700, exist_ok=True)
    kinds = load.events()
    now = int(time.time() * 1000) - count
    total = 0
    for i in range(count):
        event, payload = kinds[i % len(kinds)]
        session = f"{name}-{i * 10 // count}"
        header = {
            "v": 1, "event": event, "agent": "claude-code", "key": os.urandom(16).hex(), "at": now + i, "cwd": str(shop),
            "root": "", "markers": [], "pid": 1, "born": "", "session": session, "reduced": False,
        }  # fmt: skip
        content = json.dumps(header) + "\n" + json.dumps(payload | {"session_id": session})
        total += len(content)
        draft = spool / f".{i}.tmp"
        draft.write_text(content, encoding="utf-8")
        os.replace(draft, spool / f"{now + i:013d}-1-{i:08x}.json")
    return total


def _spool(ours: Server, count: int) -> list[Row]:
    """The files are written beside and moved in at once, so that writing them is no part of the time."""
    aside = ours.data.parent / "aside"
    aside.mkdir()
    size = fill(aside, count, "spool")
    names = os.listdir(aside / "spool")
    before, had = ours.cpu(), _stored(ours)
    (ours.data / "spool").mkdir(mode=0o700, exist_ok=True)
    began = time.perf_counter()
    for name in sorted(names):
        os.replace(aside / "spool" / name, ours.data / "spool" / name)
    while any(name.endswith(".json") for name in os.listdir(ours.data / "spool")):
        time.sleep(0.05)
    seconds = time.perf_counter() - began
    cpu = (ours.cpu() - before) * 1000 / count
    _whole(_stored(ours) - had, count)
    ratio = (seconds + ours.caught_up()) / seconds
    figure = f"{count / seconds:,.0f}/s, CPU {cpu:.2f} ms"
    plain = _plain(ours.data.parent / "plain", size, count)
    return [
        Row(f"from the spool, {count:,} events", figure, f"read, append, sync, remove: {plain:,.0f}/s", "≥ 4,000/s", count / seconds >= 4000),
        Row("… all of it searchable", f"{ratio:.2f} × the run", "", "≤ 1.5 ×", ratio <= 1.5),
    ]  # fmt: skip


def _plain(folder: Path, size: int, count: int) -> float:
    """Files a second that are only read, appended to one log in groups of 256, synced and removed."""
    folder.mkdir()
    for i in range(count):
        (folder / str(i)).write_bytes(b"x" * (size // count))
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT, 0o600)
    began = time.perf_counter()
    for start in range(0, count, 256):
        group = [folder / str(i) for i in range(start, min(start + 256, count))]
        os.write(log, b"".join(path.read_bytes() for path in group))
        os.fdatasync(log)
        for path in group:
            path.unlink()
    os.close(log)
    return count / (time.perf_counter() - began)
