"""The page of a session: what it shows, and that nothing told to it can change its structure."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from story import NOW, SESSION, asks, edits, ends, runs, says, told, uses

from ai_memory.domain import links
from ai_memory.domain.observation import Observation
from ai_memory.domain.page import Page
from ai_memory.learn import session

LIMIT = 12_288
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PARTS = [
    "What was asked", "What was done", "The agent's own summary", "Files", "Commands", "Failures and what came after",
    "Tools", "Where it stopped", "Unfinished",
]  # fmt: skip
PLAIN = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "blockquote_open",
    "blockquote_close", "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
}  # fmt: skip
INLINE = {"text", "softbreak", "code_inline"}


def page_of(*steps: Observation) -> Page:
    digest = session.summarise(SESSION, told(*steps), NOW)
    assert digest is not None
    path, page = session.render(digest)
    assert path == page.path
    return page


def headings(tokens: list[Token]) -> list[tuple[str, str]]:
    return [(one.tag, tokens[place + 1].content) for place, one in enumerate(tokens) if one.type == "heading_open"]


def size(page: Page) -> int:
    return len(page.body.encode()) + sum(len(f"{key}: {value}\n".encode()) for key, value in page.meta.items())


def check(page: Page) -> None:
    """The page has our structure and no other, holds no link, and is small."""
    tokens = MARKDOWN.parse(page.body)
    assert {one.type for one in tokens} <= PLAIN
    found = headings(tokens)
    assert [tag for tag, _ in found].count("h1") == 1 and found[0][0] == "h1"
    names = [name for _, name in found[1:]]
    assert names == [name for name in PARTS if name in names]
    assert {inner.type for one in tokens for inner in one.children or ()} <= INLINE
    assert not links.find(page.body)
    assert page.body.startswith("# ") and "\x00" not in page.body
    page.body.encode("utf-8")
    assert size(page) <= LIMIT


def test_a_page_tells_what_was_asked_done_and_where_it_stopped() -> None:
    page = page_of(
        asks("Fix the `parse()` bug in [a](http://x)"),
        uses("Read", paths=("a.py",)),
        runs("pytest -q", "error", "E   KeyError: 'x'"),
        edits("a.py"),
        runs("pytest -q"),
        uses("TodoWrite", arguments="[x] fix\n[ ] write a changelog entry"),
        says("Fixed. Shall I push?"),
        ends("exit"),
    )
    assert page.path == "sessions/2026-11-30-339c234f.md"
    assert page.body == (
        "# Fix the `parse()` bug in \\[a\\](http://x)\n\n"
        "- Agent: claude-code\n- Branch: `main`\n"
        "- Time: 2026-11-30 22:00 UTC to 2026-11-30 22:00 UTC (less than a minute)\n- Ended: exit\n"
        "- Evidence: `ai-memory://session/339c234f-e829-59f8-95bd-95586cddca35`\n\n"
        "## What was asked\n\n1\\. 22:00 UTC\n\n> Fix the `parse()` bug in \\[a\\](http://x)\n\n"
        "## What was done\n\n### Files\n\n- edited: `a.py`\n\n"
        "### Commands\n\n- 1 ok, 1 failed of 2, last ok: `pytest -q`\n\n"
        "### Failures and what came after\n\n"
        "- `pytest -q` failed with `E KeyError: 'x'`; after changes to `a.py` it passed\n\n"
        "### Tools\n\n- 5 calls, 1 of them failed: `Bash` 2, `Read` 1, `Edit` 1, `TodoWrite` 1\n\n"
        "## Where it stopped\n\nThe agent said last:\n\n> Fixed. Shall I push?\n\n"
        "### Unfinished\n\n- Asked and not answered: Shall I push?\n- To do: write a changelog entry\n"
    )
    assert page.meta["description"] == "1 prompt and 5 tool calls in less than a minute, changing a.py."
    assert page.meta["sources"] == [
        {"resource": "ai-memory://session/339c234f-e829-59f8-95bd-95586cddca35", "author": "claude-code"}
    ]
    check(page)


def test_a_session_without_a_usable_prompt_has_a_plain_title() -> None:
    page = page_of(uses("Read", paths=("a",)))
    assert page.body.startswith("# Session with claude-code on 2026-11-30\n")
    check(page)


def test_a_huge_session_keeps_head_and_tail_with_counts() -> None:
    page = page_of(
        *[asks(f"prompt {number} " + "x" * 3_000) for number in range(500)],
        *[runs(f"make t{number}", "error" if number % 3 else "ok", "Error: x" * 90) for number in range(5_000)],
        *[edits(f"src/f{number}.py") for number in range(5_000)],
        says("y" * 16_000),
    )
    check(page)
    assert "> prompt 0 " in page.body and "> prompt 499 " in page.body
    assert "prompts left out, all in the evidence" in page.body and "500\\. " in page.body
    assert "`src/f0.py`" in page.body and "`src/f4999.py`" in page.body
    assert "4,9" in page.body and "files left out" in page.body
    assert size(page) > 5_000


NASTY = [
    "# not ours", "---\ntitle: x\n---", "x\n===", "x\n---", "```\nx", "~~~", "    code", "\tcode", "<b>x</b>",
    "<!-- x", "<script>alert(1)</script>", "[a](http://x)", "![a](x)", "[a]: http://x", "[[page]]", "<http://x>",
    "| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n:-|-:\n1 | 2", "> q", "* a", "- a", "+ a", "1. a", "2) a", "`", "``",
    "`a` ` [x](y)", "``` `[x](y)`", "\\", "\\[a](b)", "\\`[x](y)`", "a\\", "&#35; x", "&lt;b&gt;", "*a*", "__a__", "~~a~~",
    "# a #", "#", "\x00", "\ud800", "\u202e", "\u2028# x", "\r# x", "\x1b[31mred", "\x0b# x", "\x85# x", "* * *", "_ _ _",
    "</ai-memory-context>", "x" * 5_000, "`" * 3_000, "*" * 3_000, "日" * 3_000, "🙂" * 2_000, "a\n\n\n\nb", "# x\n" * 900,
]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=30)), max_size=6).flatmap(
    lambda parts: st.sampled_from(["\n", " ", "", "\n\n"]).map(lambda glue: glue.join(parts))
)


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, min_size=1, max_size=8))
@example(NASTY)
@example(["`" * 3_000])
@example(["*" * 3_000] * 60)
@example(["\\" * 3_000] * 60)
def test_nothing_told_makes_structure_of_its_own(parts: list[str]) -> None:
    steps = []
    for part in parts:
        steps += [
            asks(part), uses(part[:200] or "x", paths=(part[:1_000],)), runs(part, "error", part), edits(part[:1_000]),
            runs(part, "ok", part), runs(part + " again", "error", part), says(part, subagent=part[:200]),
            uses("TodoWrite", arguments="\n".join(f"[ ] {line}" for line in part.split("\n"))), says(f"{part}?"), ends(part),
        ]  # fmt: skip
    check(page_of(*steps))
