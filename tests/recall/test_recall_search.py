"""A question finds the session or page that answers it, in its own project, and nothing where nothing is known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.embed.hashing import Hashing
from ai_memory.index import evidence, pages, passages, store
from ai_memory.index.space import Space
from ai_memory.index.store import Index
from ai_memory.index.turns import Turns
from ai_memory.index.values import EvidenceRow, Hit, PageRow, SessionRow
from ai_memory.index.vectors import Matrix
from ai_memory.recall import search
from ai_memory.recall.search import Asked, Sources

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MODEL = Hashing(256)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = store.open(tmp_path / "index.db")
    yield opened
    opened.close()


def session(name: str, *said: str, project: str = "p", at: str = "2026-05-01T10:00:00.000Z") -> tuple[SessionRow, list[EvidenceRow]]:
    header = SessionRow("w", project, name, "codex", name, at)
    rows = [
        EvidenceRow("w", project, name, "codex", f"{project}-{name}.jsonl", n * 10, n * 10 + 9, f"{name}{n}", at, "stop", "assistant", text)
        for n, text in enumerate(said)
    ]
    return header, rows


def put(index: Index, *many: tuple[SessionRow, list[EvidenceRow]] | PageRow) -> None:
    with index.writer() as db:
        for one in many:
            if isinstance(one, PageRow):
                pages.put(db, one)
            else:
                evidence.put_session(db, one[0])
                evidence.put(db, one[1])


def page(path: str, body: str, project: str = "p", at: str = "2026-05-01T10:00:00.000Z") -> PageRow:
    return PageRow("w", project, path, f"v-{path}", title=path.split("/")[-1], type="Note", body=body, at=at)


def space(index: Index, tmp_path: Path) -> Space:
    with index.writer() as db:
        made = passages.cut_pages(db, 1_000) + passages.cut_sessions(db, 1_000)
    found = Space(Matrix(tmp_path / "vectors", "twin", MODEL.dimension))
    found.put([one for one, _ in made])
    found.fill([one for one, _ in made], MODEL.embed([text for _, text in made]))
    assert found.waiting == 0
    return found


def find(index: Index, text: str, sources: Sources, project: str = "p", limit: int = 5) -> list[Hit]:
    vector = MODEL.embed([text])[0] if sources.space else None
    with index.reader() as db:
        return search.find(db, sources, Asked(text, NOW, vector), project, limit)


FILLER = [session(f"f{n}", f"we looked at chart {n}", f"and moved label {n}", "then had lunch") for n in range(6)]


def test_a_session_is_found_by_what_was_said_in_several_turns(index: Index) -> None:
    put(index, *FILLER, session("a", "the broker loses messages", "we raise the acknowledgement timeout", "all good"))
    hits = find(index, "broker acknowledgement timeout", Sources(Turns()))
    assert hits[0].session == "a" and "**" in hits[0].snippet


def test_one_hit_a_session_with_the_turn_that_holds_most(index: Index) -> None:
    put(index, *FILLER, session("a", "broker", "nothing here", "the broker timeout was too short", "broker again"))
    hits = [hit for hit in find(index, "broker timeout", Sources(Turns())) if hit.session == "a"]
    assert [(hit.first, hit.last) for hit in hits] == [(20, 29)]


def test_what_was_never_discussed_finds_nothing(index: Index, tmp_path: Path) -> None:
    put(index, *FILLER, page("notes/a.md", "The broker keeps a log.\n"))
    for sources in (Sources(Turns()), Sources(Turns(), space(index, tmp_path))):
        assert find(index, "how are kerberos tickets renewed for the mainframe", sources) == []
        assert find(index, "", sources) == []


def test_a_date_in_the_question_moves_the_session_of_that_day(index: Index) -> None:
    told = [session(f"d{n}", "we talked about the release plan", at=f"2026-0{n}-10T09:00:00.000Z") for n in range(1, 6)]
    put(index, *told)
    assert find(index, "release plan in March 2026", Sources(Turns()))[0].session == "d3"
    assert find(index, "release plan on 10 February 2026", Sources(Turns()))[0].session == "d2"


def test_vectors_find_what_shares_no_exact_word(index: Index, tmp_path: Path) -> None:
    put(index, *FILLER, page("decisions/cache.md", "We keep the cache in the database.\n"))
    sources = Sources(Turns(), space(index, tmp_path))
    assert find(index, "we keep the cache in the database", sources)[0].path == "decisions/cache.md"


def test_a_session_is_told_by_its_evidence_rather_than_its_page(index: Index) -> None:
    put(index, *FILLER, session("a", "the walrus migration broke"), page("sessions/2026-05-01-a.md", "the walrus migration broke"))
    hits = find(index, "walrus migration", Sources(Turns()))
    assert [(hit.session, hit.path) for hit in hits] == [("a", "")]


def test_frames_follow_new_turns_and_erased_sessions(index: Index) -> None:
    sources = Sources(Turns())
    put(index, *FILLER, session("a", "the walrus migration broke"))
    assert find(index, "walrus migration", sources)[0].session == "a"
    put(index, session("b", "the ocelot index grew"))
    assert find(index, "ocelot index", sources)[0].session == "b"
    with index.writer() as db:
        number = db.execute("SELECT no FROM session WHERE session = 'b'").fetchone()[0]
        evidence.remove(db, 1, number)
    assert find(index, "ocelot index", sources) == []
    put(index, session("c", "the tapir queue stalled"))
    assert [hit.session for hit in find(index, "tapir queue", sources)] == ["c"]


WORDS = ("heron", "ibis", "jay", "kite", "lark")


@given(st.lists(st.tuples(st.sampled_from(("p", "q")), st.sampled_from(WORDS), st.booleans()), max_size=12))
def test_one_project_never_tells_of_another(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, bool]]) -> None:
    place = tmp_path_factory.mktemp("two")
    index = store.open(place / "index.db")
    try:
        for number, (project, word, written) in enumerate(steps):
            text = f"the {word} of {project}x was seen {number} times"
            put(index, page(f"notes/{word}.md", text, project) if written else session(f"{project}{number}", text, project=project))
        sources = Sources(Turns(), space(index, place))
        for project in ("p", "q"):
            for word in WORDS:
                for hit in find(index, f"the {word} was seen", sources, project, 50):
                    assert hit.project == project and f"{project}x" in hit.snippet
    finally:
        index.close()
