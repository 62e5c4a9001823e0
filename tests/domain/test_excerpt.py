"""Short, harmless pieces of text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain import excerpt


@given(st.text(), st.integers(8, 200))
def test_cuts_hold_their_bounds_in_bytes(text: str, most: int) -> None:
    for cut in (excerpt.cut, excerpt.line, excerpt.block):
        assert excerpt.size(cut(text, most)) <= most
    assert "\n" not in excerpt.line(text, most)


@given(st.text(st.characters(exclude_categories=[])))
def test_harmless_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    once = excerpt.harmless(text)
    once.encode("utf-8")
    assert excerpt.harmless(once) == once and "\x00" not in once and "\r" not in once


def test_text_of_any_script_is_left_alone() -> None:
    for text in ("Grüße", "日本語", "العربية", "👩‍👩‍👧", "می‌خواهم", "a\tb\nc"):
        assert excerpt.harmless(text) == text


def test_terminal_codes_go() -> None:
    assert excerpt.harmless("\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b(B") == "red x(B"


def test_a_block_keeps_head_and_tail_in_lines() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    short = excerpt.block(text, 100)
    assert short.startswith("line 0\nline 1") and short.endswith("line 999") and "\n…\n" in short
    assert excerpt.block("a  \n\n\n\n b\n", 100) == "a\n\n b"


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(0, 400))
def test_ends_fit_and_never_overlap(sizes: list[int], most: int) -> None:
    head, tail = excerpt.ends(len(sizes), sizes, most)
    assert head + tail <= len(sizes) and 0 <= head - tail <= 1
    assert sum(sizes[:head]) + sum(sizes[len(sizes) - tail :]) <= most
