"""The index follows the files, in whatever order it learns of them."""

from __future__ import annotations

from pathlib import Path

from ai_memory import disk
from ai_memory.domain import ids
from ai_memory.domain.page import Edit, Page, Stamp
from ai_memory.index import listing, search, store
from ai_memory.memory import follow
from ai_memory.wiki import bundle as bundles
from ai_memory.wiki import files
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version


def written(bundle: Bundle, tick: int, body: str) -> Version:
    version = ids.version7(1_700_000_000_000 + tick, bytes(10))
    stamp = Stamp(version=version, by="human:ana", at=f"2026-11-30T00:00:{tick:02}.000Z", manual=False)
    made = files.stage(bundle, Edit("w", "p", "notes/a.md", Page("notes/a.md", {}, body), stamp))
    assert made is not None
    files.sync(bundle)
    return made


def test_an_older_version_that_is_found_later_does_not_replace_the_page(tmp_path: Path) -> None:
    disk.private_dir(tmp_path / "wiki")
    bundle = Bundle(tmp_path / "wiki", "w", "p")
    bundles.create(bundle, {"workspace": "acme", "project": "api"})
    first, second = written(bundle, 1, "the pelican\n"), written(bundle, 2, "the heron\n")
    index = store.open(tmp_path / "index.db")
    follow.versions(index, [(bundle, second)])
    follow.bundle(index, bundle)
    with index.reader() as db:
        assert listing.version_ids(db, "p") == {first.version, second.version}
        assert [hit.version for hit in search.pages(db, "heron", ["p"])] == [second.version]
        assert search.pages(db, "pelican", ["p"]) == []
    index.close()
