"""What is left of a bundle after kill -9, between any two steps."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from wiki_writer import Writer

from ai_memory import git
from ai_memory.wiki import commits, edits, files, history, okf, pending, recovery
from ai_memory.wiki.version import Version

Step = Callable[[str], None]


def scenario(writer: Writer, step: Step, told: Callable[[Version], None]) -> None:
    """A life in short: pages made, changed, deleted, edited by hand, committed; ``told`` what was acknowledged."""

    def batch(*edited: tuple[str, str | None]) -> None:
        for path, body in edited:
            files.stage(writer.bundle, writer.edit(path, body), step=step)
        for version in files.sync(writer.bundle, step=step):
            told(version)
        step("acknowledged")

    batch(("notes/a.md", "a one"), ("notes/b.md", "b one"))
    batch(("notes/a.md", "a two"), ("notes/a.md", "a three"))
    commits.make(writer.bundle, step=step)
    batch(("notes/b.md", None), ("deep/er/c.md", "c one"))
    writer.hand("notes/a.md", b"a by hand")
    batch(("notes/a.md", "a four"))
    writer.hand("deep/er/c.md", b"c by hand")
    files.adopt(writer.bundle, "deep/er/c.md", writer.stamp("human:ana"))
    batch(("notes/b.md", "b again"))
    commits.make(writer.bundle, step=step)
    batch(("notes/a.md", "a five"))


def killed(writer: Writer, at: int, log: Path) -> str:
    """Run the scenario in a child that is killed at its step number ``at``; gives the step's name, "" if none was left."""
    child = os.fork()
    if child == 0:
        left = at

        def step(name: str) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                log.with_suffix(".step").write_text(name, encoding="utf-8")
                os.kill(os.getpid(), signal.SIGKILL)

        def told(version: Version) -> None:
            with log.open("a", encoding="utf-8") as file:
                file.write(version.version + "\n")

        try:
            scenario(writer, step, told)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return log.with_suffix(".step").read_text(encoding="utf-8") if os.WIFSIGNALED(status) else ""


def check(writer: Writer, acknowledged: list[str], at: str) -> None:
    """Every promise holds: nothing acknowledged is lost or doubled, and nothing of ours is taken for a person's."""
    rows = list(history.versions(writer.bundle))
    names = [row.version for row in rows]
    assert len(set(names)) == len(names), at
    assert set(acknowledged) <= set(names), at
    current = {row.path: row for row in rows}
    known = {path: row.blob for path, row in current.items() if not row.deleted}
    found = [change for change in edits.scan(writer.bundle, known).changes]
    for change in found:
        hand = writer.dir / change.path
        assert change.kind != "deleted" and hand.read_bytes().endswith(b"by hand"), (at, change)
    for path, row in current.items():
        if path not in {change.path for change in found}:
            assert (writer.dir / path).exists() != row.deleted, (at, path)


def test_kill_at_every_step_loses_nothing_acknowledged(tmp_path: Path) -> None:
    seen: set[str] = set()
    at = 0
    while True:
        writer, log = Writer(tmp_path / str(at)), tmp_path / f"{at}.log"
        log.touch()
        name = killed(writer, at, log)
        if not name:
            break
        seen.add(name)
        acknowledged = log.read_text(encoding="utf-8").split()
        where = f"step {at}: {name}"
        recovery.mend(writer.bundle)
        check(writer, acknowledged, where)
        again = Writer(writer.root, start=1000)
        again.write("notes/after.md", "after")
        again.commit()
        check(again, acknowledged, where)
        assert list(pending.entries(again.bundle)) == [], where
        assert git.run(again.bundle.repo, "fsck", "--no-dangling").strip() == b"", where
        assert list((again.dir / ".git").rglob("*.lock")) == [], where
        assert list((again.bundle.repo.own / "temp").iterdir()) == [], where
        hand = {"notes/a.md", "deep/er/c.md"}
        assert {p.split(":")[0] for p in okf.check(again.dir)} <= hand, where
        at += 1
    assert seen == {
        "staged",
        "settled",
        "pending durable",
        "draft durable",
        "file shown",
        "file gone",
        "synced",
        "acknowledged",
        "listed",
        "imported",
        "moved",
        "index refreshed",
        "noted",
        "removed",
    }
    assert at > 60


def test_a_crash_before_the_rename_is_not_taken_for_an_edit(writer: Writer) -> None:
    class Stop(Exception):
        pass

    def stop(name: str) -> None:
        if name == "pending durable":
            raise Stop

    one = writer.write("notes/a.md", "one")
    writer.stage("notes/a.md", "two")
    with pytest.raises(Stop):
        files.sync(writer.bundle, step=stop)
    assert git.blob((writer.dir / "notes/a.md").read_bytes()) == one.blob
    restarted = writer.again()
    (shown,) = recovery.mend(restarted.bundle)
    assert files.read(restarted.bundle, "notes/a.md")[1].version == shown.version
    assert edits.scan(restarted.bundle, {"notes/a.md": shown.blob}).changes == ()


def test_an_edit_by_hand_while_the_server_was_down_is_left_for_the_scan(writer: Writer) -> None:
    two = writer.write("notes/a.md", "two")
    writer.hand("notes/a.md", b"by hand")
    restarted = writer.again()
    assert recovery.mend(restarted.bundle) == []
    (change,) = edits.scan(restarted.bundle, {"notes/a.md": two.blob}).changes
    adopted = files.adopt(restarted.bundle, change.path, restarted.stamp())
    assert adopted is not None and adopted.supersedes == two.version


def test_torn_and_staged_leftovers_are_removed_and_the_rest_stands(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    writer.write("notes/b.md", "b")
    folder = pending.folder(writer.bundle)
    whole = sorted(folder.iterdir())[1]
    (folder / f"{8:020d}-01930000-0000-7000-8000-000000000008").write_bytes(whole.read_bytes()[:-1])
    (folder / f"{9:020d}-01930000-0000-7000-8000-000000000009").write_bytes(b"")
    (folder / "junk").write_bytes(b'{"op": 1}\n')
    (folder / f"{10:020d}-01930000-0000-7000-8000-000000000010.staged").write_bytes(whole.read_bytes())
    restarted = writer.again()
    recovery.mend(restarted.bundle)
    assert len(list(folder.iterdir())) == 2
    assert [row.path for row in history.versions(restarted.bundle)] == ["notes/a.md", "notes/b.md"]
    assert restarted.write("notes/a.md", "two").supersedes == one.version


def test_a_half_made_repository_is_made_again(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    (writer.bundle.repo.own / "ready").unlink()
    (writer.dir / ".git/HEAD").write_bytes(b"")
    (writer.dir / ".git/config").write_bytes(b"")
    restarted = writer.again()
    recovery.mend(restarted.bundle)
    restarted.write("notes/a.md", "two")
    restarted.commit()
    assert [row.path for row in history.committed(restarted.bundle)] == ["notes/a.md"] * 2


def test_a_bundle_without_a_repository_needs_nothing(writer: Writer) -> None:
    assert recovery.mend(writer.bundle) == []
    assert writer.commit() == 0
    assert list(history.versions(writer.bundle)) == []


def test_a_lost_note_of_hand_edits_is_told_from_history(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.hand("notes/a.md", b"---\ntitle: x\n---\nby hand")
    adopted = files.adopt(writer.bundle, "notes/a.md", writer.stamp())
    files.sync(writer.bundle)
    writer.commit()
    (writer.bundle.repo.own / "hand.json").unlink()
    assert adopted is not None
    assert files.read(writer.again().bundle, "notes/a.md")[1] == adopted.stamp
