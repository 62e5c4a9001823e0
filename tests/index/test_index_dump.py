from __future__ import annotations

import random
from pathlib import Path

import pytest

from ai_memory.index import dump, erase, evidence, marks, pages, store
from ai_memory.index.values import EvidenceRow, PageRow, SessionRow, VersionRow


def page(project: str, i: int, version: int) -> PageRow:
    return PageRow(
        "w", project, f"notes/{i}.md", f"v{i}-{version}", f"v{i}-{version - 1}" if version else "", "human:ana",
        f"2026-01-0{version + 1}", False, f"blob{i}{version}", f"Page {i}", "Note", "a description", ("x", "y"), i % 2 == 0,
        f"Words of {project} {i} in version {version}: getUserName 2.14.{i} 認証", '{"k": 1}', ("a.md", "b.md"), 10 + i,
    )  # fmt: skip


def session(project: str, i: int) -> SessionRow:
    return SessionRow("w", project, f"s{i}", "codex", f"native{i}", "2026-01-01", "/abs", "main", "m")


def rows(project: str, i: int) -> list[EvidenceRow]:
    return [EvidenceRow("w", project, f"s{i}", "codex", f"{project}/s{i}.jsonl", n * 50, n * 50 + 49, f"k{n}", "2026-01-01",
                        "stop", "assistant", f"evidence {n} of {project} {i} redis_{n}") for n in range(5)]  # fmt: skip


def latest(index: store.Index, project: str, i: int) -> None:
    with index.writer() as db:
        for version in range(2):
            old = page(project, i, version)
            row = VersionRow("w", project, old.path, old.version, old.supersedes, old.by, old.at, False, old.blob)
            pages.put_version(db, row)
        pages.put(db, page(project, i, 2))


def lines(index: store.Index) -> list[str]:
    with index.reader() as db:
        return list(dump.lines(db))


def lived(path: Path) -> store.Index:
    """An index that came to its state by writing, changing, dropping and erasing."""
    index = store.open(path)
    for project in ("p", "q"):
        for i in range(6):
            for version in range(3):
                with index.writer() as db:
                    pages.put(db, page(project, i, version))
        for i in range(4):
            with index.writer() as db:
                evidence.put(db, rows(project, i)[:3])
                evidence.put_session(db, session(project, i))
                evidence.put(db, rows(project, i))
                marks.set(db, f"{project}/s{i}.jsonl", 250)
    with index.writer() as db:
        pages.drop(db, VersionRow("w", "p", "notes/5.md", "v5-3", "v5-2", "human:ana", "2026-01-09", deleted=True))
        erase.page(db, "q", "notes/5.md")
        erase.session(db, "s3")
        pages.put(db, PageRow("w", "gone", "a.md", "v", body="words to be gone"))
        erase.project(db, "gone")
    return index


def rebuilt(path: Path, seed: int) -> store.Index:
    """An index of the same state, read from files in some order."""
    index = store.open(path)
    steps = [("page", p, i) for p in "pq" for i in range(6 if p == "p" else 5)]
    steps += [("session", p, i) for p in "pq" for i in range(3)]
    random.Random(seed).shuffle(steps)
    for kind, project, i in steps:
        if kind == "page":
            latest(index, project, i)
            continue
        with index.writer() as db:
            evidence.put_session(db, session(project, i))
            evidence.put(db, rows(project, i))
            marks.set(db, f"{project}/s{i}.jsonl", 250)
    with index.writer() as db:
        pages.drop(db, VersionRow("w", "p", "notes/5.md", "v5-3", "v5-2", "human:ana", "2026-01-09", deleted=True))
    return index


@pytest.mark.parametrize("seed", range(4))
def test_a_rebuilt_index_equals_the_one_that_lived(tmp_path: Path, seed: int) -> None:
    before, after = lived(tmp_path / "a.db"), rebuilt(tmp_path / "b.db", seed)
    assert lines(before) == lines(after)
    erase.scrub(before.connection)
    assert lines(before) == lines(after)
    before.close()
    after.close()


def test_every_part_is_in_the_dump(tmp_path: Path) -> None:
    index = lived(tmp_path / "a.db")
    parts = {line.split('"')[1] for line in lines(index)}
    assert parts == {"pages", "versions", "links", "marks", "sessions", "evidence", "words", "page_terms", "evidence_terms"}
    index.close()


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    index = lived(tmp_path / "a.db")
    before = lines(index)
    for i in range(4):
        latest(index, "p", i)
    with index.writer() as db:
        assert evidence.put(db, rows("p", 1)) == 0
        evidence.put_session(db, session("p", 1))
    assert lines(index) == before
    index.close()
