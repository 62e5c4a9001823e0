"""Statements that cannot both hold."""

from __future__ import annotations

import random
import time

import pytest
from contradictions import HELD_OUT, KNOWN
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.domain.contradiction import Finding, Statement, compare, find, statements


def measure(pairs: list[tuple[str, str, bool]]) -> tuple[float, float, list[str]]:
    """Precision, recall, and the pairs that were judged wrongly."""
    found = [(one, other, true, compare(Statement(one), Statement(other)) is not None) for one, other, true in pairs]
    right = sum(true and told for *_, true, told in found)
    told, real = sum(told for *_, told in found), sum(true for *_, true, _ in found)
    return right / max(told, 1), right / real, [f"{one} / {other}" for one, other, true, told in found if true != told]


@pytest.mark.parametrize(("name", "pairs", "recall"), [("known", KNOWN, 0.85), ("held out", HELD_OUT, 0.7)])
def test_what_is_told_is_nearly_always_right(name: str, pairs: list[tuple[str, str, bool]], recall: float) -> None:
    precision, found, _ = measure(pairs)
    real = sum(true for *_, true in pairs)
    print(f"{name}: {real} contradictions and {len(pairs) - real} others, precision {precision:.3f}, recall {found:.3f}")
    assert precision >= 0.9 and found >= recall


def test_the_sets_are_large_enough_and_apart() -> None:
    for pairs, real, others in ((KNOWN, 50, 70), (HELD_OUT, 25, 35)):
        assert sum(true for *_, true in pairs) >= real and sum(not true for *_, true in pairs) >= others
    assert not {pair[:2] for pair in KNOWN} & {pair[:2] for pair in HELD_OUT}


@pytest.mark.parametrize(("one", "other", "true"), [*KNOWN, *HELD_OUT])
def test_the_order_makes_no_difference(one: str, other: str, true: bool) -> None:
    a, b = Statement(one, 3), Statement(other, 7)
    there, back = compare(a, b), compare(b, a)
    assert (there is None) == (back is None)
    if there and back:
        assert (there.one, there.other, there.said, there.against) == (back.other, back.one, back.against, back.said)


def test_a_finding_says_what_each_claims() -> None:
    one = Statement("The API server listens on port 8080.", 4, "Deploy")
    other = Statement("The API server listens on port 9090.", 9, "Runbook API")
    assert compare(one, other) is None  # "API server" alone may be that of another page's subject
    other = Statement(other.text, 9, "Deploy")
    assert compare(one, other) == Finding("value", "api server listens port", one, other, "8080", "9090")
    never, always = Statement("Never edit generated files."), Statement("Always edit generated files.")
    assert compare(never, always) == Finding("polarity", "edit generated files", never, always, "is not so", "is so")
    gone, kept = Statement("We dropped Celery from the worker."), Statement("The worker uses Celery.")
    assert compare(kept, gone) == Finding("replaced", "celery", kept, gone, "used", "no longer used")


@pytest.mark.parametrize("titles", [("Deploy", "Deploy"), ("Architecture", "Runbook")])
def test_what_is_told_of_pages_is_right_whatever_their_titles(titles: tuple[str, str]) -> None:
    found = [true for one, other, true in KNOWN if compare(Statement(one, 1, titles[0]), Statement(other, 1, titles[1]))]
    assert sum(found) >= 0.95 * len(found) and len(found) >= 40


@pytest.mark.parametrize(
    ("topic", "other", "told"),
    [
        ("Billing", "Billing", True), ("Billing > Staging", "Billing > Production", False),
        ("Old API > Billing", "API > Billing", False),
    ],
)  # fmt: skip
def test_headings_say_where_a_statement_holds(topic: str, other: str, told: bool) -> None:
    one = Statement("The billing timeout is 30 s.", 1, topic)
    assert (compare(one, Statement("The billing timeout is 60 s.", 1, other)) is not None) == told


def test_pages_are_compared_through_the_statements_they_share_words_with() -> None:
    old = statements("# Billing\n\nBilling stores invoices in S3. Tests are quick.\n\n- Invoices must be signed.\n", "Billing")
    new = statements("# Billing\n\nBilling stores invoices in GCS.\n\n- Invoices must not be signed.\n", "Billing")
    assert [(found.kind, found.one.line, found.other.line) for found in find(old, new)] == [("value", 3, 3), ("polarity", 5, 5)]
    assert find(old, old) == ()


SERVICES = [f"{a} {b}" for a in "billing search mail upload audit report login invoice".split() for b in "gateway importer worker".split()]  # noqa: SIM905
FACTS = (
    "The {s} listens on port {n}.", "The {s} is written in {lang}.", "The {s} uses {db} for {t}.", "Timeout: {n} s", "port: {n}",
    "The {s} retries {t} {m} times.", "The timeout is {n} ms.", "The tests take {m} minutes.", "status: {w}", "We fixed {t} in 1.{m}.",
    "The {s} does not cache {t}.", "The {s} caches {t}.", "Never log {t} in the {s}.", "Run `make {w}` first.", "Owner: team {w}",
    "The {s} supports {lang} clients.", "| {t} | {n} |", "Tests: {n} passed", "It is {w}.", "The default {t} limit is {n}.",
    "The server must be restarted after a change of {t}.", "If {t} is empty, the {s} returns {n}.", "See {w}/{t}.md for more.",
)  # fmt: skip
WORDS = {
    "lang": ["Go", "Rust", "Python"], "db": ["Postgres", "Redis", "SQLite"], "w": ["done", "open", "slow", "lint", "alpha", "blue"],
    "t": ["tokens", "sessions", "invoices", "labels", "avatars", "drafts", "quotas", "cursors", "locales", "receipts"],
}  # fmt: skip


def flood(pages: int, seed: int) -> list[tuple[Statement, ...]]:
    """Pages about things of their own: none says anything about what another is about."""
    chance = random.Random(seed)
    made = []
    for number in range(pages):
        service = f"{SERVICES[number % len(SERVICES)]} {number}".replace(" ", "-")
        lines = []
        for fact in chance.sample(FACTS, 10):
            given = {name: chance.choice(values) for name, values in WORDS.items()}
            lines.append("- " + fact.format(s=service, n=chance.randint(1, 9000), m=chance.randint(2, 60), **given))
        made.append(statements("\n".join([f"# {service}", "", *lines]), service))
    return made


def test_pages_about_different_things_hardly_ever_contradict() -> None:
    pages = flood(200, 7)
    found = [finding for at, page in enumerate(pages) for other in pages[at + 1 :] for finding in find(page, other)]
    pairs = len(pages) * (len(pages) - 1) // 2
    print(f"{len(found)} findings in {pairs} pairs of pages: {[(f.one.text, f.other.text) for f in found[:5]]}")
    assert len(found) <= pairs // 1000
    planted = [
        f"# Operations\n\nThe {page[0].topic.split(' > ')[0]} listens on port 9999. The {page[0].topic.split(' > ')[0]} is written in Zig."
        for page in pages[:40]
    ]
    told = [bool(find(page, statements(text, "Operations"))) for page, text in zip(pages, planted, strict=False)]
    sayers = [any(" listens on " in said.text or " written in " in said.text for said in page) for page in pages[:40]]
    assert told == sayers and sum(told) >= 20


@settings(max_examples=200)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_compared_without_an_error(one: str, other: str) -> None:
    compare(Statement(one), Statement(other))
    assert compare(Statement(one), Statement(one)) is None


@pytest.mark.parametrize("piece", ["a ", "1 ", "`", "is is ", "we dropped x from ", "a was replaced by b ", "if ", "word. ", "k: v "])
def test_a_long_statement_costs_little(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = time.process_time()
    compare(Statement(text), Statement(text + "not"))
    compare(Statement(text[:300]), Statement(text[:290]))
    statements(text)
    assert time.process_time() - start < 1.0
