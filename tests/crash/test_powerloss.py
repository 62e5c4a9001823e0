"""Power cuts: the writes and syncs of a busy run, replayed up to many instants onto a disk that forgets what was not synced."""

from __future__ import annotations

import logging
import os
import random
import shutil
import time
from collections import Counter
from pathlib import Path

import crash_checks as checks
import pytest
import strace_log
from crash_load import Acks, Load
from crash_server import Server
from disk_model import VARIANTS, Disk

from ai_memory import config
from ai_memory.memory import opening

_SECONDS = int(os.environ.get("SECONDS_BUSY", "60"))
_PREFIXES = int(os.environ.get("PREFIXES", "200"))


class Faults(logging.Handler):
    """What was logged as an error while a state was opened."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(logging.Formatter().format(record))


@pytest.mark.skipif(not strace_log.usable(), reason="strace is not installed, or may not trace here")
@pytest.mark.parametrize(
    ("seconds", "prefixes"), [(2, 16), pytest.param(_SECONDS, _PREFIXES, marks=pytest.mark.slow)]
)
def test_each_power_cut_of_a_busy_run_keeps_what_was_acknowledged(tmp_path: Path, seconds: int, prefixes: int) -> None:
    log = tmp_path / "trace"
    acks, root = _record(tmp_path, log, seconds)
    trace = strace_log.read(log, root)
    log.unlink()
    assert trace.steps and len(acks.keys) > 20 and acks.pages and not acks.refused, acks.refused[:3]
    assert set(acks.events) | set(acks.pages) <= set(trace.replies)
    dice = random.Random(seconds)
    instants = _instants(trace, prefixes, dice)
    disk, done, failures = Disk(root), 0, []
    counts: Counter[str] = Counter()
    for number, (at, variant) in enumerate(instants):
        while done < len(trace.steps) and trace.steps[done].at <= at:
            disk.apply(trace.steps[done])
            done += 1
        place = tmp_path / f"state-{number}-{variant}"
        disk.build(place, variant, dice)
        wrong = _opened(place, _promised(acks, trace, at), number % 8 == 0)
        counts[variant] += 1
        if wrong:  # built again as the cut left it, for whoever looks into it
            failures.append(f"line {at}, {variant}, kept in {place}: " + "\n".join(wrong[:20]))
            print(failures[-1])
            disk.build(place.with_name(f"{place.name}-cut"), variant, dice)
        else:
            shutil.rmtree(place)
    for step in trace.steps[done:]:
        disk.apply(step)
    assert disk.differs(root) == []
    print(
        f"\nbusy {seconds} s: {len(trace.steps)} writes, names and syncs; events acknowledged {len(acks.keys)}, "
        f"pages {len(acks.pages)}; power cuts {len(instants)} ({', '.join(f'{v} {n}' for v, n in counts.items())}), "
        f"failures {len(failures)}"
    )
    assert not failures, "\n".join(failures[:5])


def _record(place: Path, log: Path, seconds: int) -> tuple[Acks, Path]:
    tracer = ("strace", "-f", "-y", "-xx", "-s", "4194304", "--seccomp-bpf", "-e", f"trace={strace_log.CALLS}", "-o", str(log))
    server = Server(place, tracer)
    try:
        server.start(60)
        load = Load(server.port, count=8, pause=0.02)
        load.start()
        time.sleep(seconds)
        acks = load.stop()
        server.stop()
    finally:
        server.close()
    return acks, server.data


def _instants(trace: strace_log.Trace, count: int, dice: random.Random) -> list[tuple[int, str]]:
    """Half at acknowledgements, where least is forgiven; half anywhere. Both spread over the run."""
    replies, steps = sorted(set(trace.replies.values())), [step.at for step in trace.steps]
    chosen = [(at, "strict" if n % 2 else dice.choice(VARIANTS)) for n, at in enumerate(_spread(replies, count // 2))]
    chosen += [(at, VARIANTS[n % len(VARIANTS)]) for n, at in enumerate(_spread(steps, count - len(chosen)))]
    return sorted(chosen)


def _spread(places: list[int], count: int) -> list[int]:
    return [places[n * (len(places) - 1) // max(count - 1, 1)] for n in range(count)]


def _promised(acks: Acks, trace: strace_log.Trace, at: int) -> Acks:
    there = {number for number, line in trace.replies.items() if line <= at}
    return Acks(
        {number: keys for number, keys in acks.events.items() if number in there},
        {number: page for number, page in acks.pages.items() if number in there},
    )


def _opened(place: Path, promised: Acks, thorough: bool) -> list[str]:
    """Open a state with the product, as a start after the cut would; what is wrong."""
    faults = Faults()
    logging.getLogger("ai_memory").addHandler(faults)
    try:
        lock = opening.Lock(place, "")
        try:
            core = opening.open_core(config.Config(place, {"embedding.provider": "none"}))
            try:
                opening.settle(core)
                settled = core.shadow.settle(10)
                names = checks.names(core)
            finally:
                opening.close(core)
        finally:
            lock.close()
        wrong = checks.evidence(place, promised.keys) + checks.ledger(place)
        wrong += checks.pages(place, names, list(promised.pages.values()))
        wrong += checks.marks(place, list(promised.pages.values()))
        wrong += checks.repositories(place) if thorough else []
        return wrong + faults.said + ([] if settled else ["it never caught up"])
    except Exception as error:
        return [f"{type(error).__name__}: {error}", *faults.said]
    finally:
        logging.getLogger("ai_memory").removeHandler(faults)
