"""Links between pages."""

from __future__ import annotations

import time

import pytest

from ai_memory.domain import links
from ai_memory.domain.links import Link


def test_markdown_links_and_wikilinks_are_found_in_order() -> None:
    body = "# T\nsee [a](b.md#part) and [[Some Page|it]]\n[c](</d e.md> \"title\")\n[[notes/x.md#h]]\n"
    assert links.find(body) == (
        Link("b.md", "a", "part", 1),
        Link("Some Page", "it", "", 1, wiki=True),
        Link("/d e.md", "c", "", 2),
        Link("notes/x.md", "notes/x.md", "h", 3, wiki=True),
    )


def test_links_in_code_are_not_links() -> None:
    body = "```\n[a](a.md)\n```\n`[b](b.md)` ``[[c]] ` x`` [d](d.md)\n"
    body += "~~~~\n[[e]]\n~~~\n[[f]]\n~~~~\n[g](g.md) ` [h](h.md)\n"
    assert [link.target for link in links.find(body)] == ["d.md", "g.md", "h.md"]


@pytest.mark.parametrize(
    ("target", "source", "page"),
    [
        ("/notes/a.md", "decisions/x.md", "notes/a.md"),
        ("a.md", "decisions/x.md", "decisions/a.md"),
        ("../notes/a%20b.md", "decisions/x.md", "notes/a b.md"),
        ("../../etc/passwd.md", "decisions/x.md", ""),
        ("https://example.org/a.md", "x.md", ""),
        ("mailto:a@b", "x.md", ""),
        ("//host/a.md", "x.md", ""),
        ("image.png", "x.md", ""),
        ("index.md", "x.md", ""),
    ],
)
def test_a_markdown_link_resolves_inside_the_bundle_only(target: str, source: str, page: str) -> None:
    assert links.resolve(Link(target, "", "", 0), source) == page


def test_a_wikilink_resolves_when_it_holds_a_path() -> None:
    assert links.resolve(Link("notes/a", "", "", 0, wiki=True), "x/y.md") == "notes/a.md"
    assert links.resolve(Link("Some Title", "", "", 0, wiki=True), "x/y.md") == ""


@pytest.mark.parametrize("path", ["notes/a.md", "notes/a b (c).md", "заметки/план.md", "a/100%.md", "a/[x].md"])
def test_a_link_made_to_a_page_leads_back_to_it(path: str) -> None:
    (link,) = links.find(f"[t]({links.to(path)})")
    assert links.resolve(link, "elsewhere/x.md") == path


@pytest.mark.parametrize(
    "hostile", ["[" * 100_000, "[a](" * 30_000, "`" * 50_001 + "[", "[[a|" * 30_000, "[` `` " * 20_000]
)
def test_hostile_lines_take_bounded_time(hostile: str) -> None:
    before = time.process_time()
    links.find(hostile)
    assert time.process_time() - before < 2
