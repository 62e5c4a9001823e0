from __future__ import annotations

import random
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from ai_memory.index import listing, pages, search, store
from ai_memory.index.values import PageRow


def fill(index: store.Index, number: int = 50) -> None:
    with index.writer() as db:
        for i in range(number):
            pages.put(db, PageRow("w", "p", f"{i}.md", "v", title=f"Page {i}", body=f"text {i} about redis and more " * 40))


def test_a_new_index_is_fresh_and_an_opened_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "index.db"
    index = store.open(path)
    assert index.fresh
    fill(index)
    index.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    index = store.open(path)
    assert not index.fresh
    with index.reader() as db:
        assert listing.status(db)["pages"] == 50
        assert store.check(db) == []
    index.close()


@pytest.mark.parametrize("content", [b"", b"not a database, " * 500, b"SQLite format 3\0" + bytes(4080)])
def test_a_file_that_is_no_index_is_begun_again(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(content)
    index = store.open(path)
    assert index.fresh
    fill(index, 2)
    index.close()


def test_a_deleted_file_does_not_come_back_from_its_log(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    index = store.open(path)
    fill(index)
    log = path.with_name("index.db-wal")
    kept = log.read_bytes()
    index.close()
    path.unlink()
    log.write_bytes(kept)
    index = store.open(path)
    assert index.fresh
    with index.reader() as db:
        assert listing.status(db)["pages"] == 0
    index.close()


def test_an_index_of_another_form_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    index = store.open(path)
    fill(index, 2)
    with index.writer() as db:
        db.execute("UPDATE about SET value = 'older' WHERE key = 'fingerprint'")
    index.close()
    index = store.open(path)
    assert index.fresh
    with index.reader() as db:
        assert listing.status(db)["pages"] == 0
    index.close()


def test_someone_elses_database_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE page (x)")
    db.close()
    index = store.open(path)
    assert index.fresh
    index.close()


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_end_in_a_named_damage_or_in_answers_and_a_restart_heals(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "index.db"
    index = store.open(path)
    fill(index)
    index.close()
    content = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(200):
        content[chance.randrange(0 if seed % 2 else 4096, len(content))] ^= 0xFF
    path.write_bytes(content)
    index = store.open(path)
    try:
        with index.reader() as db:
            search.pages(db, "redis text", ["p"], 5)
        fill(index)
    except (sqlite3.DatabaseError, UnicodeDecodeError, TypeError, ValueError) as error:
        assert store.damaged(error) or not isinstance(error, sqlite3.DatabaseError)
    index.restart()
    assert index.fresh
    fill(index)
    with index.reader() as db:
        assert store.check(db) == []
        assert len(search.pages(db, "redis", ["p"], 5)) == 5
    index.close()


def test_only_damage_is_called_damage(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    with pytest.raises(sqlite3.OperationalError) as told, index.reader() as db:
        db.execute("DELETE FROM page")
    assert not store.damaged(told.value)
    assert not store.damaged(ValueError())
    index.close()


def test_readers_never_wait_for_the_writer_and_see_one_state(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    fill(index, 1)
    writing, seen_ = threading.Event(), threading.Event()

    def write() -> None:
        with index.writer() as db:
            pages.put(db, PageRow("w", "p", "new.md", "v", body="x"))
            writing.set()
            assert seen_.wait(10)

    thread = threading.Thread(target=write)
    thread.start()
    assert writing.wait(10)
    with index.reader() as db:
        assert listing.status(db)["pages"] == 1
        seen_.set()
        thread.join(10)
        assert listing.status(db)["pages"] == 1
    with index.reader() as db:
        assert listing.status(db)["pages"] == 2
    index.close()


def test_many_readers_and_a_writer_at_once(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    fill(index, 5)
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(30):
                with index.reader() as db:
                    assert len(search.pages(db, "redis", ["p"], 5)) == 5
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(12)]
    for thread in threads:
        thread.start()
    for i in range(30):
        with index.writer() as db:
            pages.put(db, PageRow("w", "p", f"{i}.md", "v2", body=f"redis {i}"))
    for thread in threads:
        thread.join(30)
    assert failed == []
    index.close()


def test_a_reader_open_across_a_restart_is_not_used_again(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    fill(index, 3)
    with index.reader() as old:
        index.restart()
        assert listing.status(old)["pages"] == 3
    with index.reader() as db:
        assert listing.status(db)["pages"] == 0
    fill(index, 2)
    index.close()
    index = store.open(tmp_path / "index.db")
    with index.reader() as db:
        assert listing.status(db)["pages"] == 2
    index.close()


def test_a_batch_that_raises_leaves_nothing(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    with pytest.raises(RuntimeError), index.writer() as db:
        pages.put(db, PageRow("w", "p", "a.md", "v", body="redis"))
        raise RuntimeError
    with index.reader() as db:
        assert search.pages(db, "redis", ["p"]) == []
    index.close()


def test_the_log_stays_bounded(tmp_path: Path) -> None:
    index = store.open(tmp_path / "index.db")
    for _ in range(60):
        fill(index, 20)
    assert (tmp_path / "index.db-wal").stat().st_size < 17 * 1024 * 1024
    index.close()
