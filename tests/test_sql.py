from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from ai_memory import sql
from ai_memory.errors import MemoryFault


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "q.sql"
    path.write_text(text, encoding="utf-8")
    return path


def test_statements_are_found_by_name(tmp_path: Path) -> None:
    text = "-- Queries of a test.\n\n-- one: gives one\nSELECT 1;\n-- two: gives\n-- two\nSELECT\n 2;\n"
    found = sql.statements(write(tmp_path, text))
    assert list(found) == ["one", "two"]
    assert found["one"] == "SELECT 1;"
    assert "2;" in found["two"]


@pytest.mark.parametrize(
    "text",
    ["SELECT 1;\n", "-- a: x\nSELECT 1;\n-- a: y\nSELECT 2;\n", "-- a: x\nSELECT 1\n", "-- a: x\n"],
)
def test_a_file_with_a_fault_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"q\.sql"):
        sql.statements(write(tmp_path, text))


def test_the_file_is_private_and_logs_ahead(tmp_path: Path) -> None:
    path = tmp_path / "odd name?#%.db"
    db = sql.connect(path)
    db.execute("CREATE TABLE t(a)")
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    for pragma, value in {"journal_mode": "wal", "secure_delete": 1, "foreign_keys": 1, "synchronous": 2}.items():
        assert db.execute(f"PRAGMA {pragma}").fetchone()[0] == value
    db.close()


def test_a_reader_sees_what_is_committed_and_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = sql.connect(path, synchronous="NORMAL")
    db.execute("CREATE TABLE t(a)")
    reader = sql.connect(path, readonly=True)
    with sql.transaction(db):
        db.execute("INSERT INTO t VALUES (1)")
        assert reader.execute("SELECT count(*) FROM t").fetchone()[0] == 0
    assert reader.execute("SELECT a FROM t").fetchone()["a"] == 1
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("INSERT INTO t VALUES (2)")
    reader.close()
    db.close()


def test_a_reader_never_creates_the_file(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        sql.connect(tmp_path / "none.db", readonly=True)
    assert not (tmp_path / "none.db").exists()


def test_a_transaction_that_raises_leaves_nothing(tmp_path: Path) -> None:
    db = sql.connect(tmp_path / "a.db")
    db.execute("CREATE TABLE t(a)")
    with pytest.raises(RuntimeError), sql.transaction(db):
        db.execute("INSERT INTO t VALUES (1)")
        raise RuntimeError
    assert db.execute("SELECT count(*) FROM t").fetchone()[0] == 0
    db.close()


def test_a_script_runs_whole_or_not_at_all(tmp_path: Path) -> None:
    db = sql.connect(tmp_path / "a.db")
    trigger = "CREATE TRIGGER g AFTER INSERT ON t BEGIN\n DELETE FROM t;\n DELETE FROM t;\nEND;\n"
    sql.script(db, write(tmp_path, "-- A table.\nCREATE TABLE t(a);\n" + trigger + "-- the end\n"))
    assert {r[0] for r in db.execute("SELECT name FROM sqlite_schema")} == {"t", "g"}
    with pytest.raises(sqlite3.OperationalError):
        sql.script(db, write(tmp_path, "CREATE TABLE u(a);\nCREATE TABLE t(a);\n"))
    assert {r[0] for r in db.execute("SELECT name FROM sqlite_schema")} == {"t", "g"}
    with pytest.raises(ValueError, match="last statement"):
        sql.script(db, write(tmp_path, "CREATE TABLE u(a)\n"))
    db.close()


def test_what_is_not_a_database_is_told_at_opening(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        sql.connect(path)


def test_a_connection_for_any_thread_may_change_threads(tmp_path: Path) -> None:
    db = sql.connect(tmp_path / "a.db", any_thread=True)
    got: list[int] = []
    thread = threading.Thread(target=lambda: got.append(db.execute("SELECT 7").fetchone()[0]))
    thread.start()
    thread.join(5)
    assert got == [7]
    db.close()


def test_deleted_bytes_are_gone_after_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = sql.connect(path)
    db.execute("CREATE TABLE t(a)")
    db.execute("INSERT INTO t VALUES ('unmistakable-bytes')")
    assert sql.checkpoint(db)
    assert b"unmistakable-bytes" in path.read_bytes()
    db.execute("DELETE FROM t")
    assert sql.checkpoint(db)
    assert b"unmistakable-bytes" not in b"".join(p.read_bytes() for p in tmp_path.iterdir())
    db.close()


def test_an_old_sqlite_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sql.require()
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 0))
    with pytest.raises(MemoryFault, match=r"needs 3\.40\.0 or newer"):
        sql.require()
