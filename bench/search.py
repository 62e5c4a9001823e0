"""Text search over synthetic notes: write and reindex rates, query times, known-item success, index size, by store size.

    python bench/search.py [1000 10000 100000]

Each note is about 560 characters. Two hundred queries look for one known note each, fifty of a kind: four words of its
title, an exact ticket id, error with service and component, and a "why did we" question. Prints a Markdown table.
CPU times are this process's own; the floor is one plain FTS5 table, stop words dropped, terms joined with OR.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ai_memory import sql
from ai_memory.index import evidence, pages, search, store
from ai_memory.index.stop import STOP
from ai_memory.index.values import EvidenceRow, PageRow

SERVICES = ("billing", "checkout", "search", "identity", "catalog", "shipping", "ledger", "gateway", "notifier", "reports",
            "scheduler", "inventory", "pricing", "media", "audit", "exports")  # fmt: skip
COMPONENTS = ("cache", "worker", "migration", "router", "parser", "queue", "retry loop", "connection pool", "serializer",
              "rate limiter", "health check", "feature flag", "cron job", "webhook", "session store", "index")  # fmt: skip
ERRORS = ("ECONNRESET", "TimeoutError", "KeyError", "DeadlockDetected", "OutOfMemory", "EPIPE", "ValueError", "E_TOO_BIG",
          "StaleObjectState", "SSLError", "HTTP 502", "ENOSPC", "IntegrityError", "BrokenPipe")  # fmt: skip
TOOLS = ("Redis", "Kafka", "Postgres", "RabbitMQ", "Celery", "Memcached", "Elasticsearch", "Docker", "Terraform", "nginx",
         "SQLite", "Mongo", "gRPC", "Protobuf", "Webpack", "Vite")  # fmt: skip
REASONS = ("latency at peak", "licence cost", "flaky restarts", "lost messages", "slow cold starts", "memory growth",
           "duplicate deliveries", "clock drift", "unbounded retries", "schema drift", "missing metrics")  # fmt: skip
ADJECTIVES = ("stale", "nightly", "shared", "partial", "orphaned", "cold", "nested", "silent", "sticky", "late", "double",
              "hidden", "frozen", "greedy", "leaky", "noisy", "brittle", "empty", "blocked", "manual")  # fmt: skip
NOUNS = ("invoice", "token", "shipment", "refund", "basket", "coupon", "profile", "report", "tenant", "currency", "image",
         "ticket", "region", "locale", "archive", "preview", "snapshot", "payload", "receipt", "voucher")  # fmt: skip
VERBS = ("rounding", "expiry", "ordering", "dedupe", "lookup", "upload", "replay", "cleanup", "rollback", "throttling",
         "paging", "hashing", "backfill", "warmup", "sharding", "polling")  # fmt: skip


@dataclass(frozen=True)
class Note:
    path: str
    title: str
    body: str
    ticket: str
    error: str
    question: str


def note(i: int) -> Note:
    r = random.Random(i)
    service, component, error, tool, reason = map(r.choice, (SERVICES, COMPONENTS, ERRORS, TOOLS, REASONS))
    other = r.choice(TOOLS)
    adjective, noun, verb = map(r.choice, (ADJECTIVES, NOUNS, VERBS))
    ticket = f"{service[:3].upper()}-{10000 + i}"
    module = f"src/{service}/{component.replace(' ', '_')}/{noun}_{verb}_{i % 997}.py"
    title = f"{adjective.capitalize()} {noun} {verb} in {service} {component}"
    body = (
        f"# {title}\n\nTicket {ticket}. The {service} {component} raised {error} in `{module}` while the {noun} {verb} "
        f"was running, about {r.randrange(3, 90)} times an hour.\n\n"
        f"We dropped {tool} for {other} in {noun} {verb} because of {reason}; the {adjective} {noun} was the first sign. "
        f"The fix was to bound the {component} at {r.randrange(10, 900)} and to log each {r.choice(NOUNS)} once. "
        f"Checked with `make test-{service}` on version {r.randrange(1, 9)}.{r.randrange(40)}.{r.randrange(9)}; "
        f"{r.choice(NOUNS)} and {r.choice(NOUNS)} were not touched. Follow up with the {r.choice(SERVICES)} team.\n"
    )
    question = f"why did we drop {tool} for {other} in the {service} {adjective} {noun} {verb}?"
    return Note(f"notes/{i % 50:02d}/n{i}.md", title, body, ticket, f"{error} {service} {component} {noun} {verb}", question)


def ask(wanted: Note, kind: int) -> str:
    if kind == 0:
        terms = [word for word in wanted.title.split() if word not in STOP]
        return " ".join(terms[:3] + terms[-2:])
    return (wanted.ticket, wanted.error, wanted.question)[kind - 1]


def measure(function: Callable[[str], list[str]], asked: list[tuple[str, str]]) -> tuple[list[float], list[float], list[bool]]:
    """Milliseconds of CPU and of wall for each query, and whether its note came first."""
    cpu, wall, first = [], [], []
    for text, path in asked:
        c, w = time.process_time(), time.perf_counter()
        found = function(text)
        cpu.append((time.process_time() - c) * 1000)
        wall.append((time.perf_counter() - w) * 1000)
        first.append(found[:1] == [path])
    return cpu, wall, first


def floor(path: Path, notes: list[Note]) -> Callable[[str], list[str]]:
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE f USING fts5(path UNINDEXED, title, body)")
    with db:
        db.executemany("INSERT INTO f VALUES (?, ?, ?)", [(n.path, n.title, n.body) for n in notes])

    def run(text: str) -> list[str]:
        terms = ["".join(c if c.isalnum() else " " for c in word) for word in text.split() if word.lower() not in STOP]
        match = " OR ".join(f'"{term}"' for term in terms)
        return [row[0] for row in db.execute("SELECT path FROM f WHERE f MATCH ? ORDER BY bm25(f, 0, 4, 1) LIMIT 5", (match,))]

    return run


def p(values: list[float], share: float) -> float:
    return statistics.quantiles(values, n=100)[round(share * 100) - 1]


def bench(folder: Path, size: int) -> None:
    notes = [note(i) for i in range(size)]
    rows = [PageRow("w", "p", n.path, "v1", title=n.title, body=n.body, type="Note") for n in notes]
    index = store.open(folder / f"{size}.db")
    started = time.process_time(), time.perf_counter()
    for at in range(0, size, 500):
        with index.writer() as db:
            pages.put_all(db, rows[at : at + 500])
    rate_cpu, rate = size / (time.process_time() - started[0]), size / (time.perf_counter() - started[1])
    single = []
    for i in range(size, size + 300):
        n = note(i)
        c = time.process_time()
        with index.writer() as db:
            pages.put(db, PageRow("w", "p", n.path, "v1", title=n.title, body=n.body, type="Note"))
        single.append((time.process_time() - c) * 1000)
    sql.checkpoint(index.connection)
    times = index.path.stat().st_size / sum(len(n.title) + len(n.body) for n in notes)
    chosen = random.Random(size).sample(notes, min(200, size))
    asked = [(ask(n, k % 4), n.path) for k, n in enumerate(chosen)]

    def ours(text: str) -> list[str]:
        with index.reader() as db:
            return [hit.path for hit in search.pages(db, text, ["p"], 5)]

    measure(ours, asked[:20])
    results = {"ai-memory": measure(ours, asked), "floor": measure(floor(folder / f"{size}.floor", notes), asked)}
    for name, (cpu, wall, first) in results.items():
        kinds = " ".join(f"{statistics.mean(first[k::4]):.2f}" for k in range(4))
        own = f"{rate:,.0f} ({rate_cpu:,.0f}) | {statistics.mean(single):.2f} | {times:.1f}" if name == "ai-memory" else "| |"
        print(f"| {size:,} | {name} | {statistics.mean(cpu):.1f} | {p(cpu, 0.5):.1f} / {p(cpu, 0.95):.1f} | {p(wall, 0.5):.1f} / "
              f"{p(wall, 0.95):.1f} | {statistics.mean(first):.3f} ({kinds}) | {own} |", flush=True)  # fmt: skip
    index.close()


def bench_evidence(folder: Path) -> None:
    rows = []
    for i in range(20_000):
        n = note(i)
        rows.append(EvidenceRow("w", "p", f"s{i // 200}", "codex", f"s{i // 200}.jsonl", i * 700, i * 700 + 699, f"k{i}",
                                "2026-01-01T00:00:00.000Z", "stop", "assistant", n.body[:500]))  # fmt: skip
    index = store.open(folder / "evidence.db")
    c, w = time.process_time(), time.perf_counter()
    for at in range(0, len(rows), 1000):
        with index.writer() as db:
            evidence.put(db, rows[at : at + 1000])
    print(f"\nevidence of 500 characters, batches of 1,000: {len(rows) / (time.perf_counter() - w):,.0f} rows/s "
          f"({len(rows) / (time.process_time() - c):,.0f} a CPU second)")  # fmt: skip
    index.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[1000, 10_000, 100_000])
    sizes = parser.parse_args().sizes
    print("| pages | arm | mean CPU ms | CPU p50 / p95 ms | wall p50 / p95 ms | first (title, id, error, why) | "
          "reindex pages/s (a CPU second) | put CPU ms | size / text |")  # fmt: skip
    print("|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            bench(Path(folder), size)
        bench_evidence(Path(folder))


if __name__ == "__main__":
    main()
