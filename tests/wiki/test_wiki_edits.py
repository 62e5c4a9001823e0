"""What people did to the pages by hand."""

from __future__ import annotations

import os
import time
from pathlib import Path

from wiki_writer import Writer

from ai_memory import git
from ai_memory.wiki import edits, files, history, okf
from ai_memory.wiki.edits import Found


def known(writer: Writer) -> dict[str, str]:
    rows = {row.path: row for row in history.versions(writer.bundle)}
    return {path: row.blob for path, row in rows.items() if not row.deleted}


def take_up(writer: Writer) -> list[tuple[str, str]]:
    """Scan and adopt, as the watcher does; gives (path, kind)."""
    found = edits.scan(writer.bundle, known(writer)).changes
    for change in found:
        files.adopt(writer.bundle, change.path, writer.stamp("human:ana"))
    files.sync(writer.bundle)
    return [(change.path, change.kind) for change in found]


def test_added_edited_and_deleted_pages_are_found_once(writer: Writer) -> None:
    for name in "abc":
        writer.write(f"notes/{name}.md", name)
    writer.hand("notes/a.md", b"by hand")
    writer.hand("x/new.md", b"new")
    (writer.dir / "notes/b.md").unlink()
    scan = edits.scan(writer.bundle, known(writer))
    assert scan.warnings == ()
    assert scan.changes == (
        Found("notes/a.md", "edited", git.blob(b"by hand")),
        Found("notes/b.md", "deleted", ""),
        Found("x/new.md", "added", git.blob(b"new")),
    )
    take_up(writer)
    assert take_up(writer) == []
    writer.commit()
    assert take_up(writer.again()) == []
    assert writer.git("status", "--porcelain") == ""


def test_what_is_no_page_is_passed_over_with_a_warning_where_one_helps(writer: Writer, tmp_path: Path) -> None:
    writer.write("notes/a.md", "a")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "o.md").write_bytes(b"o")
    (writer.dir / "linked").symlink_to(tmp_path / "out")
    (writer.dir / "notes/l.md").symlink_to(tmp_path / "out" / "o.md")
    writer.hand("notes/latin.md", b"caf\xe9")
    writer.hand("notes/CON.md", b"x")
    writer.hand("notes/Caf\u0065\u0301.md", b"x")
    writer.hand("notes/UP.MD", b"x")
    writer.hand(".obsidian/workspace.md", b"x")
    writer.hand("notes/.hidden.md", b"x")
    writer.hand("index.md", b"x")
    writer.hand("notes/log.md", b"x")
    writer.hand("picture.png", b"x")
    os.mkfifo(writer.dir / "notes/pipe.md")
    (writer.dir / os.fsdecode(b"bad\xff.md")).write_bytes(b"x")
    (writer.dir / "folder.md").mkdir()
    scan = edits.scan(writer.bundle, known(writer))
    assert scan.changes == ()
    text = "\n".join(scan.warnings)
    for word in ("linked", "l.md", "latin.md", "CON.md", "rename it to notes/Café.md", "UP.md", "pipe.md", "bad"):
        assert word in text
    assert len(scan.warnings) == 8
    text.encode()


def test_a_page_that_stops_being_utf8_is_not_taken_as_deleted(writer: Writer) -> None:
    writer.write("notes/a.md", "a")
    writer.hand("notes/a.md", b"caf\xe9")
    scan = edits.scan(writer.bundle, known(writer))
    assert (scan.changes, len(scan.warnings)) == ((), 1)


def test_a_folder_that_vanished_is_not_taken_as_deletions(writer: Writer) -> None:
    for number in range(10):
        writer.write(f"notes/{number}.md", "x")
    for number in range(5):
        (writer.dir / f"notes/{number}.md").unlink()
    assert len(edits.scan(writer.bundle, known(writer)).changes) == 5
    (writer.dir / "notes/5.md").unlink()
    scan = edits.scan(writer.bundle, known(writer))
    assert scan.changes == ()
    assert "6 of 10" in scan.warnings[0]


def test_three_of_three_pages_may_be_deleted(writer: Writer) -> None:
    for number in range(3):
        writer.write(f"notes/{number}.md", "x")
        (writer.dir / f"notes/{number}.md").unlink()
    assert [change.kind for change in edits.scan(writer.bundle, known(writer)).changes] == ["deleted"] * 3


def test_unchanged_files_are_told_by_their_times_and_changed_ones_are_not(writer: Writer) -> None:
    version = writer.write("notes/a.md", "a")
    later = time.time_ns() + 10**9
    baseline = {"notes/a.md": version.blob}
    assert edits.scan(writer.bundle, baseline, now=later).changes == ()
    assert "notes/a.md" in writer.bundle.memo.stats
    about = (writer.dir / "notes/a.md").stat()
    data = (writer.dir / "notes/a.md").read_bytes()
    writer.hand("notes/a.md", data[:-1] + b"b")
    os.utime(writer.dir / "notes/a.md", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert [change.kind for change in edits.scan(writer.bundle, baseline, now=later).changes] == ["edited"]


def test_a_vault_made_by_hand_is_taken_up_whole_and_its_bytes_stay(writer: Writer) -> None:
    vault = {
        "Welcome.md": b"This is your new *vault*.\n\n[[Daily/2026-11-30]]\n",
        "Daily/2026-11-30.md": b"---\ndate: 2026-11-30\ntags: [a, b]\n---\n# Today\n",
        "broken.md": b"---\ntitle: Fix: it\ntags: [a\n---\nwords\n",
        "dup.md": b"---\na: 1\na: 2\n---\n",
        "list.md": b"---\n- a\n---\nx",
        "unclosed.md": b"---\ntitle: x\n",
        "empty.md": b"",
        "crlf.md": b"---\r\ntitle: w\r\n---\r\nbody\r\n",
        "bom.md": b"\xef\xbb\xbf---\ntitle: b\n---\nbody",
        "zero.md": b"a\x00b",
        "deep/er/still/note.md": b"# Deep\n\n---\n\nrule\n",
    }
    for path, data in vault.items():
        writer.hand(path, data)
    writer.hand(".obsidian/app.json", b"{}")
    assert dict(take_up(writer)) == dict.fromkeys(vault, "added")
    writer.commit()
    restarted = writer.again()
    rows = {row.path: row for row in history.filled(restarted.bundle, history.versions(restarted.bundle))}
    for path, data in vault.items():
        assert (writer.dir / path).read_bytes() == data
        assert rows[path].data == data
        page, stamp, _ = files.read(restarted.bundle, path)
        assert stamp == rows[path].stamp
        restarted.write(path, page.body + "\nmore\n", meta=dict(page.meta), expected=stamp.version)
    restarted.commit()
    assert okf.check(writer.dir) == []
    assert take_up(restarted) == []
    assert writer.git("status", "--porcelain") == "?? .obsidian/\n"
