"""Pages and sessions are cut into passages, the same way at once or bit by bit."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.index import evidence, pages, passages
from ai_memory.index.passages import PAGE, WINDOWS, Passage
from ai_memory.index.store import Index
from ai_memory.index.values import EvidenceRow, PageRow


def turn(at: int, text: str, session: str = "s", tool: str = "") -> EvidenceRow:
    return EvidenceRow("w", "p", session, "codex", f"{session}.jsonl", at * 10, at * 10 + 9, f"k{at}", "2026-01-01T00:00:00.000Z",
                       "stop", "assistant", text, tool)  # fmt: skip


def put(index: Index, *rows: EvidenceRow | PageRow) -> list[tuple[Passage, str]]:
    with index.writer() as db:
        evidence.put(db, [row for row in rows if isinstance(row, EvidenceRow)])
        for row in rows:
            if isinstance(row, PageRow):
                pages.put(db, row)
        return passages.cut_pages(db, 100) + passages.cut_sessions(db, 100)


@given(st.integers(1, 40), st.sampled_from(WINDOWS))
def test_windows_cover_every_turn_and_none_is_inside_another(turns: int, window: tuple[int, int]) -> None:
    size, step = window
    spans = [(start, min(start + size, turns)) for start in passages.starts(turns, size, step)]
    assert {place for first, end in spans for place in range(first, end)} == set(range(turns))
    assert all(end > before for (_, before), (_, end) in itertools.pairwise(spans))


@pytest.mark.parametrize("pieces", [[13], [1] * 13, [5, 1, 7], [2, 11]])
def test_a_session_that_grows_has_the_windows_of_one_that_came_at_once(index: Index, pieces: list[int]) -> None:
    at = 0
    for size in pieces:
        put(index, *(turn(place, f"turn number {place}") for place in range(at, at + size)))
        at += size
    with index.reader() as db:
        found = [(one.kind, one.first, one.last, passages.texts(db, [one])[0]) for one in passages.everything(db)]
    wanted = [
        (size, start, min(start + size, 13) - 1, "\n".join(f"turn number {at}" for at in range(start, min(start + size, 13))))
        for size, step in WINDOWS
        for start in passages.starts(13, size, step)
    ]
    assert sorted(found) == sorted(wanted)


def test_only_what_changed_is_cut_again(index: Index) -> None:
    put(index, *(turn(place, f"turn {place}") for place in range(9)))
    assert put(index) == []
    made = put(index, turn(9, "the tenth"))
    assert {one.kind for one, _ in made} == {3, 6} and all("the tenth" in text for _, text in made)


def test_a_section_begins_with_the_title_and_its_heading(index: Index) -> None:
    body = "# Cache\n\nWhy it is there.\n\n## Limits\n\nTen megabytes.\n\n```\n# not a heading\n```\n"
    cut = put(index, PageRow("w", "p", "notes/cache.md", "v1", title="Cache", body=body))
    assert [(one.first, one.last) for one, _ in cut] == [(1, 4), (5, 12)]
    assert cut[0][1] == "Cache\nWhy it is there."
    assert cut[1][1].startswith("Cache: Limits\nTen megabytes.") and "# not a heading" in cut[1][1]


def test_a_new_version_of_a_page_has_its_own_sections(index: Index) -> None:
    put(index, PageRow("w", "p", "a.md", "v1", title="A", body="# One\n\nfirst\n\n# Two\n\nsecond\n"))
    put(index, PageRow("w", "p", "a.md", "v2", title="A", body="third\n"))
    with index.reader() as db:
        known = list(passages.everything(db))
        assert [one.kind for one in known] == [PAGE] and passages.texts(db, known) == ["A\nthird"]


def test_what_is_gone_has_no_passages(index: Index) -> None:
    put(index, turn(0, "hello"), PageRow("w", "p", "a.md", "v1", title="A", body="text"))
    with index.writer() as db:
        pages.remove(db, 1, "a.md")
        evidence.remove(db, 1, 1)
        assert list(passages.everything(db)) == []


def test_a_call_of_a_tool_takes_little_room(index: Index) -> None:
    cut = put(index, turn(0, "make test\n" + "x" * 5_000, tool="Bash"), turn(1, "y" * 5_000))
    assert all(text.startswith("Bash: make test x") and len(text) < 800 for _, text in cut)
