"""kill -9 of the server, of its git child, and of both, while clients write: what was acknowledged is there, once."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import crash_checks as checks
import pytest
from crash_load import Load
from crash_server import Server, descendants

from ai_memory import config
from ai_memory.index import store as indexes
from ai_memory.memory import opening

_FEW = 8
_KINDS = ("server", "git", "both", "server", "git", "server")
_MANY = int(os.environ.get("KILLS", "200"))


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds git children through /proc")
@pytest.mark.parametrize("kills", [_FEW, pytest.param(_MANY, marks=pytest.mark.slow)])
def test_what_was_acknowledged_survives_kills_of_server_and_git(tmp_path: Path, kills: int) -> None:
    server = Server(tmp_path)
    try:
        _run(server, kills)
    finally:
        server.close()


def _run(server: Server, kills: int) -> None:
    dice = random.Random(kills)
    started = [server.start()]
    load = Load(server.port)
    load.start()
    done: Counter[str] = Counter()
    while done.total() < kills:
        time.sleep(dice.uniform(0.1, 0.8))
        done[_kill(server, _KINDS[done.total() % len(_KINDS)], started)] += 1
    time.sleep(0.3)
    acks = load.stop()
    _settled(server)
    assert server.stop() == 0
    left = descendants(str(server.data))
    followed = checks.dumped(server.data)
    indexes.delete(server.data / "index.db")
    server.command("reindex")
    keys, pages = acks.keys, list(acks.pages.values())
    wrong = {
        "refused": acks.refused,
        "orphans": left,
        "evidence": checks.evidence(server.data, keys),
        "ledger": checks.ledger(server.data),
        "pages": checks.pages(server.data, _names(server), pages),
        "marks": checks.marks(server.data, pages),
        "repositories": checks.repositories(server.data),
        "index": sorted(set(followed) ^ set(checks.dumped(server.data))),
    }
    print(
        f"\nkills {done.total()} ({', '.join(f'{what} {n}' for what, n in sorted(done.items()))}); "
        f"events acknowledged {len(keys)} (replayed {acks.replayed}), lost {_count(wrong['evidence'], 'lost')}, "
        f"doubled {_count(wrong['evidence'], 'times')}; page versions acknowledged {len(pages)}, "
        f"lost {_count(wrong['pages'], 'lost')}; requests sent again {acks.retries}; "
        f"start s median {sorted(started)[len(started) // 2]:.2f} most {max(started):.2f}"
    )
    assert not any(wrong.values()), {name: (len(found), found[:5]) for name, found in wrong.items() if found}
    assert followed == checks.dumped(server.data)
    assert len(keys) > 10 * kills and len(pages) > kills


def _kill(server: Server, what: str, started: list[float]) -> str:
    if what != "server" and not server.kill_git(0.8):
        what = "server"
    if what == "git":
        return what
    server.kill()
    started.append(server.start())
    return what


def _settled(server: Server) -> None:
    """Wait until index, git and chores have nothing left to do."""
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    until = time.monotonic() + 90
    try:
        while time.monotonic() < until:
            wire.request("GET", "/api/v1/status")
            said = json.loads(wire.getresponse().read())
            if said["index"]["caught_up"] and not any(said["queues"].values()):
                return
            time.sleep(0.1)
    finally:
        wire.close()
    raise AssertionError(f"the index never caught up: {said}")


def _names(server: Server) -> dict[str, str]:
    settings = config.Config(server.data)
    lock = opening.Lock(server.data, "")
    try:
        core = opening.open_core(settings)
        try:
            return checks.names(core)
        finally:
            opening.close(core)
    finally:
        lock.close()


def _count(wrong: list[str], word: str) -> int:
    return sum(word in text for text in wrong)
