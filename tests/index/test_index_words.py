from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.index import words


def extra(text: str) -> list[str]:
    return words.derive(words.compose(text))[0].replace(words.DOT, ".").split()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain Words, only. HTTP 503", []),
        ("getUserName", ["get", "user", "name"]),
        ("getHTTPName2", ["get", "http", "name", "2"]),
        ("get_user_name", ["getusername"]),
        ("src/index/findAll.py", ["srcindexfindallpy", "findallpy", "src", "index", "find", "all", "py"]),
        ("2.14.3", ["2.14.3"]),
        ("v2.14.3-rc1", ["v2.14.3rc1", "2.14.3", "v", "2", "14", "3", "rc", "1"]),
        ("PAY-1042", ["pay1042"]),
        ("C++ and C#", ["c..", "c.h"]),
        ("E2301", ["e", "2301"]),
        ("3f2a9c1d4b7e", []),
        ("東京都", ["東京", "京都", "都"]),
        ("猫", ["猫", "猫"]),
    ],
)
def test_identifiers_and_unspaced_scripts_get_additional_words(text: str, wanted: list[str]) -> None:
    assert extra(text) == wanted


def test_a_name_has_one_whole_word_in_every_spelling() -> None:
    assert {words.whole(name) for name in ("get_user", "get-user", "getUser", "GET_USER", "get.user")} == {"getuser"}
    assert len({words.whole(name) for name in ("2.14.3", "21.4.3", "2.1.43", "2143")}) == 4


def test_the_vocabulary_holds_words_and_no_hashes() -> None:
    text = "The Ångström of getUserName in 3f2a9c1d4b7e, oauth2 and QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBuzzz"
    known = words.derive(text)[1]
    assert {"angstrom", "getusername", "user", "name", "oauth2"} <= known
    assert "3f2a9c1d4b7e" not in known
    assert max(map(len, known)) <= 32


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(words.fold(text)) == len(text)
    assert len(words.spaced(text)) == len(text) + 2


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_can_be_cleaned_and_derived(text: str) -> None:
    cleaned = words.compose(words.clean(text))
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert words.derive(cleaned) == words.derive(cleaned)


@pytest.mark.parametrize("piece", ["aB", "a.", "a1", "A", "é", "a_", "東", "/", "1."])
def test_time_grows_with_length_only(piece: str) -> None:
    words.derive(piece * 200_000)
