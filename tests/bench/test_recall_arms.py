from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ai_memory.embed.hashing import Hashing
from bench.recall import arms
from bench.recall.values import Corpus, Page, Question, Session, Turn

_AT = datetime(2023, 5, 8, 9, tzinfo=UTC)


def talk(key: str, *texts: str, project: str = "p") -> Session:
    return Session(key, project, _AT, tuple(Turn("user", text) for text in texts))


def corpus(*texts: str, asked: str = "which cache was emptied") -> Corpus:
    return Corpus("set", tuple(talk(f"s{at}", text) for at, text in enumerate(texts)), (Question("p", "k", asked, ("s0",)),))


def test_grep_counts_different_words_before_hits() -> None:
    found = arms.documents(corpus("cache cache cache cache", "the cache was emptied", "nothing"), "p")
    assert arms.grep(found)("which cache was emptied") == ["s1", "s0"]


def test_bm25_prefers_the_rare_word_and_cuts_endings() -> None:
    found = arms.documents(corpus("servers, servers and more", "it was restarted with the server", "servers again"), "p")
    assert arms.bm25(found)("restarting a server")[0] == "s1"


def test_a_document_with_none_of_the_words_is_not_returned() -> None:
    assert arms.bm25(arms.documents(corpus("one thing", "another"), "p"))("elsewhere") == []


def test_a_sessions_date_is_searched() -> None:
    assert arms.bm25(arms.documents(corpus("one thing"), "p"))("what was in May 2023") == ["s0"]


def test_windows_are_three_parts_two_on() -> None:
    assert arms.Document("k", "", tuple("abcde")).windows == ["a\nb\nc", "c\nd\ne"]
    assert arms.Document("k", "", ("a",)).windows == ["a"]


def test_the_sum_of_three_streams_ranks_everything() -> None:
    pytest.importorskip("numpy")
    found = arms.documents(corpus("the cache was emptied by hand", "lunch", "rain"), "p")
    assert arms.summed(found, Hashing().embed)("cache emptied")[0] == "s0"
    assert len(arms.summed(found, Hashing().embed)("cache emptied")) == 3


def test_an_arm_sees_only_the_project_it_is_asked_in() -> None:
    both = Corpus(
        "set", (talk("mine", "a cache"), talk("other", "a cache", project="q")), (Question("p", "k", "cache", ("mine",)),),
        (Page("q", "notes/cache.md", "Cache", "cache"),),
    )  # fmt: skip
    assert arms.run(both, "grep", arms.grep).answers[0].order == ("mine",)
