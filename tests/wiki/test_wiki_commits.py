"""Pending versions into git."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from wiki_writer import Writer

from ai_memory import git
from ai_memory.wiki import catalogue, commits, edits, files, history, okf, pending, recovery

ODD = [
    "notes/quo'te $HOME `x` & “no”.md",
    "notes/ünï cödé.md",
    "заметки/план.md",
    "決定/日本 語.md",
    "notes/100% (sure) [x] {y} ~z^!;,=+@.md",
    "notes/-rf.md",
    "a/b/c/d/e/f/g.md",
]


def clean(writer: Writer) -> bool:
    return writer.git("status", "--porcelain") == ""


def test_one_commit_a_version_in_order_by_its_author(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one", manual=True)
    two = writer.write("notes/a.md", "two")
    gone = writer.write("notes/a.md", None)
    assert writer.commit() == 3
    log = writer.git("log", "--reverse", "--format=%s|%an|%aI|%(trailers:key=Version,valueonly,separator=%x2C)")
    assert log.splitlines() == [
        f"write notes/a.md|human:ana|{one.at[:19]}+00:00|{one.version}",
        f"write notes/a.md|process:test/1|{two.at[:19]}+00:00|{two.version}",
        f"delete notes/a.md|process:test/1|{gone.at[:19]}+00:00|{gone.version}",
    ]
    assert f"Supersedes: {one.version}" in writer.git("log", "-1", "--format=%B", "HEAD~1")
    assert list(pending.entries(writer.bundle)) == []
    assert writer.commit() == 0


def test_the_folder_is_clean_to_a_person_and_sound(writer: Writer) -> None:
    for path in ODD:
        writer.write(path, f"# {path}\n")
    writer.commit()
    assert clean(writer)
    writer.write(ODD[0], "more")
    writer.write(ODD[1], None)
    writer.commit()
    assert clean(writer)
    assert writer.git("fsck", "--strict", "--no-dangling").strip() == ""
    tree = git.tree(writer.bundle.repo, git.ref(writer.bundle.repo, "refs/heads/main"))
    assert sorted(tree) == sorted([*ODD[:1], *ODD[2:], "index.md"])
    assert okf.check(writer.dir) == []


def test_the_whole_chain_comes_back_from_git_alone(writer: Writer) -> None:
    made = [writer.write(path, f"# {turn}\n") for turn in range(3) for path in ODD]
    made.append(writer.write(ODD[2], None, manual=True))
    writer.hand(ODD[3], b"by hand")
    adopted = files.adopt(writer.bundle, ODD[3], writer.stamp("human:ana"))
    assert adopted is not None
    made.extend(files.sync(writer.bundle))
    before = list(history.filled(writer.bundle, history.versions(writer.bundle)))
    writer.commit()
    after = list(history.filled(writer.bundle, history.versions(writer.again().bundle)))
    assert before == made == after
    assert [version.data for version in after] == [version.data for version in made]
    clone = Writer(writer.root / "copy")
    shutil.rmtree(clone.dir)
    writer.git("clone", "-q", str(writer.dir), str(clone.dir))
    clone.stage("notes/new.md", "x")
    assert list(history.committed(clone.bundle)) == made
    assert files.read(clone.bundle, ODD[3])[1] == adopted.stamp


def test_many_versions_are_committed_in_batches(writer: Writer) -> None:
    for number in range(commits.BATCH + 20):
        writer.stage(f"notes/{number % 40}.md", f"text {number}")
    files.sync(writer.bundle)
    imports: list[str] = []
    assert commits.make(writer.bundle, step=imports.append) == commits.BATCH + 20
    assert imports.count("imported") == 2
    assert clean(writer)


def test_index_md_lists_every_page_by_type_and_title(writer: Writer) -> None:
    writer.write("notes/b.md", "# Zed [x]\n", meta={"description": "about\n zed"})
    writer.write("notes/a b.md", "# alpha\n")
    writer.write("decisions/d.md", "# D\n")
    writer.commit()
    expected = (
        '---\nokf_version: "0.2"\n---\n\n# decision\n\n* [D](/decisions/d.md)\n\n# note\n\n'
        "* [alpha](/notes/a%20b.md)\n* [Zed \\[x\\]](/notes/b.md) - about zed\n"
    )
    assert (writer.dir / "index.md").read_text(encoding="utf-8") == expected
    restarted = writer.again()
    restarted.write("decisions/d.md", None)
    restarted.commit()
    assert "decision" not in (writer.dir / "index.md").read_text(encoding="utf-8")
    assert writer.git("show", "HEAD:index.md") == (writer.dir / "index.md").read_text(encoding="utf-8")


def test_index_md_is_rebuilt_when_git_holds_another(writer: Writer) -> None:
    for path in ODD:
        writer.write(path, "# T\n")
    writer.commit()
    whole = (writer.dir / "index.md").read_bytes()
    assert set(catalogue.parse(whole) or ()) == set(ODD)
    assert catalogue.parse(whole + b"more\n") is None
    writer.bundle.memo.entries = None
    writer.write("notes/x.md", "# X\n")
    writer.commit()
    assert set(catalogue.parse((writer.dir / "index.md").read_bytes()) or ()) == {*ODD, "notes/x.md"}


def test_an_index_md_that_a_person_wrote_is_kept_in_history(writer: Writer) -> None:
    writer.hand("index.md", b"# My own index\n")
    writer.write("notes/a.md", "one")
    writer.commit()
    assert writer.git("show", "HEAD~1:index.md") == "# My own index\n"
    assert b"okf_version" in (writer.dir / "index.md").read_bytes()
    assert clean(writer)


def test_a_persons_own_commits_are_joined_and_their_edits_taken_up(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    writer.write("notes/b.md", "b")
    writer.commit()
    writer.hand("notes/a.md", b"by hand")
    writer.hand("picture.png", b"\x89PNG")
    writer.git("add", "-A")
    writer.git("commit", "-qm", "mine")
    writer.write("notes/b.md", "b two")
    writer.commit()
    assert "picture.png" in writer.git("ls-tree", "-r", "--name-only", "HEAD")
    assert "mine" in writer.git("log", "--format=%s")
    restarted = writer.again()
    known = {"notes/a.md": one.blob}
    change = next(c for c in edits.scan(restarted.bundle, known).changes if c.path == "notes/a.md")
    assert change.kind == "edited"
    adopted = files.adopt(restarted.bundle, "notes/a.md", restarted.stamp("human:ana"))
    files.sync(restarted.bundle)
    assert adopted is not None and adopted.supersedes == one.version
    restarted.commit()
    assert clean(restarted)
    assert (writer.dir / "picture.png").exists()


def test_a_branch_that_a_person_set_back_moves_on_and_loses_no_version(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.commit()
    writer.write("notes/a.md", "two")
    writer.commit()
    writer.git("reset", "-q", "--hard", "HEAD~1")
    writer.git("commit", "-q", "--allow-empty", "-m", "mine")
    two = writer.write("notes/a.md", "three")
    writer.commit()
    assert two.displaced is not None
    assert len(list(history.versions(writer.again().bundle))) == 4
    assert "mine" in writer.git("log", "--format=%s")
    assert clean(writer)


def test_a_detached_head_and_another_branch_are_followed(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.commit()
    writer.git("checkout", "-q", "-b", "side/branch")
    writer.write("notes/a.md", "two")
    writer.commit()
    assert clean(writer)
    writer.git("checkout", "-q", "--detach")
    writer.write("notes/a.md", "three")
    writer.commit()
    assert clean(writer)
    assert len(list(history.committed(writer.bundle))) == 3


def test_a_repository_that_was_there_before_is_taken_over(writer: Writer) -> None:
    writer.git("init", "-q", "-b", "trunk")
    writer.hand("notes/old.md", b"# Old\n")
    writer.git("add", "-A")
    writer.git("commit", "-qm", "before")
    writer.write("notes/new.md", "# New\n")
    writer.commit()
    restarted = writer.again()
    old = files.adopt(restarted.bundle, "notes/old.md", restarted.stamp())
    files.sync(restarted.bundle)
    assert old is not None and old.manual and old.supersedes == ""
    restarted.commit()
    assert clean(restarted)
    assert writer.git("log", "--format=%s").splitlines()[-1] == "before"


def test_a_person_who_holds_the_index_or_branch_lock_only_delays_what_they_see(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.commit()
    for name in ("index.lock", "refs/heads/main.lock"):
        (writer.dir / ".git" / name).write_bytes(b"")
    writer.write("notes/a.md", "two")
    writer.commit()
    recovery.mend(writer.bundle)
    for name in ("index.lock", "refs/heads/main.lock"):
        assert (writer.dir / ".git" / name).exists()
        (writer.dir / ".git" / name).unlink()
    writer.write("notes/b.md", "b")
    writer.commit()
    assert clean(writer)
    assert len(list(history.committed(writer.bundle))) == 3


def test_locks_that_we_left_are_removed(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.commit()
    own, dot = writer.dir / ".git/ai-memory", writer.dir / ".git"
    (own / "index").write_bytes(b"x")
    os.link(own / "index", dot / "index.lock")
    (own / "ref").write_bytes(b"x")
    os.link(own / "ref", dot / "refs/heads/main.lock")
    (dot / "refs/ai-memory/head.lock").write_bytes(b"")
    (dot / "objects/pack/tmp_pack_abc").write_bytes(b"")
    restarted = writer.again()
    recovery.mend(restarted.bundle)
    restarted.write("notes/a.md", "two")
    restarted.commit()
    assert clean(restarted)
    assert list(dot.rglob("*.lock")) == []
    assert list(dot.rglob("tmp_*")) == []


def test_a_git_child_killed_half_way_loses_nothing(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        writer.write(f"notes/{number}.md", f"text {number}")
    fake = tmp_path / "git"
    real, _ = git._program()
    for delay in ("00", "02", "04", "08", "16"):
        fake.write_text(
            "#!/bin/sh\n"
            'case "$*" in *fast-import*)\n'
            f'  exec 3<&0; "{real}" "$@" <&3 & child=$!; sleep 0.0{delay}; kill -9 $child; wait $child; exit 137;;\n'
            f'esac\nexec "{real}" "$@"\n',
            encoding="utf-8",
        )
        fake.chmod(0o700)
        with monkeypatch.context() as patch:
            patch.setattr(git, "_program", lambda: (str(fake), {"PATH": os.defpath, "LC_ALL": "C"}))
            with contextlib.suppress(git.Failed):  # a late kill finds the work done
                commits.make(writer.bundle)
    writer.commit()
    assert len(list(history.committed(writer.bundle))) == 20
    assert list(pending.entries(writer.bundle)) == []
    assert clean(writer)
    assert writer.git("fsck", "--strict", "--no-dangling").strip() == ""


def test_nothing_of_the_callers_git_world_reaches_ours(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-commit", "pre-commit", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-{name}\nexit 1\n", encoding="utf-8")
        (hooks / name).chmod(0o700)
    for name, value in {
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_WORK_TREE": "/",
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_AUTHOR_NAME": "Mallory",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(hooks),
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    writer.write("notes/a.md", "one")
    git.run(writer.bundle.repo, "config", "core.hooksPath", str(hooks))
    writer.commit()
    monkeypatch.undo()
    assert [name for name in os.listdir(tmp_path) if name.startswith("ran-")] == []
    assert not (tmp_path / "elsewhere").exists()
    assert "Mallory" not in writer.git("log", "--format=%an %cn")


def test_small_packs_are_joined_and_history_stays(writer: Writer) -> None:
    for number in range(45):
        writer.write("notes/a.md", f"text {number}")
        writer.commit()
    packs = [name for name in os.listdir(writer.dir / ".git/objects/pack") if name.endswith(".pack")]
    assert len(packs) < 20
    assert len(list(history.filled(writer.bundle, history.committed(writer.bundle)))) == 45
    assert writer.git("fsck", "--no-dangling").strip() == ""


def test_an_orphaned_git_child_is_waited_for(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    lock = writer.bundle.repo.own / "lock"
    holder = subprocess.Popen(["flock", str(lock), "sleep", "0.5"])
    deadline = time.monotonic() + 10
    while subprocess.run(["flock", "-n", str(lock), "true"]).returncode == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    recovery.mend(writer.bundle)
    assert holder.wait(timeout=10) == 0
    writer.commit()


def test_commits_on_a_thread_of_their_own_never_disturb_the_writer(writer: Writer) -> None:
    over = threading.Event()
    failed: list[BaseException] = []

    def loop() -> None:
        try:
            while not over.is_set():
                commits.make(writer.bundle)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=loop)
    thread.start()
    made = []
    try:
        for number in range(150):
            path = f"notes/{number % 7}.md"
            made.append(writer.write(path, None if number % 14 == 10 else f"text {number}"))
            files.read(writer.bundle, "notes/0.md")
            if number % 25 == 0:
                assert list(history.versions(writer.bundle)) == made
    finally:
        over.set()
        thread.join(timeout=60)
    assert failed == []
    writer.commit()
    assert list(history.committed(writer.bundle)) == made
    assert clean(writer)
    current = {row.path: row.blob for row in made}
    assert edits.scan(writer.bundle, {path: blob for path, blob in current.items() if blob}).changes == ()


def test_the_pending_file_says_what_it_is(writer: Writer) -> None:
    version = writer.write("notes/a.md", "one")
    (path,) = (writer.bundle.repo.own / "pending").iterdir()
    header, _, data = path.read_bytes().partition(b"\n")
    assert path.name.endswith(f"-{version.version}") and len(path.name.partition("-")[0]) == 20
    assert json.loads(header) == {
        "op": "write",
        "path": "notes/a.md",
        "version": version.version,
        "supersedes": "",
        "by": "process:test/1",
        "at": version.at,
        "manual": False,
        "stamped": True,
        "blob": git.blob(data),
    }
