"""The one module that runs git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from ai_memory import git

NONE = "0" * 40


def stream(parent: str, **files: bytes) -> bytes:
    """One commit on our ref that writes ``files``."""
    text = f"commit {git.TIP}\nauthor a <> 1700000000 +0000\ncommitter a <> 1700000000 +0000\ndata 2\nm\n".encode()
    text += f"from {parent}\n".encode() if parent else b""
    for name, data in files.items():
        text += b"M 100644 inline %s.md\ndata %d\n%s\n" % (name.encode(), len(data), data)
    return b"feature done\n" + text + b"\ndone\n"


@pytest.fixture
def repo(tmp_path: Path) -> git.Repo:
    made = git.Repo(tmp_path / "r")
    made.tree.mkdir()
    git.init(made)
    return made


def test_a_blob_id_is_the_one_git_gives(repo: git.Repo) -> None:
    for data in (b"", b"x", b"caf\xc3\xa9\n" * 1000):
        assert git.blob(data) == git.run(repo, "hash-object", "--stdin", feed=data).decode().strip()


def test_init_is_idempotent_and_leaves_no_hooks(repo: git.Repo) -> None:
    git.init(repo)
    (repo.own / "ready").unlink()
    git.init(repo)
    assert git.ready(repo)
    assert git.branch(repo) == "refs/heads/main"
    assert not (repo.dir / "hooks").exists()
    assert "project.json" in (repo.dir / "info/exclude").read_text(encoding="utf-8")


def test_init_keeps_what_a_person_excludes(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    (tmp_path / ".git/info/exclude").write_text("# mine\n*.bak", encoding="utf-8")
    git.init(git.Repo(tmp_path))
    assert (tmp_path / ".git/info/exclude").read_text(encoding="utf-8") == "# mine\n*.bak\n/project.json\n.*.tmp\n"


def test_init_refuses_a_worktree(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere\n", encoding="utf-8")
    with pytest.raises(git.Failed, match="of its own"):
        git.init(git.Repo(tmp_path))


def test_commits_are_loaded_and_read_back(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one", b=b"two"))
    second = git.load(repo, stream(first, a=b"three"))
    assert git.ref(repo, git.TIP) == second
    tree = git.tree(repo, second)
    assert tree == {"a.md": git.blob(b"three"), "b.md": git.blob(b"two")}
    assert dict(git.blobs(repo, tree.values())) == {tree["a.md"]: b"three", tree["b.md"]: b"two"}
    assert git.ancestor(repo, first, second) and git.ancestor(repo, first, first)
    assert not git.ancestor(repo, second, first)
    assert git.tree(repo, "") == {}


def test_a_stream_that_ends_early_changes_nothing(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one"))
    whole = stream(first, a=b"two")
    for cut in (len(whole) - 5, len(whole) // 2, 20):
        with pytest.raises(git.Failed, match="fast-import"):
            git.load(repo, whole[:cut])
        assert git.ref(repo, git.TIP) == first
    git.mend(repo)
    assert git.load(repo, whole) != first


def test_a_commit_that_does_not_follow_ours_is_refused(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one"))
    git.load(repo, stream(first, a=b"two"))
    with pytest.raises(git.Failed):
        git.load(repo, stream(first, a=b"three"))


def test_a_ref_moves_only_from_what_was_seen(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one"))
    second = git.load(repo, stream(first, a=b"two"))
    name = "refs/heads/some/branch"
    assert git.move(repo, name, "", first)
    assert not git.move(repo, name, "", second)
    assert git.ref(repo, name) == first
    assert git.move(repo, name, first, second)
    git.run(repo, "pack-refs", "--all")
    assert git.ref(repo, name) == second == git.ref(repo, git.TIP)
    assert git.move(repo, name, second, first)
    assert git.run(repo, "rev-parse", name).decode().strip() == first
    assert git.ref(repo, "refs/heads/none") == ""
    (repo.dir / "refs/heads/some/branch.lock").touch()
    assert not git.move(repo, name, first, second)
    assert (repo.dir / "refs/heads/some/branch.lock").exists()


def test_restage_changes_only_the_entries_named(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one", b=b"two"))
    git.move(repo, git.branch(repo), "", first)
    assert git.restage(repo, {})
    blob = git.run(repo, "hash-object", "-w", "--stdin", feed=b"theirs").decode().strip()
    git.run(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},theirs.md")
    assert git.restage(repo, {"a.md": "", "ünï.md": git.blob(b"two")})
    listed = git.run(repo, "ls-files", "-z").decode().split("\0")
    assert listed == ["b.md", "theirs.md", "ünï.md", ""]
    (repo.dir / "index").write_bytes(b"garbage")
    assert git.restage(repo, {})
    assert git.run(repo, "ls-files", "-z") == b"a.md\0b.md\0"
    (repo.dir / "index.lock").touch()
    assert not git.restage(repo, {})


def test_a_missing_object_and_a_bad_command_are_failures(repo: git.Repo) -> None:
    with pytest.raises(git.Failed, match="no object"):
        list(git.blobs(repo, ["1" * 40]))
    with pytest.raises(git.Failed, match="ended with"):
        git.run(repo, "frobnicate")


def test_many_objects_come_through_one_process_without_blocking(repo: git.Repo) -> None:
    data = {f"p{number}": hashlib.sha256(b"%d" % number).hexdigest().encode() * 50 for number in range(1200)}
    tree = git.tree(repo, git.load(repo, stream("", **data)))
    got = {name: len(text) for name, text in git.blobs(repo, tree.values())}
    assert len(got) == 1200 and set(got.values()) == {3_200}
    stopped = git.blobs(repo, tree.values())
    next(stopped)
    stopped.close()


def test_links_in_a_tree_are_left_out(repo: git.Repo) -> None:
    text = stream("", a=b"one").replace(b"\ndone\n", b"M 120000 inline l.md\ndata 4\na.md\n\ndone\n")
    assert sorted(git.tree(repo, git.load(repo, text))) == ["a.md"]


def test_the_child_gets_nothing_of_our_environment(repo: git.Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("SECRET", "x")
    shown = git.run(repo, "-c", "alias.show-env=!env", "show-env").decode()
    assert "SECRET" not in shown and "/nowhere" not in shown and "LC_ALL=C" in shown
    assert "GIT_CONFIG_GLOBAL=/dev/null" in shown


def test_a_machine_without_git_is_told_so(repo: git.Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    git._program.cache_clear()
    try:
        with pytest.raises(git.Failed, match="not installed"):
            git.run(repo, "version")
    finally:
        git._program.cache_clear()


def test_a_person_sees_a_plain_repository(repo: git.Repo) -> None:
    first = git.load(repo, stream("", a=b"one"))
    git.move(repo, git.branch(repo), "", first)
    git.restage(repo, {"a.md": git.blob(b"one")})
    (repo.tree / "a.md").write_bytes(b"one")
    done = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repo.tree, capture_output=True, check=True, timeout=60
    )
    assert done.stdout == b""
