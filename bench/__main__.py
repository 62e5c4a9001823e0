"""Measure what the budgets are about.    python -m bench [--quick] [--only ingest,stores,…] [--write FILE]

Prints one Markdown table; the full run is kept in docs/benchmarks.md. Figures of one run stand beside their baselines.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import ingest, redaction, starts, stores
from bench.table import Row, markdown

_DOC = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under a minute, smaller stores; docs are left alone")
    parser.add_argument("--only", default="", help="parts, with commas: starts, redaction, ingest, stores")
    parser.add_argument("--sizes", default="1000,10000,100000", help="pages in the stores of a full run")
    parser.add_argument("--write", default="", help="where to keep the table (default docs/benchmarks.md after a full run)")
    given = parser.parse_args()
    quick: bool = given.quick
    chosen = set(filter(None, given.only.split(",")))
    sizes = [1_000] if quick else [int(size) for size in given.sizes.split(",")]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        parts: dict[str, Callable[[], list[Row]]] = {
            "starts": lambda: starts.run(folder, quick),
            "redaction": lambda: redaction.run(quick),
            "ingest": lambda: ingest.run(folder, quick),
            "stores": lambda: stores.run(folder, sizes, 3.0 if quick else 10.0),
        }
        for name, part in parts.items():
            if chosen and name not in chosen:
                continue
            began = time.perf_counter()
            found = part()
            rows += found
            print(markdown(found), file=sys.stderr)
            print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    table = markdown(rows)
    print(table)
    target = Path(given.write) if given.write else _DOC if not quick and not chosen else None
    if target is not None:
        target.write_text(_document(table), encoding="utf-8")
    return 0


def _document(table: str) -> str:
    return (
        "# Benchmarks\n\n"
        f"`make bench` (`python -m bench`), {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}. "
        "Load generators run on the same cores. Times are medians; on a busy\n"
        "machine trust the CPU times and the figure beside each, which was taken in the same run.\n\n"
        f"{table}\n"
        "- Single posts and batches: clients keep their connection and have one request in flight; each client is a session of its\n"
        "  own; 202 and 200 mean on disk. The bare app decodes the same JSON, appends in groups and syncs, and does nothing else.\n"
        "- Searchable: the time until `status` says the index has caught up, with the run itself, over the time of the run.\n"
        "- Page writes: CPU of the verb, the writer and the index, one page after the other. Commits follow in groups.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
