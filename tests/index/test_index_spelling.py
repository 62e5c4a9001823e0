from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.index import pages, projects, spelling
from ai_memory.index.store import Index
from ai_memory.index.values import PageRow


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [("form", "form", 0), ("form", "from", 1), ("cache", "cahce", 1), ("cache", "cach", 1), ("cat", "dog", 3), ("a", "abcd", 3)],
)
def test_distance_counts_slips(one: str, other: str, away: int) -> None:
    assert spelling.distance(one, other, 2) == away


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_the_same_both_ways(one: str, other: str) -> None:
    assert spelling.distance(one, other, 3) == spelling.distance(other, one, 3)
    assert (spelling.distance(one, other, 3) == 0) == (one == other)


def test_words_are_offered_from_the_own_project_only(index: Index) -> None:
    with index.writer() as db:
        pages.put(db, PageRow("w", "p", "a.md", "v", body="threshold middleware"))
        pages.put(db, PageRow("w", "q", "a.md", "v", body="thresholds oauthmiddleware"))
    with index.reader() as db:
        scope = projects.scope(db, ["p"])
        assert scope is not None
        assert spelling.near(db, "treshold", scope) == ["threshold"]
        assert spelling.near(db, "middelware", scope) == ["middleware"]
        assert spelling.containing(db, "dlewar", scope) == ["middleware"]
        assert spelling.near(db, "elephant", scope) == []
        assert spelling.near(db, "abc", scope) == []


def test_words_nobody_holds_any_more_are_not_offered(index: Index) -> None:
    with index.writer() as db:
        for path in ("a.md", "b.md"):
            pages.put(db, PageRow("w", "p", path, "v", body="threshold"))
        pages.put(db, PageRow("w", "p", "a.md", "v2", body="else"))
    with index.reader() as db:
        scope = projects.scope(db, ["p"])
        assert scope is not None and spelling.near(db, "treshold", scope) == ["threshold"]
    with index.writer() as db:
        pages.put(db, PageRow("w", "p", "b.md", "v2", body="else"))
    with index.reader() as db:
        assert spelling.near(db, "treshold", scope) == []
        assert [row[0] for row in db.execute("SELECT text FROM word")] == ["else"]
