"""Pages over the wire: compare-and-set, names, hand edits, links, secrets."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import quote

import pytest

from ai_memory.wiki import okf

from .conftest import Served

SECRET = "sk-" + "ant-api03-" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lm"


def write(server: Served, at: Path, path: str, body: str, **more: object) -> tuple[int, dict]:
    return server.ask("PUT", f"/api/v1/pages/{quote(path)}", {"body": body, **more}, at)


def bundle(server: Served, at: Path) -> Path:
    """The folder of this checkout's pages."""
    name = server.ask("GET", "/api/v1/status", at=at)[1]["scope"]["project"]
    rows = server.ask("GET", "/api/v1/projects")[1]["projects"]
    return next(server.data.glob(f"wiki/*/{next(r['id'] for r in rows if r['project'] == name)}"))


def test_a_page_is_written_read_and_found(server: Served, here: Path) -> None:
    status, made = write(server, here, "decisions/queue.md", "# Queue\n\nRedis streams, because of consumer groups.\n")
    assert (status, made["changed"]) == (200, True)
    page = server.ask("GET", "/api/v1/pages/decisions/queue.md", at=here)[1]
    assert page["body"].endswith("consumer groups.\n")
    assert page["version"] == made["version"]
    assert page["scope"]["resolved_by"] == "directory"
    server.settled()
    hits = server.ask("GET", "/api/v1/search?q=consumer+groups", at=here)[1]["hits"]
    assert hits[0]["path"] == "decisions/queue.md"
    assert okf.check(bundle(server, here)) == []


def test_the_same_content_is_no_new_version(server: Served, here: Path) -> None:
    first = write(server, here, "a.md", "# A\n")[1]
    again = write(server, here, "a.md", "# A\n")[1]
    assert (again["changed"], again["version"]) == (False, first["version"])


def test_a_write_that_saw_another_version_is_refused_and_loses_nothing(server: Served, here: Path) -> None:
    first = write(server, here, "a.md", "# One\n")[1]["version"]
    second = write(server, here, "a.md", "# Two\n", expected_version=first)[1]["version"]
    status, answer = write(server, here, "a.md", "# Three\n", expected_version=first)
    assert (status, answer["error"]["current"]) == (409, second)
    assert write(server, here, "a.md", "# Four\n", create_only=True)[0] == 409
    assert server.ask("GET", "/api/v1/pages/a.md", at=here)[1]["body"] == "# Two\n"


TRICKS = [
    "../a.md", "a/../../b.md", "/etc/passwd", "a//b.md", "CON.md", "nul/x.md", "x" * 300 + ".md", "a/" * 130 + "b.md", ".git/config.md",
    ".hidden.md", "a\\b.md", "C:/x.md", "a\x00.md", "a\n.md", "index.md", "log.md", "sub/index.md", "a .md ", "a./b.md", "a:b.md", "page.txt", "\ufffd.md",
]  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
def test_a_trick_in_a_name_is_refused_with_a_sentence(server: Served, here: Path, path: str) -> None:
    status, answer = write(server, here, path, "# X\n")
    assert status in (400, 404), answer
    assert answer["error"]["message"].endswith(".")


def test_two_forms_of_one_name_are_one_page(server: Served, here: Path) -> None:
    composed, taken_apart = "caf\u00e9.md", "cafe\u0301.md"
    write(server, here, composed, "# One\n")
    assert write(server, here, taken_apart, "# Two\n")[0] == 200
    assert server.ask("GET", f"/api/v1/pages/{quote(composed)}", at=here)[1]["body"] == "# Two\n"
    assert write(server, here, "CAF\u00c9.md", "# Three\n")[0] in (400, 409)


def test_a_secret_in_a_page_is_cut_before_it_is_stored(server: Served, here: Path) -> None:
    write(server, here, "notes/key.md", f"# Key\n\nUse {SECRET} for it.\n", title=f"Key {SECRET}", tags=[SECRET])
    server.settled()
    assert not [p for p in server.data.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]


def test_an_edit_by_hand_becomes_a_version_and_broken_front_matter_survives(server: Served, here: Path) -> None:
    write(server, here, "notes/hand.md", "# Before\n")
    file = bundle(server, here) / "notes" / "hand.md"
    broken = "---\ntitle: [unclosed\ntype: note\n---\n\n# By hand, zebrafinch\n"
    file.write_text(broken, encoding="utf-8")
    deadline = time.monotonic() + 10
    while not server.ask("GET", "/api/v1/search?q=zebrafinch", at=here)[1]["hits"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    page = server.ask("GET", "/api/v1/pages/notes/hand.md", at=here)[1]
    assert "zebrafinch" in page["body"]
    assert page["manual"]
    assert file.read_text(encoding="utf-8") == broken


def test_a_link_in_the_wiki_is_not_followed(server: Served, here: Path) -> None:
    write(server, here, "a.md", "# A\n")
    outside = server.root / "outside.md"
    outside.write_text("# Outside\n", encoding="utf-8")
    (bundle(server, here) / "link.md").symlink_to(outside)
    assert server.ask("GET", "/api/v1/pages/link.md", at=here)[0] == 400
    write(server, here, "link.md", "# Mine\n")
    assert outside.read_text(encoding="utf-8") == "# Outside\n"


def test_a_deleted_page_is_gone_and_its_history_stays(server: Served, here: Path) -> None:
    write(server, here, "gone.md", "# Gone\n")
    assert server.ask("DELETE", "/api/v1/pages/gone.md", at=here)[1]["deleted"]
    assert server.ask("GET", "/api/v1/pages/gone.md", at=here)[0] == 404
    server.settled()
    status, answer = write(server, here, "gone.md", "# Again\n")
    assert (status, answer["changed"]) == (200, True)


@pytest.mark.parametrize("said", [{}, {"body": 3}, {"body": None}, {"body": "x", "meta": []}, {"body": "x", "tags": 3}])
def test_a_page_of_the_wrong_shape_is_refused_or_made_right(server: Served, here: Path, said: dict) -> None:
    status, answer = server.ask("PUT", "/api/v1/pages/shape.md", said, here)
    assert status in (200, 400), answer


def test_a_write_without_a_project_is_refused(server: Served) -> None:
    status, answer = server.ask("PUT", "/api/v1/pages/a.md", {"body": "# A\n"})
    assert (status, answer["error"]["code"]) == (400, "scope_required")
