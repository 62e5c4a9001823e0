"""``python -m tests.acceptance.run [--keep] [WORD…]``: the checks with the real agents, or those whose name has a WORD.

Prints one line a check, the failures in detail, and at the end one line an agent, ``NAME: N passed, N failed, N
skipped``. Exits 1 if anything failed.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.acceptance import (  # noqa: F401
    checks_capture,
    checks_handoff,
    checks_install,
    checks_mcp,
    checks_outage,
    checks_privacy,
)
from tests.acceptance.agents import VERSIONS
from tests.acceptance.stage import CHECKS, Check, Skip, Stage, programs


def run_one(check: Check, have: dict[str, Path], missing: dict[str, str], keep: bool) -> tuple[str, str]:
    """The outcome (passed, failed, skipped) and what to say about it."""
    if check.agent in missing:
        return "skipped", missing[check.agent]
    try:
        with Stage(have, check.files, keep) as stage:
            check.run(stage)
    except Skip as reason:
        return "skipped", str(reason)
    except AssertionError as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "checks_" in f.filename] or [where]
        return "failed", f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: {error or frames[-1].line}"
    except Exception:
        return "failed", traceback.format_exc(limit=-4)
    return "passed", ""


def main(arguments: list[str]) -> int:
    """Run the chosen checks; the exit code."""
    keep, words = "--keep" in arguments, [a for a in arguments if not a.startswith("--")]
    chosen = [c for c in CHECKS if not words or any(w in f"{c.agent} {c.name}" for w in words)]
    have, missing = programs()
    tally: dict[str, Counter[str]] = {agent: Counter() for agent in VERSIONS}
    started = time.monotonic()
    for check in chosen:
        begun = time.monotonic()
        outcome, told = run_one(check, have, missing, keep)
        tally[check.agent][outcome] += 1
        print(f"  {outcome:7} {check.agent}: {check.name} ({time.monotonic() - begun:.1f} s)", flush=True)
        if told:
            print("          " + told.strip().replace("\n", "\n          "), flush=True)
    print(f"{len(chosen)} checks in {time.monotonic() - started:.0f} s")
    for agent, count in tally.items():
        print(f"{agent}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if any(count["failed"] for count in tally.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
