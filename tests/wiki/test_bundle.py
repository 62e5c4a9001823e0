"""A project's folder of pages."""

from __future__ import annotations

from pathlib import Path

from ai_memory.wiki import bundle
from ai_memory.wiki.bundle import Bundle


def test_a_bundle_says_who_it_is_and_has_no_repository_yet(tmp_path: Path) -> None:
    made = Bundle(tmp_path / "wiki", "w", "p")
    assert bundle.read(made) == {}
    bundle.create(made, {"project": "café", "identities": ["github.com/acme/api"]})
    assert bundle.read(Bundle(tmp_path / "wiki", "w", "p")) == {
        "project": "café",
        "identities": ["github.com/acme/api"],
    }
    assert [path.name for path in made.dir.iterdir()] == ["project.json"]
    assert made.dir.stat().st_mode & 0o077 == 0


def test_creating_again_changes_the_manifest_only_if_it_differs(tmp_path: Path) -> None:
    made = Bundle(tmp_path, "w", "p")
    bundle.create(made, {"project": "a"})
    before = (made.dir / "project.json").stat().st_ino
    bundle.create(made, {"project": "a"})
    assert (made.dir / "project.json").stat().st_ino == before
    bundle.create(made, {"project": "b"})
    assert bundle.read(made) == {"project": "b"}


def test_a_manifest_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    made = Bundle(tmp_path, "w", "p")
    made.dir.mkdir(parents=True)
    for data in (b"", b"{", b"[]", b"\xff"):
        (made.dir / "project.json").write_bytes(data)
        assert bundle.read(made) == {}
