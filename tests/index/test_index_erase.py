from __future__ import annotations

from pathlib import Path

import pytest

from ai_memory.index import dump, erase, evidence, marks, pages, search, store
from ai_memory.index.store import Index
from ai_memory.index.values import EvidenceRow, PageRow, SessionRow

SECRET = "unmistakable"


def page(project: str, path: str, body: str, version: str = "v1") -> PageRow:
    return PageRow("w", project, path, version, title=f"About {body}", body=body, links=("x.md",))


def seen(project: str, session: str, start: int, text: str) -> EvidenceRow:
    return EvidenceRow("w", project, session, "codex", f"{project}/{session}.jsonl", start, start + 9, f"k{start}", "t", "stop",
                       "assistant", text)  # fmt: skip


def fill(index: Index, secret: bool = True) -> None:
    with index.writer() as db:
        for i in range(200):
            pages.put(db, page("p", f"{i}.md", f"ordinary words number {i} of the ledger"))
            evidence.put(db, [seen("p", "s1", i * 10, f"ordinary evidence number {i} of the worker")])
    if secret:
        with index.writer() as db:
            pages.put(db, page("p", "secret.md", f"The {SECRET} thing was camelCase{SECRET.title()}"))
            pages.put(db, page("q", "secret.md", f"The {SECRET} thing", "v1"))
            evidence.put_session(db, SessionRow("w", "p", "s2", "codex", cwd=f"/{SECRET}"))
            evidence.put(db, [seen("p", "s2", i * 10, f"They saw {SECRET} number {i}") for i in range(20)])
            evidence.put(db, [seen("q", "s2", i * 10, f"They saw {SECRET} number {i}") for i in range(20)])
            marks.set(db, "p/s2.jsonl", 200)
    fill_more(index)


def fill_more(index: Index) -> None:
    with index.writer() as db:
        for i in range(200, 300):
            pages.put(db, page("p", f"{i}.md", f"ordinary words number {i} of the ledger"))


def in_files(index: Index) -> int:
    content = b"".join(file.read_bytes() for file in index.path.parent.iterdir() if file.name.startswith(index.path.name))
    return content.lower().count(SECRET[:9].encode())


def test_what_is_erased_is_in_no_file(index: Index) -> None:
    fill(index)
    assert in_files(index) > 0
    with index.writer() as db:
        assert erase.page(db, "p", "secret.md")
        assert erase.session(db, "s2")
        assert erase.project(db, "q")
        assert erase.owed(db)
    assert erase.scrub(index.connection)
    assert not erase.owed(index.connection)
    assert in_files(index) == 0
    with index.reader() as db:
        assert search.pages(db, SECRET, ["p", "q"]) == []
        assert search.evidence(db, SECRET, ["p", "q"]) == []
        assert len(search.pages(db, "ledger", ["p"], 5)) == 5
        assert store.check(db) == []


def test_erased_leaves_the_index_as_if_it_had_never_been(index: Index, tmp_path: Path) -> None:
    fill(index)
    with index.writer() as db:
        erase.page(db, "p", "secret.md")
        erase.session(db, "s2")
        erase.project(db, "q")
    other = store.open(tmp_path / "other.db")
    fill(other, secret=False)
    with index.reader() as one, other.reader() as two:
        assert list(dump.lines(one)) == list(dump.lines(two))
    other.close()


def test_a_scrub_waits_for_no_reader_and_says_so(index: Index) -> None:
    fill(index)
    index.connection.execute("PRAGMA busy_timeout=100")
    with index.reader() as db:
        db.execute("SELECT count(*) FROM page").fetchone()
        with index.writer() as writer:
            erase.page(writer, "p", "secret.md")
        assert not erase.scrub(index.connection)
        assert erase.owed(index.connection)
    assert erase.scrub(index.connection)


@pytest.mark.parametrize("what", ["page", "session", "project"])
def test_erasing_what_is_not_there_says_so(index: Index, what: str) -> None:
    with index.writer() as db:
        done = {"page": lambda: erase.page(db, "p", "a.md"), "session": lambda: erase.session(db, "s"),
                "project": lambda: erase.project(db, "p")}[what]()  # fmt: skip
    assert not done


def test_one_session_in_two_projects_goes_from_both(index: Index) -> None:
    with index.writer() as db:
        evidence.put(db, [seen("p", "s1", 0, "tangerine"), seen("q", "s1", 0, "tangerine"), seen("q", "s3", 0, "tangerine")])
        erase.session(db, "s1")
    with index.reader() as db:
        assert [hit.session for hit in search.evidence(db, "tangerine", ["p", "q"])] == ["s3"]
        assert list(marks.all(db)) == ["q/s3.jsonl"]
