"""Stores of many pages: start, queries, reindex, memory, idle, and what one page write costs."""

from __future__ import annotations

import base64
import json
import os
import random
import resource
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from ai_memory import config, git
from ai_memory.domain.actor import Actor
from ai_memory.domain.facts import facts_from_json
from ai_memory.domain.page import Page, Stamp
from ai_memory.index import search
from ai_memory.ledger.projects import Project
from ai_memory.memory import opening, places, rebuild
from ai_memory.memory import pages as verbs
from ai_memory.memory.core import Core
from ai_memory.memory.pages import Draft
from ai_memory.memory.places import Where
from ai_memory.wiki import catalogue, history
from ai_memory.wiki import pages as form
from ai_memory.wiki.version import Version
from bench import load
from bench.process import Server, environment
from bench.search import Note, ask, note
from bench.table import Row, median, quantile

_AT = "2026-01-01T00:00:00.000Z"
_WHERE = Where(facts_from_json(load.FACTS))
_HEADER = {"X-AI-Memory-Facts": base64.urlsafe_b64encode(json.dumps(load.FACTS).encode()).decode()}
_ME = Actor(client="bench")


def run(folder: Path, sizes: list[int], idle: float) -> list[Row]:
    rows: list[Row] = []
    for size in sizes:
        began = time.perf_counter()
        data = folder / f"store{size}"
        data.mkdir()
        os.environ |= {name: value for name, value in environment(data).items() if name.startswith(("AI_", "HOME"))}
        core = _opened(data)
        try:
            project = places.ensure(core, _WHERE)
            build(core, project, size)
            print(f"{size:,} pages made: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
            rows += _indexed(core, size)
            rows += _queries(core, project, size)
            if size <= 10_000:
                rows += _writes(core, size)
        finally:
            opening.close(core)
        rows += _served(data, size, idle if size == 10_000 or size == max(sizes) else 0.0)
        print(f"{size:,} pages done: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return rows


def path(i: int) -> str:
    """Where a note lies: folders of about a hundred."""
    return f"notes/{i % 32:02d}/{i // 32 % 32:02d}/n{i}.md"


def build(core: Core, project: Project, size: int) -> None:
    """Fill the project's bundle: working files, and one commit a page through one fast-import."""
    bundle = core.wiki.bundle(project.workspace, project.id)
    git.init(bundle.repo)
    entries = {}
    parts = [b"feature done\n"]
    for i in range(size):
        n = note(i)
        stamp = Stamp(str(uuid.UUID(int=(1 << 127) + i)), "human:bench", _AT)
        page = form.complete(Page(path(i), {}, n.body))
        data = form.render(page, stamp)
        place = bundle.dir / path(i)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        entries[path(i)] = catalogue.entry(page)
        message = history.message(Version(path(i), stamp.version, stamp.by, stamp.at, git.blob(data))).encode()
        head = f"commit {git.TIP}\nauthor bench <> 1767225600 +0000\ncommitter {git.NAME} <{git.EMAIL}> 1767225600 +0000\n"
        parts.append(head.encode() + b"data %d\n%s" % (len(message), message))
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path(i).encode(), len(data), data))
    index = catalogue.render(entries)
    (bundle.dir / catalogue.NAME).write_bytes(index)
    parts.append(b"M 100644 inline %s\ndata %d\n%s\n\ndone\n" % (catalogue.NAME.encode(), len(index), index))
    tip = git.load(bundle.repo, b"".join(parts))
    git.move(bundle.repo, git.branch(bundle.repo), "", tip)
    git.restage(bundle.repo, {})


def _opened(data: Path) -> Core:
    return opening.open_core(config.load(str(data), {"embedding.provider": "none"}))


def _indexed(core: Core, size: int) -> list[Row]:
    """The index is empty still, so building it from the files is a reindex."""
    wall, cpu = time.perf_counter(), time.process_time()
    rebuild.reindex(core, _ME)
    seconds, used = time.perf_counter() - wall, time.process_time() - cpu
    opening.settle(core)
    core.shadow.settle()
    rate = size / seconds
    return [Row(f"reindex of {size:,} pages", f"{rate:,.0f} pages/s", f"{size / used:,.0f} a CPU second", "≥ 500/s", rate >= 500)]


def _timed(work: Callable[[str], object], asked: list[str]) -> tuple[list[float], list[float]]:
    wall, cpu = [], []
    for text in asked:
        w, c = time.perf_counter(), time.process_time()
        work(text)
        wall.append((time.perf_counter() - w) * 1000)
        cpu.append((time.process_time() - c) * 1000)
    return wall, cpu


def _asked(size: int, seed: int) -> list[str]:
    chosen: list[Note] = [note(i) for i in random.Random(seed).sample(range(size), min(120, size))]
    return [ask(one, number % 4) for number, one in enumerate(chosen)]


def _queries(core: Core, project: Project, size: int) -> list[Row]:
    def ours(text: str) -> None:
        with core.index.reader() as db:
            search.pages(db, text, [project.id], 10)

    _timed(ours, _asked(size, 1)[:20])
    wall, cpu = _timed(ours, _asked(size, 2))
    with core.index.reader() as db:
        floor, _ = _timed(lambda text: db.execute("SELECT count(*) FROM page").fetchone(), _asked(size, 2))
    p50, judged = median(cpu), size == 10_000
    return [
        Row(
            f"text query, {size:,} pages",
            f"CPU p50 {p50:.1f} / p95 {quantile(cpu, 0.95):.1f} ms, wall {median(wall):.1f} / {quantile(wall, 0.95):.1f} ms",
            f"one count(*) {median(floor):.2f} ms", "≤ 12 ms CPU" if judged else "", p50 <= 12 if judged else None,
        )
    ]  # fmt: skip


def _writes(core: Core, size: int, count: int = 120) -> list[Row]:
    """The verb, the writer and the index apart from git: its children, and the thread that feeds them."""

    def spent() -> tuple[float, float, float]:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        feeder = next(thread for thread in threading.enumerate() if thread.name == "git")
        fed = time.clock_gettime(time.pthread_getcpuclockid(feeder.ident or 0))
        return time.process_time(), fed, used.ru_utime + used.ru_stime

    verbs.write(core, _ME, _WHERE, Draft("decisions/first.md", "# First\n"))
    core.shadow.settle()
    before, wall = spent(), time.perf_counter()
    for i in range(count):
        verbs.write(core, _ME, _WHERE, Draft(f"decisions/d{i}.md", note(i).body))
    seconds = time.perf_counter() - wall
    core.shadow.settle()
    whole, fed, gits = ((b - a) * 1000 / count for a, b in zip(before, spent(), strict=True))
    own = whole - fed
    return [
        Row(
            f"durable page write at {size:,} pages, searchable", f"{own:.2f} ms CPU, {seconds * 1000 / count:.1f} ms wall",
            f"into git after it {fed:.2f} ms, git itself {gits:.2f} ms CPU", "≤ 3 ms CPU", own <= 3,
        )
    ]  # fmt: skip


def _served(data: Path, size: int, idle: float) -> list[Row]:
    starts: list[float] = []
    for _ in range(2 if size <= 10_000 else 0):
        server = Server(data)
        starts.append(server.started)
        server.stop()
    server = Server(data)
    try:
        starts.append(server.started)
        ready = median(starts)
        rows = [Row(f"server ready, {size:,} pages", f"{ready:.2f} s", "", "≤ 1.5 s", ready <= 1.5)]
        server.caught_up()
        wall = []
        for text in _asked(size, 3)[:80]:
            began = time.perf_counter()
            server.send("POST", "/api/v1/search", {"query": text}, _HEADER)
            wall.append((time.perf_counter() - began) * 1000)
        health = [_once(server) for _ in range(20)]
        rows.append(
            Row(
                f"text query over HTTP, {size:,} pages", f"wall p50 {median(wall):.1f} / p95 {quantile(wall, 0.95):.1f} ms",
                f"/healthz {median(health):.1f} ms",
            )
        )  # fmt: skip
        rss, judged = server.rss(), size == 10_000
        rows.append(Row(f"memory after it, {size:,} pages", f"{rss:.0f} MB", "", "≤ 120 MB" if judged else "", rss <= 120 if judged else None))
        if idle:
            before = server.cpu()
            time.sleep(idle)
            used = (server.cpu() - before) / idle * 100
            rows.append(Row(f"idle, {size:,} pages", f"{used:.1f} % of one core", "", "about 0", used < 2))
        return rows
    finally:
        server.stop()


def _once(server: Server) -> float:
    began = time.perf_counter()
    server.get("/healthz")
    return (time.perf_counter() - began) * 1000
