from __future__ import annotations

from ai_memory.index import evidence, listing, marks, pages
from ai_memory.index.store import Index
from ai_memory.index.values import EvidenceRow, PageRow, SessionRow, VersionRow


def page(path: str, version: str, at: str, supersedes: str = "", **more: object) -> PageRow:
    return PageRow("w", "p", path, version, supersedes, "human:ana", at, title=path, body=f"body of {path}", **more)  # type: ignore[arg-type]


def test_pages_are_listed_newest_first_and_by_path(index: Index) -> None:
    with index.writer() as db:
        pages.put(db, page("b.md", "v1", "2026-01-02", tags=("x",), pinned=True, size=7, links=("a.md", "a.md")))
        pages.put(db, page("a.md", "v1", "2026-01-01"))
        pages.put(db, page("c.md", "v1", "2026-01-02"))
    with index.reader() as db:
        assert [row.path for row in listing.recent(db, "p", 2)] == ["b.md", "c.md"]
        assert [row.path for row in listing.pages(db, "p")] == ["a.md", "b.md", "c.md"]
        one = listing.page(db, "p", "b.md")
        assert one is not None
        assert (one.tags, one.pinned, one.size, one.by, one.body) == (("x",), True, 7, "human:ana", "")
        assert listing.body(db, "p", "b.md") == "body of b.md"
        assert listing.links(db, "p", "b.md") == ["a.md"]
        assert listing.backlinks(db, "p", "a.md") == ["b.md"]
        assert listing.page(db, "p", "none.md") is None and listing.body(db, "other", "a.md") is None
        assert listing.all_projects(db) == [("w", "p")]


def test_a_chain_of_versions_ends_with_the_deletion(index: Index) -> None:
    with index.writer() as db:
        pages.put(db, page("a.md", "v1", "2026-01-01"))
        pages.put(db, page("a.md", "v2", "2026-01-02", "v1"))
        gone = VersionRow("w", "p", "a.md", "v3", "v2", "human:ana", "2026-01-03", manual=True, deleted=True)
        assert pages.drop(db, gone)
        assert not pages.drop(db, gone)
    with index.reader() as db:
        chain = listing.versions(db, "p", "a.md")
        found = [(row.version, row.supersedes, row.deleted) for row in chain]
        assert found == [("v3", "v2", True), ("v2", "v1", False), ("v1", "", False)]
        assert chain[0] == gone
        assert listing.pages(db, "p") == []
        assert listing.links(db, "p", "a.md") == []


def test_sessions_and_their_evidence(index: Index) -> None:
    header = SessionRow("w", "p", "s1", "codex", "native", "2026-01-02", "/abs", "main", "m")
    rows = [
        EvidenceRow("w", "p", "s1", "codex", "p/s1.jsonl", n * 10, n * 10 + 9, f"k{n}", f"2026-01-0{n + 3}", "stop",
                    "tool", f"t{n}", "Bash")
        for n in range(3)
    ]  # fmt: skip
    with index.writer() as db:
        assert evidence.put(db, rows[:2]) == 2
        evidence.put_session(db, header)
        assert evidence.put(db, rows) == 1
        evidence.put_session(db, SessionRow("w", "p", "s2", "claude-code", started="2026-01-09"))
        marks.set(db, "p/s1.jsonl", 30, "tag")
    with index.reader() as db:
        found = listing.sessions(db, "p")
        assert [(each.row.session, each.events, each.last) for each in found] == [("s2", 0, ""), ("s1", 3, "2026-01-05")]
        assert found[1].row == header
        got = listing.evidence(db, "p", "s1", start=10, limit=1)
        assert [(each.start, each.end, each.text, each.tool, each.file) for each in got] == [(10, 19, "t1", "Bash", "p/s1.jsonl")]
        assert marks.get(db, "p/s1.jsonl") == marks.Mark(30, "tag")
        assert marks.get(db, "none") == marks.Mark()
        counts = listing.counts(db, "p")
        assert (counts["pages"], counts["sessions"], counts["evidence"], counts["last_session"]) == (0, 2, 3, "2026-01-09")
        status = listing.status(db)
        assert (status["projects"], status["sessions"], status["evidence"]) == (1, 2, 3)
        assert status["bytes"] > 0


def test_an_unknown_project_has_nothing(index: Index) -> None:
    with index.reader() as db:
        assert listing.recent(db, "none") == listing.sessions(db, "none") == listing.versions(db, "none", "a.md") == []
        assert listing.counts(db, "none")["evidence"] == 0
