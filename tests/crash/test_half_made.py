"""What a kill between two steps leaves, and what the next start makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai_memory import config, git
from ai_memory.domain.actor import Actor
from ai_memory.domain.change import Change
from ai_memory.ledger import projects
from ai_memory.ledger.projects import Project
from ai_memory.memory import opening, pages
from ai_memory.memory.core import Core
from ai_memory.memory.pages import Draft
from ai_memory.memory.places import Where
from ai_memory.raw import files as raw
from ai_memory.wiki import files, history, recovery
from ai_memory.wiki.bundle import MANIFEST

WITHOUT_VECTORS = {"embedding.provider": "none"}
ME = Actor(client="test")
API = Project("01930000-0000-7000-8000-000000000001", "api", "01930000-0000-7000-8000-000000000002", "acme")


def test_a_project_killed_before_its_manifest_stood_gets_it_at_the_next_start(tmp_path: Path) -> None:
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    core.writer.apply(Change(rows=projects.creation(API, {"remote:example.org/acme/api": "remote"}, core.now())))
    opening.close(core)
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    try:
        assert (core.wiki.bundle(API.workspace, API.id).dir / MANIFEST).is_file()
        assert pages.write(core, ME, Where(workspace="acme", project="api"), Draft("notes/a.md", "one")).changed
    finally:
        opening.close(core)


def test_recovery_that_runs_after_the_first_write_clears_nothing_of_it(tmp_path: Path) -> None:
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    core.writer.apply(Change(rows=projects.creation(API, {}, core.now())))
    opening.close(core)
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    where, bundle = Where(workspace="acme", project="api"), core.wiki.bundle(API.workspace, API.id)
    try:
        pages.write(core, ME, where, Draft("notes/a.md", "one"))
        staged = pages.Edit(API.workspace, API.id, "notes/b.md", pages.Page("notes/b.md", {}, "two"), pages._stamp(core, ME))
        version = core.wiki.stage(staged)
        assert version is not None and recovery.mend(bundle) == []
        assert [made.path for _, made in core.wiki.sync()] == ["notes/b.md"]
        assert [row.path for row in history.versions(bundle)] == ["notes/a.md", "notes/b.md"]
        assert files.read(bundle, "notes/b.md")[1].version == version.version
    finally:
        opening.close(core)


def test_a_change_that_cannot_be_prepared_does_not_fail_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    try:
        core.writer.apply(Change(rows=projects.creation(API, {}, core.now())))

        def broken(edit: object) -> None:
            raise git.Failed("git was killed")

        monkeypatch.setattr(core.wiki, "stage", broken)
        with pytest.raises(opening.Unreachable, match="git was killed"):
            pages.write(core, ME, Where(workspace="acme", project="api"), Draft("notes/a.md", "one"))
        assert core.writer.apply(Change(rows=projects.creation(API, {}, core.now()))).versions == ()
    finally:
        opening.close(core)


def test_adopted_evidence_is_cut_to_whole_lines_and_kept(tmp_path: Path) -> None:
    (tmp_path / "w/p/2026-01").mkdir(parents=True)
    file = "w/p/2026-01/s.jsonl"
    (tmp_path / file).write_bytes(b'{"key":"a"}\n{"ke')
    raw.secure(tmp_path, file, raw.whole(tmp_path, file))
    assert (tmp_path / file).read_bytes() == b'{"key":"a"}\n'


def test_a_new_evidence_file_without_a_whole_line_is_taken_away(tmp_path: Path) -> None:
    opening.close(opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS)))
    names = ("empty", "torn")
    for name, data in zip(names, (b"", b'{"type":"session","id":"'), strict=True):
        file = tmp_path / "raw" / "w" / "p" / "2026-12" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    opening.close(opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS)))
    assert not list(tmp_path.glob("raw/*/*/*/*.jsonl"))


def test_acknowledged_evidence_that_had_not_reached_its_file_is_written_again(tmp_path: Path) -> None:
    core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
    line = b'{"type":"session","id":"s"}\n'
    core.ledger.add("unsettled_add", {"file": "w/p/2026-12/s.jsonl", "start": 0, "data": line})
    core.ledger.add("unsettled_add", {"file": "w/p/2026-12/s.jsonl", "start": len(line), "data": b"{}\n"})
    opening.close(core)
    for _ in range(2):
        core = opening.open_core(config.Config(tmp_path, WITHOUT_VECTORS))
        assert (tmp_path / "raw" / "w" / "p" / "2026-12" / "s.jsonl").read_bytes() == line + b"{}\n"
        assert core.ledger.all("unsettled_all") == []
        opening.close(core)


def test_pages_of_a_batch_that_failed_after_they_stood_are_followed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = _ready(tmp_path)
    where = Where(workspace="acme", project="api")
    try:

        def broken(growths: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(core.writer, "_append", broken)
            with pytest.raises(opening.Unreachable, match="No space left"):
                pages.write(core, ME, where, Draft("notes/a.md", "one"))
        assert core.shadow.settle(20)
        bundle = core.wiki.bundle(API.workspace, API.id)
        (version,) = history.committed(bundle)
        again = pages.write(core, ME, where, Draft("notes/a.md", "one"))
        assert (again.changed, again.version) == (False, version.version)
    finally:
        opening.close(core)


def test_a_version_that_a_failing_batch_left_standing_is_taken_up_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = _ready(tmp_path)
    where = Where(workspace="acme", project="api")
    try:
        pages.write(core, ME, where, Draft("notes/a.md", "zero"))

        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(files, "_show", full)
            with pytest.raises(opening.Unreachable, match="No space left"):
                pages.write(core, ME, where, Draft("notes/a.md", "one"))
        last = pages.write(core, ME, where, Draft("notes/a.md", "two"))
        assert core.shadow.settle(20)
        bundle = core.wiki.bundle(API.workspace, API.id)
        rows = list(history.committed(bundle))
        assert [row.supersedes for row in rows] == ["", rows[0].version, rows[1].version]
        assert rows[-1].version == last.version == files.read(bundle, "notes/a.md")[1].version
    finally:
        opening.close(core)


def _ready(data: Path) -> Core:
    core = opening.open_core(config.Config(data))
    core.writer.apply(Change(rows=projects.creation(API, {}, core.now())))
    opening.close(core)
    core = opening.open_core(config.Config(data))
    opening.settle(core)
    return core
