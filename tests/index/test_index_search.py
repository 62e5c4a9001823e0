from __future__ import annotations

import random
from pathlib import Path

import neighbours
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_memory.index import evidence, pages, search, store
from ai_memory.index.store import Index
from ai_memory.index.values import EvidenceRow, Hit, PageRow

P, Q = "project-p", "project-q"


def page(path: str, body: str, title: str = "", project: str = P, **more: str) -> PageRow:
    return PageRow("w", project, path, "v1", title=title, body=body, type="Note", **more)


def seen(start: int, text: str, project: str = P, session: str = "s1") -> EvidenceRow:
    at = "2026-11-30T22:41:05.123Z"
    return EvidenceRow("w", project, session, "codex", f"{project}/{session}.jsonl", start, start + 90, f"k{start}", at,
                       "stop", "assistant", text)  # fmt: skip


def put(index: Index, *rows: PageRow | EvidenceRow) -> None:
    with index.writer() as db:
        pages.put_all(db, [row for row in rows if isinstance(row, PageRow)])
        evidence.put(db, [row for row in rows if isinstance(row, EvidenceRow)])


def find(index: Index, text: str, *among: str, limit: int = 10) -> list[Hit]:
    with index.reader() as db:
        return search.pages(db, text, among or (P,), limit)


def paths(hits: list[Hit]) -> list[str]:
    return [hit.path for hit in hits]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory):
    index = store.open(tmp_path_factory.mktemp("twins") / "index.db")
    rows = [
        page(f"notes/{family}-{i}.md", neighbours.note(thing, i), f"Note {i}")
        for family, things in neighbours.families().items()
        for i, (thing, _) in enumerate(things)
    ]
    rows += [page(f"notes/form-{w}.md", neighbours.note(text, i)) for i, (w, text, _) in enumerate(neighbours.FORMS)]
    rows += [page(f"notes/spelt-{w}.md", neighbours.note(w, i)) for i, (w, _) in enumerate(neighbours.MISSPELT)]
    put(index, *rows)
    with index.writer() as db:
        at = 0
        for family, things in neighbours.families().items():
            evidence.put(db, [seen(at + i * 100, neighbours.note(t, i), session=family) for i, (t, _) in enumerate(things)])
    yield index
    index.close()


@pytest.mark.parametrize("family", list(neighbours.families()))
def test_the_exact_thing_comes_before_its_twins(twins: Index, family: str) -> None:
    wrong = []
    for i, (_, asked) in enumerate(neighbours.families()[family]):
        found = paths(find(twins, asked, limit=5))
        if found[:1] != [f"notes/{family}-{i}.md"]:
            wrong.append((asked, found))
    assert wrong == []


@pytest.mark.parametrize("family", list(neighbours.families()))
def test_the_exact_thing_comes_first_in_evidence_too(twins: Index, family: str) -> None:
    for i, (_, asked) in enumerate(neighbours.families()[family]):
        with twins.reader() as db:
            hits = search.evidence(db, asked, [P], 5)
        assert (hits[0].session, hits[0].first) == (family, i * 100), asked


def test_other_forms_of_a_word_are_found(twins: Index) -> None:
    first = [paths(find(twins, asked, limit=5))[:1] == [f"notes/form-{w}.md"] for w, _, asked in neighbours.FORMS]
    assert sum(first) >= 11


def test_misspelt_words_are_found(twins: Index) -> None:
    first = [paths(find(twins, asked, limit=5))[:1] == [f"notes/spelt-{w}.md"] for w, asked in neighbours.MISSPELT]
    assert sum(first) >= 11


def test_a_hit_says_how_a_word_was_read(twins: Index) -> None:
    (hit, *_) = find(twins, "kuberentes")
    assert any("read as kubernetes" in why for why in hit.why)
    assert "**kubernetes**" in hit.snippet


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("It was the getUserName call", "get_user_name"),
        ("It was the get_user_name call", "getUserName"),
        ("It was the user name call", "userName"),
        ("It was the getUserName call", "user name"),
        ("It was the oauthmiddleware call", "middleware"),
        ("See docs/architecture/rooms.md for it", "architecture/rooms.md"),
        ("See C:\\work\\app\\main.cs for it", "app\\main.cs"),
        ("Released v2.14.3-rc1 today", "2.14.3"),
        ("Released 2.14.3 today", "v2.14.3"),
        ("Commit 3f2a9c1d4b7e8a90aa41 broke it", "3f2a9c1"),
        ("Commit 3f2a9c1 broke it", "3f2a9c1d4b7e8a90aa41"),
        ("An Ångström is small", "angstrom"),
        ("A small angstrom", "Ångström"),
        ("decisões sobre migração", "migracao"),
        ("Ｆｕｌｌ width ｔｅｘｔ", "full text"),
        ("written in C++ only", "c++"),
        ("設定ファイルを直した", "設定"),
        ("我们放弃了缓存方案", "为什么放弃缓存"),
        ("데이터베이스가 느려짐", "데이터베이스"),
        ("Straße nach Ωmega и Привет", "привет"),
        ("failed with ERR_TLS_CERT_ALTNAME", "ERR_TLS_CERT"),
        ("configuration of the server", "config"),
    ],
)
def test_spellings_meet(index: Index, said: str, asked: str) -> None:
    put(index, page("a.md", said), page("b.md", "Something else entirely was going on here."))
    assert paths(find(index, asked)) == ["a.md"]


HOSTILE = [
    '"', '""', "'", "AND OR", "NOT", "NEAR(", "NEAR(a b, 3)", "*", "a*", "^a", "a/b", "C++", "col:a", "body : x", "{title} : a",
    "-a", "+", "(((", "\0", "a\0b", "", "   ", "\ud800", "a" * 10_000, "a " * 5_000, '"a' * 3_000, "x_" * 5_000, "東" * 10_000,
    "'; DROP TABLE page; --", "%", "_", "\\", "\n\n", "🦀", "e\u0301" * 500, "𠮷野家", "a.b.c.d.e" * 400, "٣٤٥",
]  # fmt: skip


@pytest.mark.parametrize("typed", HOSTILE)
def test_no_query_is_an_error(index: Index, typed: str) -> None:
    put(index, page("a.md", "A plain page about C++ and a/b"), seen(0, "Some evidence a/b"))
    with index.reader() as db:
        search.pages(db, typed, [P], 5)
        search.evidence(db, typed, [P], 5)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_can_be_put_changed_and_taken_out(index: Index, text: str) -> None:
    put(index, page("a.md", text, text), seen(0, text))
    put(index, page("a.md", "now plain"))
    assert paths(find(index, "plain")) == ["a.md"]
    with index.writer() as db:
        db.execute("INSERT INTO page_words (page_words) VALUES ('integrity-check')")
        pages.remove(db, 1, "a.md")
    with index.reader() as db:
        assert db.execute("SELECT count(*) FROM page_terms").fetchone()[0] == 0
    assert find(index, "plain") == []


def test_nothing_is_found_where_nothing_is(index: Index) -> None:
    put(index, page("a.md", "The cache was dropped"))
    assert find(index, "zzyzx quetzalcoatl") == []
    assert find(index, "cache", "unknown project") == []
    assert find(index, "cache", limit=0) == []
    with index.reader() as db:
        assert search.pages(db, "cache", []) == []


def test_the_title_counts_more_than_the_body(index: Index) -> None:
    put(index, page("a.md", "We spoke of caching once. " + "Other words follow. " * 5), page("z.md", "Other words.", "Caching"))
    assert paths(find(index, "caching")) == ["z.md", "a.md"]


def test_the_phrase_counts_more_than_its_words(index: Index) -> None:
    put(index, page("a.md", "the pool of a connection and more"), page("z.md", "more and the connection pool"))
    assert paths(find(index, "connection pool"))[0] == "z.md"


def test_an_exact_word_counts_more_than_many_longer_ones(index: Index) -> None:
    put(index, page("a.md", "configure configurable configuration configured " * 3), page("z.md", "the config is here"))
    assert paths(find(index, "config"))[0] == "z.md"


def test_more_of_the_query_counts_more_than_often_the_same(index: Index) -> None:
    put(index, page("a.md", "redis redis redis redis"), page("b.md", "redis was dropped for latency, a long story of ours"))
    assert paths(find(index, "redis latency dropped"))[0] == "b.md"


def test_a_word_in_every_page_still_finds_them(index: Index) -> None:
    put(index, *(page(f"{i}.md", f"the redis note number {i}") for i in range(40)))
    assert paths(find(index, "redis", limit=3)) == ["0.md", "1.md", "10.md"]


def test_equals_are_in_the_order_of_paths_whatever_the_order_of_writing(tmp_path: Path) -> None:
    rows = [page(f"{i:03}.md", "the same text about redis") for i in range(300)]
    rows += [page(f"x{i:03}.md", "another text") for i in range(400)]
    answers = []
    for seed in (1, 2):
        random.Random(seed).shuffle(rows)
        index = store.open(tmp_path / f"{seed}.db")
        for row in rows:
            put(index, row)
        answers.append([(hit.path, hit.score) for hit in find(index, "redis", limit=7)])
        index.close()
    assert answers[0] == answers[1]
    assert [path for path, _ in answers[0]] == [f"{i:03}.md" for i in range(7)]


def test_a_changed_page_is_found_by_its_new_words_only(index: Index) -> None:
    put(index, page("a.md", "about tangerines"))
    put(index, page("a.md", "about pomegranates"))
    assert find(index, "tangerines") == []
    assert paths(find(index, "pomegranates")) == ["a.md"]


def test_path_tags_and_description_are_searched(index: Index) -> None:
    put(index, PageRow("w", P, "gotchas/docker-volume.md", "v", tags=("payments",), description="mounts vanish", body="x"))
    for asked in ("docker", "payments", "vanish", "gotchas/docker-volume.md"):
        assert paths(find(index, asked)) == ["gotchas/docker-volume.md"], asked


def test_a_page_hit_shows_the_best_passage_and_its_lines(index: Index) -> None:
    filler = "Nothing of note happened on this line.\n"
    body = "# Title\n\n" + filler * 20 + "Here the **deadlock** of the ledger was fixed.\n" + filler * 20
    put(index, page("a.md", body, "Notes", at="2026-01-02T03:04:05.000Z"))
    (hit,) = find(index, "ledger deadlock")
    assert "the **deadlock** of the **ledger** was" in hit.snippet
    assert hit.first <= 23 <= hit.last
    assert (hit.at, hit.kind, hit.version, hit.title) == ("2026-01-02T03:04:05.000Z", "Note", "v1", "Notes")
    assert len(hit.snippet) < 280


def test_an_evidence_hit_says_where_it_stands(index: Index) -> None:
    put(index, seen(100, "We saw the deadlock again"), seen(200, "and went home"))
    with index.reader() as db:
        (hit,) = search.evidence(db, "deadlocks", [P])
    assert (hit.session, hit.agent, hit.file, hit.first, hit.last) == ("s1", "codex", f"{P}/s1.jsonl", 100, 190)
    assert hit.snippet == "We saw the **deadlock** again"


def test_scores_are_above_zero_and_fall(index: Index) -> None:
    put(index, *(page(f"{i}.md", "redis " * (i + 1) + "and more words " * 9) for i in range(9)), page("x.md", "else"))
    scores = [hit.score for hit in find(index, "redis and words")]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


WORDS = st.sampled_from(
    ["redis", "cache", "auth", "token", "ledger", "queue", "idempotency", "idempotent", "getUserName", "2.14.3", "認証", "缓存"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
PAGES = st.lists(st.tuples(st.sampled_from("abcdef"), TEXTS), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mine=PAGES, theirs=PAGES, asked=TEXTS, misspelt=st.sampled_from(["", "idempotancy", "ledgre", "quue"]))
def test_another_project_is_never_seen_and_changes_only_scores(
    tmp_path_factory: pytest.TempPathFactory,
    mine: list[tuple[str, str]],
    theirs: list[tuple[str, str]],
    asked: str,
    misspelt: str,
) -> None:
    index = store.open(tmp_path_factory.mktemp("two") / "index.db")
    for project, rows in ((P, mine), (Q, theirs), (P, mine)):
        put(index, *(page(f"{name}.md", f"{project} {text}", text, project) for name, text in rows))
        put(index, *(seen(i, f"{project} {text}", project) for i, (_, text) in enumerate(rows)))
    hits = find(index, f"{asked} {misspelt}", P, limit=20)
    with index.reader() as db:
        hits += search.evidence(db, f"{asked} {misspelt}", [P], 20)
        both = search.pages(db, f"{asked} {misspelt}", [P, Q, "unknown"], 20)
    index.close()
    assert {hit.project for hit in hits} <= {P}
    assert all(Q not in hit.snippet for hit in hits)
    last = {f"{name}.md": text for name, text in mine}
    wanted = {path for path, text in last.items() if set(asked.split()) & set(text.split())}
    assert wanted <= {hit.path for hit in hits if hit.path}
    assert {hit.path for hit in both if hit.project == P} >= wanted
