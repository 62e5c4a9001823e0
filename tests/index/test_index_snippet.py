from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ai_memory.index import snippet

PATTERN = re.compile(r"(?P<t0>redis)|(?P<t1>cache\w*)|(?P<t2>東)")


def test_without_a_match_the_beginning_is_shown_after_headings() -> None:
    assert snippet.cut("# Title\n\n## Part\nFirst words.\nSecond.", PATTERN).text == "… First words. Second."


def test_the_place_with_the_most_different_terms_is_shown() -> None:
    text = "redis redis redis. " + "x y z " * 100 + "the cache of redis. " + "x y z " * 100
    passage = snippet.cut(text, PATTERN, 60)
    assert "**cache** of **redis**" in passage.text
    assert passage.text.startswith("… ") and passage.text.endswith(" …")


def test_lines_are_counted_from_one() -> None:
    text = "a\nb\nredis\nc"
    assert snippet.lines(text, snippet.cut(text, PATTERN)) == (1, 4)
    assert snippet.lines(text, snippet.Passage("", 4, 9)) == (3, 3)


@given(st.text(alphabet="redis cache東\n*#-_x", max_size=600), st.integers(10, 80))
def test_any_text_gives_one_short_line_with_paired_marks(text: str, length: int) -> None:
    passage = snippet.cut(text, PATTERN, length)
    assert "\n" not in passage.text
    assert passage.text.count("**") % 2 == 0
    assert 0 <= passage.start <= passage.end <= len(text)
