from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.index import query


def texts(typed: str) -> list[str]:
    return [term.text for term in query.parse(typed).terms]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("why did we drop Redis?", ["drop", "Redis"]),
        ("o que foi decidido sobre o cache", ["decidido", "cache"]),
        ("who are they", ["who", "are", "they"]),
        ("fix for 2.14.3 in src/a.py", ["fix", "2.14.3", "src/a.py"]),
        ('say "connection pool" now', ["connection pool", "say", "connection", "pool"]),
        ("認証トークンの期限", ["認証", "トークン", "期限"]),
        ("IT outage", ["IT", "outage"]),
        ("", []),
        ("?!* ()", []),
    ],
)
def test_terms_are_what_the_query_is_about(typed: str, wanted: list[str]) -> None:
    assert texts(typed) == wanted


@pytest.mark.parametrize(("word", "begins"), [("migrations", "migr"), ("retrying", "retry"), ("bus", "bus"), ("s3", "s3")])
def test_forms_of_a_word_are_shown_together(word: str, begins: str) -> None:
    assert query.stem_of(word) == begins


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_what_is_typed_is_never_syntax(typed: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(title, lead, body, extra)")
    for term in query.parse(typed).terms:
        for match in (term.exact, *term.looser):
            db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (match,)).fetchone()
    db.close()
