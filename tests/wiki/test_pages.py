"""A page's bytes: front matter and Markdown."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain.page import Page, Stamp
from ai_memory.errors import Invalid
from ai_memory.wiki import pages

V1 = "01930000-0000-7000-8000-000000000001"
V2 = "01930000-0000-7000-8000-000000000002"
STAMP = Stamp(version=V2, by="human:ana", at="2026-11-30T22:41:05.123Z", manual=True, supersedes=V1)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
KEYS = TEXT.filter(lambda key: key not in ("generated", pages.OWN))
SCALARS = st.one_of(
    TEXT,
    st.booleans(),
    st.none(),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["no", "on", "1.10", "2026-01-01", "12:30", "~", "null", "- x", "a: b", "# c", "007", "<<", "1e5"]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
BODIES = st.one_of(
    TEXT,
    st.sampled_from(
        ["", "\n", "\n\nx", "---\n", "a\n---\nb\n", "---\nt: x\n---\n", "x\r\ny\r\n", "\r\nx", "\ufeffx", "no newline"]
    ),
)


@given(
    st.dictionaries(KEYS | st.sampled_from(["type", "title", "tags", "version", "manual", "zzz"]), VALUES, max_size=6),
    BODIES,
    st.sampled_from([None, STAMP]),
)
def test_parse_gives_back_what_render_was_given(meta: dict[str, Any], body: str, stamp: Stamp | None) -> None:
    page = Page("notes/x.md", meta, body)
    parsed, found, warnings = pages.parse(pages.render(page, stamp), "notes/x.md")
    assert repr(dict(sorted(parsed.meta.items()))) == repr(dict(sorted(meta.items())))
    assert (parsed.path, parsed.body, found, warnings) == (page.path, body, stamp, ())


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: ("---\n" + t).encode("utf-8", "replace")))
def test_parse_never_raises(data: bytes) -> None:
    pages.parse(data, "notes/x.md")


@given(st.text("-:\n\r ab\"'[]{}&*!|>#?%@`,~0.", max_size=80))
def test_no_front_matter_breaks_parse_and_render_again(text: str) -> None:
    page, _, _ = pages.parse(f"---\n{text}\n---\nbody\n".encode(), "notes/x.md")
    again, _, warnings = pages.parse(pages.render(page, STAMP), "notes/x.md")
    assert (again.body, warnings) == (page.body, ())
    assert again.meta == {key: value for key, value in page.meta.items() if key not in ("generated", pages.OWN)}


def test_the_order_of_keys_is_fixed_and_the_stamp_comes_last() -> None:
    meta = {"zeta": 1, "tags": ["a", "b c"], "title": "T: x", "alpha": {"m": [{"k": "v", "l": []}]}, "type": "decision"}
    assert pages.render(Page("decisions/x.md", meta, "# T\n"), STAMP).decode() == (
        "---\n"
        "type: decision\n"
        'title: "T: x"\n'
        "tags: [a, b c]\n"
        "zeta: 1\n"
        "alpha:\n"
        "  m:\n"
        "    - k: v\n"
        "      l: []\n"
        "generated:\n"
        "  by: human:ana\n"
        '  at: "2026-11-30T22:41:05.123Z"\n'
        f"version: {V2}\n"
        f"supersedes: {V1}\n"
        "manual: true\n"
        "---\n\n"
        "# T\n"
    )


def test_a_page_with_a_version_of_its_own_keeps_it() -> None:
    page = Page("notes/x.md", {"version": "1.10", "manual": "see appendix"}, "b")
    data = pages.render(page, STAMP)
    assert b'\nversion: "1.10"\n' in data
    assert b"\nai_memory:\n" in data
    assert pages.parse(data, "notes/x.md") == (page, STAMP, ())


def test_hand_written_scalars_keep_their_text() -> None:
    data = b"---\na: no\nb: on\nc: 1.10\nd: 2026-01-01\ne: 12:30\nf: 007\ng: true\nh: 3\ni: 2.5\nj: ~\nk: 1e5\n---\nx"
    page, stamp, warnings = pages.parse(data, "x.md")
    assert page.meta == {
        "a": "no",
        "b": "on",
        "c": "1.10",
        "d": "2026-01-01",
        "e": "12:30",
        "f": "007",
        "g": True,
        "h": 3,
        "i": 2.5,
        "j": None,
        "k": "1e5",
    }
    assert (page.body, stamp, warnings) == ("x", None, ())


@pytest.mark.parametrize(
    ("front", "meta", "says"),
    [
        ("title: Fix: the thing\ntags: [a, b]\n", {"title": "Fix: the thing", "tags": ["a", "b"]}, "line 2"),
        ("title: “smart” quotes\nx: 'open\n", {"title": "“smart” quotes", "x": "'open"}, "line"),
        ("a: 1\na: 2\nb: 3\n", {"a": 2, "b": 3}, "twice"),
        ("x: &a [1]\ny: *a\n", {"x": [1], "y": "*a"}, "aliases"),
        ("x: !!python/object:os.system ls\ny: 1\n", {"x": "!!python/object:os.system ls", "y": 1}, "tag"),
        ("x: [1, 2\ny: 1\n", {"x": "[1, 2", "y": 1}, "line"),
        ("? [a]\n: b\n", {}, "key"),
        ("- a\n- b\n", {}, "keys and values"),
        ("just words\n", {}, "keys and values"),
        ("@@@\n", {}, "line"),
    ],
)
def test_broken_front_matter_is_usable_and_warned_about(front: str, meta: dict[str, Any], says: str) -> None:
    data = f"---\n{front}---\n\n# Body\n".encode()
    page, stamp, (warning,) = pages.parse(data, "notes/x.md")
    assert page.meta == meta
    assert page.body == ("# Body\n" if meta else data.decode())
    assert stamp is None
    assert says in warning
    assert warning.startswith("notes/x.md: ")


def test_unclosed_front_matter_is_text() -> None:
    page, _, warnings = pages.parse(b"---\ntitle: x\n# y\n", "x.md")
    assert (page.meta, page.body, len(warnings)) == ({}, "---\ntitle: x\n# y\n", 1)
    page, _, warnings = pages.parse(b"---\n\nafter a rule\n", "x.md")
    assert (page.body, warnings) == ("---\n\nafter a rule\n", ())


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    page, _, warnings = pages.parse(b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n\r\nbody\r\n", "x.md")
    assert (page.meta, page.body, warnings) == ({"title": "x"}, "body\r\n", ())


def test_bytes_that_are_not_utf8_are_read_with_a_warning() -> None:
    page, _, warnings = pages.parse(b"caf\xe9\n", "x.md")
    assert page.body == "caf\ufffd\n"
    assert "UTF-8" in warnings[0]


@pytest.mark.parametrize(
    "front",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in pairwise("abcdefghi")),
        "a: " + "[" * 5000 + "\n",
        "- " * 50_000 + "\n",
        "".join(" " * i + "a:\n" for i in range(500)),
        "x: " + "y" * 300_000 + "\n",
    ],
)
def test_bombs_take_bounded_time(front: str) -> None:
    before = time.process_time()
    page, _, warnings = pages.parse(f"---\n{front}---\nbody\n".encode(), "x.md")
    pages.render(page, STAMP)
    assert warnings
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    "page",
    [
        Page("x.md", {}, "\ud800"),
        Page("x.md", {"t": "\udfff"}, ""),
        Page("x.md", {"t": float("inf")}, ""),
        Page("x.md", {"t": object()}, ""),
        Page("x.md", {1: "x"}, ""),  # type: ignore[dict-item]
        Page("x.md", {"k" * 1001: "x"}, ""),
        Page("x.md", {"t": 10**50}, ""),
    ],
)
def test_what_the_file_could_not_give_back_is_refused(page: Page) -> None:
    with pytest.raises(Invalid):
        pages.render(page, None)


def test_values_nested_too_deep_are_refused() -> None:
    deep_list: Any = ["x"]
    deep_map: Any = {"x": 1}
    for _ in range(100):
        deep_list, deep_map = [deep_list], {"k": deep_map}
    for value in (deep_list, deep_map):
        with pytest.raises(Invalid, match="nested"):
            pages.render(Page("x.md", {"v": value}, ""), None)


@pytest.mark.parametrize(
    ("path", "meta", "body", "title"),
    [
        ("notes/a-b_c.md", {}, "", "A b c"),
        ("notes/a.md", {}, "intro\n\n# The Heading #\n", "The Heading"),
        ("notes/a.md", {"title": " x \n y "}, "# H\n", "x y"),
        ("notes/a.md", {"title": 7}, "", "7"),
        ("notes/a.md", {"title": ["x"]}, "", "A"),
        ("notes/a.md", {"title": ""}, "# " + "h" * 300, "h" * 200),
    ],
)
def test_every_page_gets_a_title(path: str, meta: dict[str, Any], body: str, title: str) -> None:
    assert pages.title(Page(path, meta, body)) == title


def test_complete_adds_type_and_title_and_keeps_what_is_there() -> None:
    assert pages.complete(Page("gotchas/a.md", {}, "# H\n")).meta == {"type": "gotcha", "title": "H"}
    assert pages.complete(Page("gotchas/a.md", {"type": "Play", "title": "t", "x": 1}, "")).meta == {
        "type": "Play",
        "title": "t",
        "x": 1,
    }
    bare = pages.complete(Page("a.md", {"type": " ", "generated": {"by": "x"}}, "# H"))
    assert bare.meta == {"type": "fact", "title": "H"}


def test_same_ignores_the_stamp_and_the_order_of_keys_only() -> None:
    base = Page("notes/a.md", {"x": 1, "y": ["a"]}, "# B\n")
    stamped = pages.parse(pages.render(pages.complete(base), STAMP), "notes/a.md")[0]
    assert pages.same(base, stamped)
    assert pages.same(base, Page("notes/a.md", {"y": ("a",), "x": 1}, "# B\n"))
    assert not pages.same(base, Page("notes/a.md", {"x": True, "y": ["a"]}, "# B\n"))
    assert not pages.same(base, Page("notes/a.md", {"x": 1, "y": ["a"]}, "# B"))
    assert not pages.same(base, Page("notes/b.md", {"x": 1, "y": ["a"]}, "# B\n"))
