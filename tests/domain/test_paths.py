"""The rules for a page's path."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain import paths
from ai_memory.errors import Invalid


@pytest.mark.parametrize(
    ("given_path", "canonical"),
    [
        ("notes/a.md", "notes/a.md"),
        ("notes/a", "notes/a.md"),
        ("notes/v1.2", "notes/v1.2.md"),
        ("README.MD", "README.md"),
        ("_rules/no-force-push.md", "_rules/no-force-push.md"),
        ("notes/cafe\u0301.md", "notes/caf\u00e9.md"),
        ("заметки/план.md", "заметки/план.md"),
        ("notes/決定.md", "notes/決定.md"),
        ("notes/with space.md", "notes/with space.md"),
        ("notes/می‌خواهم.md", "notes/می‌خواهم.md"),
    ],
)
def test_a_good_path_gets_its_one_spelling(given_path: str, canonical: str) -> None:
    assert paths.check(given_path) == canonical
    assert paths.canonical(canonical)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("/etc/passwd.md", "absolute"),
        ("C:/x.md", "absolute"),
        ("c:x.md", "absolute"),
        ("notes\\x.md", "backslash"),
        ("../x.md", "'..'"),
        ("notes/../x.md", "'..'"),
        ("./x.md", "'.'"),
        ("notes//x.md", "empty folder"),
        ("notes/", "no file name|hidden"),
        ("notes/\x00.md", "invisible"),
        ("notes/a\nb.md", "invisible"),
        ("notes/a\u200bb.md", "invisible"),
        ("notes/a\u202eb.md", "invisible"),
        ("notes/\ud800.md", "invisible"),
        ("notes /x.md", "space or dot"),
        ("notes./x.md", "space or dot"),
        ("notes/ x.md", "space"),
        ("notes/CON.md", "Windows"),
        ("nul/x.md", "Windows"),
        ("notes/com1.anything.md", "Windows"),
        ("notes/LPT¹.md", "Windows"),
        ("index.md", "reserved"),
        ("notes/INDEX.md", "reserved"),
        ("notes/log.md", "reserved"),
        ("log", "reserved"),
        (".git/config.md", "hidden"),
        ("notes/.md", "hidden"),
        ("notes/a:b.md", "some systems"),
        ("notes/what?.md", "some systems"),
        ("notes/a.txt", "not end in .md"),
        ("notes/a.md/b.md", "named like a page"),
        ("notes/" + "x" * 300 + ".md", "longer than 120"),
        ("notes/" + "é" * 60 + ".md", "longer than 120"),
        ("/".join(["d" * 100] * 3) + ".md", "longer than 240"),
        ("git~1/x.md", "Windows"),
    ],
)
def test_a_bad_path_is_refused_with_a_sentence(path: str, says: str) -> None:
    with pytest.raises(Invalid, match=says) as caught:
        paths.check(path)
    assert str(caught.value).endswith(".")
    str(caught.value).encode()


def test_a_long_path_is_not_repeated_whole() -> None:
    with pytest.raises(Invalid) as caught:
        paths.check("x" * 5000)
    assert len(str(caught.value)) < 250


@given(st.text(max_size=60))
def test_check_is_idempotent_and_its_result_is_safe(text: str) -> None:
    try:
        path = paths.check(text)
    except Invalid:
        return
    assert paths.check(path) == path
    assert path == unicodedata.normalize("NFC", path)
    assert ".." not in path.split("/")
    assert not path.startswith("/")


@given(st.text(max_size=200))
def test_a_slug_is_always_a_good_file_name(title: str) -> None:
    name = paths.slug(title)
    assert paths.check(f"notes/{name}.md") == f"notes/{name}.md"
    assert "/" not in name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Use SQLite, not Postgres!", "use-sqlite-not-postgres"),
        ("Über die Brücke", "über-die-brücke"),
        ("データベースの選択", "データベースの選択"),
        ("हिन्दी शीर्षक", "हिन्दी-शीर्षक"),
        ("C++ and C#", "c-plus-plus-and-c-sharp"),
        ("con", "con-page"),
        ("Index", "index-page"),
    ],
)
def test_slugs_keep_the_letters_of_every_script(title: str, name: str) -> None:
    assert paths.slug(title) == name


def test_titles_without_letters_and_long_titles_do_not_collide() -> None:
    assert paths.slug("🎉") != paths.slug("🚀")
    assert paths.slug("🎉").startswith("page-")
    assert paths.slug("x" * 300 + "a") != paths.slug("x" * 300 + "b")
    assert len(paths.slug("語" * 300).encode()) <= paths.SLUG_BYTES


def test_names_that_a_person_takes_for_one_share_a_fold() -> None:
    assert paths.fold("Notes/CAFÉ.md") == paths.fold("notes/cafe\u0301.md")
    assert paths.fold("notes/straße.md") == paths.fold("notes/STRASSE.md")
    assert paths.fold("notes/a.md") != paths.fold("notes/b.md")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("_rules/a.md", "rule"),
        ("_slots/a.md", "slot"),
        ("sessions/a.md", "session"),
        ("decisions/x/a.md", "decision"),
        ("gotchas/a.md", "gotcha"),
        ("procedures/a.md", "procedure"),
        ("concepts/a.md", "concept"),
        ("notes/a.md", "note"),
        ("other/a.md", "fact"),
        ("notes.md", "fact"),
    ],
)
def test_the_folder_says_the_type(path: str, kind: str) -> None:
    assert paths.kind(path) == kind
