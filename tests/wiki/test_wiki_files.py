"""Reading and writing the pages of a bundle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from wiki_writer import Writer

from ai_memory import git
from ai_memory.domain.page import Edit, Page
from ai_memory.errors import Conflict, Invalid, Missing, TooLarge
from ai_memory.wiki import edits, files, history, okf, pages


def bodies(writer: Writer, path: str) -> list[str | None]:
    """The body of each version of ``path``, oldest first; None for a deletion."""
    rows = [row for row in history.versions(writer.bundle) if row.path == path]
    return [
        None if row.deleted else pages.parse(row.data, path)[0].body for row in history.filled(writer.bundle, rows)
    ]


def test_a_page_written_is_read_back_with_its_stamp(writer: Writer) -> None:
    version = writer.write("notes/a.md", "# A\n\ntext\n", meta={"tags": ["x"]})
    page, stamp, data = files.read(writer.bundle, "notes/a")
    assert page == Page("notes/a.md", {"type": "note", "title": "A", "tags": ["x"]}, "# A\n\ntext\n")
    assert stamp == version.stamp
    assert git.blob(data) == version.blob
    assert okf.check(writer.dir) == []


def test_readers_see_a_page_only_after_sync(writer: Writer) -> None:
    writer.stage("notes/a.md", "one")
    with pytest.raises(Missing):
        files.read(writer.bundle, "notes/a.md")
    (version,) = files.sync(writer.bundle)
    assert files.read(writer.bundle, "notes/a.md")[1].version == version.version
    assert files.sync(writer.bundle) == ()


def test_the_same_content_makes_no_version(writer: Writer) -> None:
    writer.write("notes/a.md", "# A\n", meta={"x": 1})
    assert writer.stage("notes/a.md", "# A\n", meta={"x": 1}) is None
    assert writer.stage("notes/a.md", "# A\n", meta={"x": 1, "type": "note"}, automatic=True) is None
    assert writer.stage("notes/a.md", "# A\n", meta={"x": 2}) is not None


def test_a_new_version_names_the_one_it_supersedes(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    two = writer.write("notes/a.md", "two")
    assert (one.supersedes, two.supersedes) == ("", one.version)
    assert files.read(writer.bundle, "notes/a.md")[1] == two.stamp
    restarted = writer.again()
    three = restarted.write("notes/a.md", "three")
    assert three.supersedes == two.version


def test_compare_and_write(writer: Writer) -> None:
    with pytest.raises(Conflict) as absent:
        writer.stage("notes/a.md", "x", expected="01930000-0000-7000-8000-000000000001")
    assert absent.value.current is None
    one = writer.write("notes/a.md", "one", create=True)
    two = writer.write("notes/a.md", "two", expected=one.version)
    with pytest.raises(Conflict) as late:
        writer.stage("notes/a.md", "three", expected=one.version)
    assert late.value.current == two.version
    with pytest.raises(Conflict) as taken:
        writer.stage("notes/a.md", "four", create=True)
    assert taken.value.current == two.version
    assert bodies(writer, "notes/a.md") == ["one", "two"]


def test_two_edits_of_one_page_in_one_batch_follow_each_other(writer: Writer) -> None:
    one = writer.stage("notes/a.md", "one")
    two = writer.stage("notes/a.md", "two")
    assert one is not None and two is not None and two.supersedes == one.version
    with pytest.raises(Conflict):
        writer.stage("notes/a.md", "three", expected=one.version)
    assert [version.version for version in files.sync(writer.bundle)] == [one.version, two.version]
    assert bodies(writer, "notes/a.md") == ["one", "two"]


def test_what_is_staged_can_be_taken_back(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    two, other = writer.stage("notes/a.md", "two"), writer.stage("notes/b.md", "b")
    assert two is not None and other is not None
    files.unstage(writer.bundle, other)
    files.unstage(writer.bundle, two)
    assert files.sync(writer.bundle) == ()
    three = writer.write("notes/a.md", "three", expected=one.version)
    assert three.supersedes == one.version
    assert bodies(writer, "notes/a.md") == ["one", "three"]
    assert bodies(writer, "notes/b.md") == []


def test_a_deletion_is_a_version_and_leaves_no_empty_folder(writer: Writer) -> None:
    one = writer.write("notes/deep/er/a.md", "one")
    gone = writer.write("notes/deep/er/a.md", None, expected=one.version)
    assert (gone.deleted, gone.supersedes, gone.blob) == (True, one.version, "")
    assert not (writer.dir / "notes").exists()
    with pytest.raises(Missing):
        writer.stage("notes/deep/er/a.md", None)
    with pytest.raises(Missing):
        files.read(writer.bundle, "notes/deep/er/a.md")
    writer.commit()
    again = writer.again()
    again.write("notes/deep/er/a.md", "two", create=True)
    assert bodies(again, "notes/deep/er/a.md") == ["one", None, "two"]


def test_an_automatic_edit_leaves_a_persons_page_alone(writer: Writer) -> None:
    writer.write("notes/a.md", "mine", manual=True)
    with pytest.raises(Conflict, match="by a person"):
        writer.stage("notes/a.md", "machine", automatic=True)
    writer.commit()
    with pytest.raises(Conflict, match="by a person"):
        writer.again().stage("notes/a.md", "machine", automatic=True)
    writer.write("notes/a.md", "asked for")
    writer.write("notes/a.md", "machine", automatic=True)


def test_a_persons_deletion_stands_against_automatic_edits(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.write("notes/a.md", None, manual=True)
    with pytest.raises(Conflict, match="deleted by a person"):
        writer.stage("notes/a.md", "machine", automatic=True)
    writer.commit()
    restarted = writer.again()
    with pytest.raises(Conflict, match="deleted by a person"):
        restarted.stage("notes/a.md", "machine", automatic=True)
    restarted.write("notes/a.md", "asked for")
    restarted.write("notes/a.md", "machine", automatic=True)


def test_an_edit_by_hand_is_kept_before_a_write_displaces_it(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    edited = (writer.dir / "notes/a.md").read_bytes().replace(b"one", b"by hand")
    writer.hand("notes/a.md", edited)
    two = writer.write("notes/a.md", "two")
    assert two.displaced is not None
    kept = two.displaced
    assert (kept.manual, kept.by, kept.supersedes, kept.stamped) == (True, "human:local", one.version, False)
    assert two.supersedes == kept.version
    assert one.version < kept.version < two.version
    assert bodies(writer, "notes/a.md") == ["one", "by hand", "two"]
    writer.commit()
    assert bodies(writer.again(), "notes/a.md") == ["one", "by hand", "two"]


def test_an_edit_by_hand_conflicts_with_an_expected_version_and_is_what_holds(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    writer.hand("notes/a.md", b"by hand")
    with pytest.raises(Conflict) as caught:
        writer.stage("notes/a.md", "two", expected=one.version)
    current = caught.value.current
    assert current not in (None, one.version)
    page, stamp, data = files.read(writer.bundle, "notes/a.md")
    assert (page.body, stamp.version, stamp.manual, data) == ("by hand", current, True, b"by hand")
    assert [version.version for version in files.sync(writer.bundle)] == [current]
    writer.commit()
    restarted = writer.again()
    assert files.read(restarted.bundle, "notes/a.md")[1].version == current
    two = restarted.write("notes/a.md", "two", expected=str(current))
    assert two.supersedes == current


def test_an_automatic_edit_never_displaces_an_edit_by_hand(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.hand("notes/a.md", b"by hand")
    with pytest.raises(Conflict, match="by a person"):
        writer.stage("notes/a.md", "machine", automatic=True)
    files.sync(writer.bundle)
    assert (writer.dir / "notes/a.md").read_bytes() == b"by hand"


def test_a_deletion_by_hand_is_kept_before_a_write(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    (writer.dir / "notes/a.md").unlink()
    with pytest.raises(Conflict, match="deleted by a person"):
        writer.stage("notes/a.md", "machine", automatic=True)
    two = writer.write("notes/a.md", "two", create=True)
    assert two.supersedes == ""
    rows = list(history.versions(writer.bundle))
    assert [(row.deleted, row.supersedes) for row in rows] == [(False, ""), (True, one.version), (False, "")]


def test_bytes_that_arrive_between_stage_and_sync_are_kept_too(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    two = writer.stage("notes/a.md", "two")
    assert two is not None
    writer.hand("notes/a.md", b"by hand")
    kept, settled = files.sync(writer.bundle)
    assert (kept.manual, kept.supersedes, kept.data) == (True, two.supersedes, b"by hand")
    assert settled == two
    assert bodies(writer, "notes/a.md") == ["one", "by hand", "two"]
    writer.commit()
    assert bodies(writer.again(), "notes/a.md") == ["one", "by hand", "two"]
    assert files.read(writer.bundle, "notes/a.md")[0].body == "two"


def test_adopt_takes_up_what_was_done_by_hand_and_leaves_the_bytes(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    writer.hand("notes/a.md", b"---\ntitle: x\n---\nby hand")
    writer.hand("notes/new.md", b"new")
    stamp = writer.stamp("human:ana")
    edited = files.adopt(writer.bundle, "notes/a.md", stamp)
    created = files.adopt(writer.bundle, "notes/new.md", writer.stamp("human:ana"))
    files.sync(writer.bundle)
    assert edited is not None and created is not None
    assert (edited.version, edited.by, edited.at, edited.manual) == (stamp.version, stamp.by, stamp.at, True)
    assert (edited.supersedes, created.supersedes) == (one.version, "")
    assert (writer.dir / "notes/a.md").read_bytes() == b"---\ntitle: x\n---\nby hand"
    assert files.read(writer.bundle, "notes/a.md")[1] == edited.stamp
    (writer.dir / "notes/a.md").unlink()
    gone = files.adopt(writer.bundle, "notes/a.md", writer.stamp("human:ana"))
    assert gone is not None and gone.deleted and gone.supersedes == edited.version


def test_adopt_again_gives_what_stands(writer: Writer) -> None:
    one = writer.write("notes/a.md", "one")
    same = files.adopt(writer.bundle, "notes/a.md", writer.stamp())
    assert same is not None and same.version == one.version and same.data
    writer.hand("notes/a.md", b"by hand")
    first = files.adopt(writer.bundle, "notes/a.md", writer.stamp())
    files.sync(writer.bundle)
    second = files.adopt(writer.bundle, "notes/a.md", writer.stamp())
    assert first == second
    assert files.adopt(writer.bundle, "notes/none.md", writer.stamp()) is None
    writer.stage("notes/b.md", "b")
    assert files.adopt(writer.bundle, "notes/b.md", writer.stamp()) is None


def test_names_that_differ_in_case_or_form_are_one_page(writer: Writer) -> None:
    writer.write("Notes/Café.md", "one")
    with pytest.raises(Invalid, match=r"Notes/Café\.md"):
        writer.stage("Notes/CAFÉ.md", "two")
    with pytest.raises(Invalid, match="'Notes'"):
        writer.stage("notes/other.md", "two")
    writer.write("Notes/Cafe\u0301.md", "two")
    assert bodies(writer, "Notes/Café.md") == ["one", "two"]
    writer.write("Notes/Café.md", None)
    writer.write("notes/café.md", "free again")


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "a/../../x.md", "CON.md", "x" * 300, "index.md", ".git/x.md"])
def test_path_tricks_are_refused(writer: Writer, path: str) -> None:
    with pytest.raises(Invalid):
        writer.stage(path, "x")
    with pytest.raises(Invalid):
        files.read(writer.bundle, path)


def test_links_are_never_followed(writer: Writer, tmp_path: Path) -> None:
    writer.write("notes/a.md", "one")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    (writer.dir / "linked").symlink_to(outside)
    (writer.dir / "notes/l.md").symlink_to(outside / "secret.md")
    for path in ("linked/secret.md", "notes/l.md"):
        with pytest.raises(Invalid, match="link"):
            files.read(writer.bundle, path)
        with pytest.raises(Invalid, match="link"):
            writer.stage(path, "x")
        with pytest.raises(Invalid, match="link"):
            writer.stage(path, None)
    assert (outside / "secret.md").read_text(encoding="utf-8") == "secret"
    assert os.listdir(outside) == ["secret.md"]


def test_a_folder_or_pipe_in_place_of_a_page_is_refused_without_waiting(writer: Writer) -> None:
    (writer.dir / "notes" / "d.md").mkdir(parents=True)
    os.mkfifo(writer.dir / "notes" / "f.md")
    for path in ("notes/d.md", "notes/f.md"):
        with pytest.raises(Invalid):
            files.read(writer.bundle, path)
        with pytest.raises(Invalid):
            writer.stage(path, "x")


def test_what_cannot_be_stored_is_refused_before_anything_is_written(writer: Writer) -> None:
    with pytest.raises(TooLarge):
        writer.stage("notes/a.md", "x" * (files.CAP + 1))
    with pytest.raises(Invalid):
        writer.stage("notes/a.md", "\ud800")
    with pytest.raises(Invalid):
        writer.stage("notes/a.md", "x", meta={"k": object()})
    good = writer.edit("notes/a.md", "x")
    for stamp in (
        type(good.stamp)(version="v1", by="x", at="y"),
        type(good.stamp)(version=good.stamp.version, by="x\ny", at="y"),
        type(good.stamp)(version=good.stamp.version, by="", at="y"),
    ):
        with pytest.raises(Invalid):
            files.stage(writer.bundle, Edit("w", "p", "notes/a.md", good.page, stamp))
    assert files.sync(writer.bundle) == ()


def test_files_are_private(writer: Writer) -> None:
    writer.write("notes/a.md", "one")
    writer.commit()
    for folder, _, names in os.walk(writer.dir):
        assert os.stat(folder).st_mode & 0o077 == 0, folder
        for name in names:
            assert os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0, name


def test_a_page_with_broken_front_matter_can_be_edited_and_nothing_is_lost(writer: Writer) -> None:
    broken = b"---\ntitle: Fix: the thing\ntags: [a\n---\n\nwords\n"
    writer.hand("notes/a.md", broken)
    page, stamp, _ = files.read(writer.bundle, "notes/a.md")
    assert page.meta == {"title": "Fix: the thing", "tags": "[a"}
    assert stamp.version == ""
    writer.write("notes/a.md", page.body + "more\n", meta=dict(page.meta))
    first, second = history.filled(writer.bundle, history.versions(writer.bundle))
    assert first.data == broken
    assert pages.parse(second.data, "notes/a.md")[0].meta["title"] == "Fix: the thing"
    assert okf.check(writer.dir) == []


def test_a_scan_right_after_a_write_finds_nothing(writer: Writer) -> None:
    version = writer.write("notes/a.md", "one")
    assert edits.scan(writer.bundle, {"notes/a.md": version.blob}).changes == ()
