"""Repositories that a power cut or a failing disk damaged: each opens, takes what is pending, and is sound."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wiki_writer import Writer

from ai_memory import git
from ai_memory.wiki import commits, files, history, known, recovery
from ai_memory.wiki.bundle import Bundle

Damage = Callable[[Path], None]
_NOWHERE = b"1" * 40 + b"\n"


def _fill(data: bytes, *names: str) -> Damage:
    def damage(folder: Path) -> None:
        for name in names:
            (folder / name).write_bytes(data)

    return damage


def _torn_index(folder: Path) -> None:
    os.truncate(folder / "index", (folder / "index").stat().st_size - 25)


def _packs(folder: Path, suffix: str) -> list[Path]:
    return sorted((folder / "objects/pack").glob(f"*{suffix}"), key=lambda path: path.stat().st_mtime_ns)


def _no_idx(folder: Path) -> None:
    for path in _packs(folder, ".idx"):
        path.unlink()


def _torn_idx(folder: Path) -> None:
    for path in _packs(folder, ".idx"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:100])


def _no_pack(folder: Path) -> None:
    _packs(folder, ".pack")[-1].unlink()


def _torn_pack(folder: Path) -> None:
    path = _packs(folder, ".pack")[-1]
    path.chmod(0o600)
    os.truncate(path, path.stat().st_size // 2)


def _keep_of_next(folder: Path) -> None:
    """What a cut leaves of a fast-import that had only begun to name the pack that it makes again now."""
    trial = folder.parent.with_name("trial")
    subprocess.run(["cp", "-a", folder.parent, trial], check=True)
    bundle = Bundle(trial.parents[1], trial.parent.name, trial.name)
    before = {path.name for path in _packs(trial / ".git", ".pack")}
    recovery.mend(bundle)
    commits.make(bundle)
    (made,) = {path.name for path in _packs(trial / ".git", ".pack")} - before
    (folder / "objects/pack" / made).with_suffix(".keep").touch()
    subprocess.run(["rm", "-r", trial], check=True)


def _torn_loose(folder: Path) -> None:
    """A person's commit, of which the newest objects did not reach the disk."""
    (folder.parent / "own.txt").write_text("mine", encoding="utf-8")
    for args in (["add", "own.txt"], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "mine"]):
        subprocess.run(["git", "-C", folder.parent, *args], check=True)
    for path in (folder / "objects").glob("??/*"):
        path.chmod(0o600)
        os.truncate(path, path.stat().st_size // 2)


DAMAGES: dict[str, Damage] = {
    "an empty HEAD": _fill(b"", "HEAD"),
    "an empty config": _fill(b"", "config"),
    "a torn config": _fill(b"[core\n\trepos", "config"),
    "no config": lambda folder: (folder / "config").unlink(),
    "an empty branch": _fill(b"", "refs/heads/main"),
    "an empty ref of ours": _fill(b"", git.TIP),
    "both refs empty": _fill(b"", git.TIP, "refs/heads/main"),
    "our ref at nothing": _fill(_NOWHERE, git.TIP),
    "both refs at nothing": _fill(_NOWHERE, git.TIP, "refs/heads/main"),
    "an empty index": _fill(b"", "index"),
    "a torn index": _torn_index,
    "packs without idx": _no_idx,
    "torn idx files": _torn_idx,
    "no newest pack": _no_pack,
    "a torn newest pack": _torn_pack,
    "a keep file of the next pack": _keep_of_next,
    "torn loose objects": _torn_loose,
    "torn packed-refs": _fill(b"# pack-refs with: peeled\n1234", "packed-refs"),
}
LOSING = {"no newest pack", "a torn newest pack"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_repository_opens_takes_what_is_pending_and_is_sound(writer: Writer, damage: str) -> None:
    wrote = _life(writer)
    DAMAGES[damage](writer.bundle.repo.dir)
    bundle = Bundle(writer.bundle.root, writer.bundle.workspace, writer.bundle.project)
    recovery.mend(bundle)
    with bundle.memo.lock:
        known.load(bundle)
    commits.make(bundle)
    found = [version.version for version in history.versions(bundle)]
    assert found == (wrote if damage not in LOSING else [version for version in wrote if version in found])
    assert set(found) >= {wrote[0], wrote[1], wrote[-1]}
    assert not list((bundle.repo.own / "pending").iterdir())
    later = Writer(bundle.root)
    later.bundle = bundle
    assert files.stage(bundle, later.edit("notes/after.md", "after")) is not None
    files.sync(bundle)
    assert commits.make(bundle) == 1
    assert git.ref(bundle.repo, git.TIP) == git.ref(bundle.repo, "refs/heads/main")
    done = subprocess.run(
        ["git", "-C", bundle.dir, "fsck", "--full", "--strict", "--no-dangling"], capture_output=True, check=False
    )
    assert done.returncode == 0 and b"error" not in done.stderr and b"missing" not in done.stdout, done


@pytest.mark.parametrize(
    "left",
    [{"HEAD": b""}, {"HEAD": b"ref: re"}, {"config": b""}, {"config": b"[co"}, {"HEAD": b"ref: refs/heads/main\n"}],
    ids=str,
)
def test_a_repository_that_was_half_made_is_made(writer: Writer, left: dict[str, bytes]) -> None:
    folder = writer.bundle.dir / ".git"
    for inner in ("objects", "refs/heads"):
        (folder / inner).mkdir(parents=True)
    for name, data in left.items():
        (folder / name).write_bytes(data)
    files.stage(writer.bundle, writer.edit("notes/a.md", "one"))
    files.sync(writer.bundle)
    assert commits.make(writer.bundle) == 1
    assert git.branch(writer.bundle.repo) == "refs/heads/main"
    subprocess.run(["git", "-C", writer.bundle.dir, "fsck", "--full", "--strict"], check=True, capture_output=True)


def test_git_that_does_not_run_costs_no_history(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote = _life(writer)
    bundle = Bundle(writer.bundle.root, writer.bundle.workspace, writer.bundle.project)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        git._program.cache_clear()
        with pytest.raises(git.Failed, match="not installed"), bundle.memo.lock:
            known.load(bundle)
    git._program.cache_clear()
    commits.make(bundle)
    assert [version.version for version in history.versions(bundle)] == wrote
    assert not (bundle.repo.own / "damaged").exists()


def _life(writer: Writer) -> list[str]:
    """Two commits' worth of versions in git, and one that is pending; all in order."""
    made: list[str] = []
    for turn, commit in enumerate((True, True, False)):
        for path in ("notes/a.md", "notes/b.md")[: 1 if not commit else 2]:
            files.stage(writer.bundle, writer.edit(path, f"{path} {turn}\n" * 40))
        made += [version.version for version in files.sync(writer.bundle)]
        if commit:
            commits.make(writer.bundle)
    return made
