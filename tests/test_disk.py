"""Durable file primitives."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ai_memory import disk


def test_a_write_replaces_the_whole_file_and_leaves_no_temporary(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    disk.write(target, b"one")
    disk.write(target, b"two")
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a.json"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_failed_write_keeps_the_old_bytes_and_cleans_up(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.mkdir()
    with pytest.raises(OSError):
        disk.write(target, b"x")
    assert os.listdir(tmp_path) == ["a"]


def test_the_temporary_can_stand_in_another_directory(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    disk.write(tmp_path / "a", b"x", temp=tmp_path / "t", sync=False)
    assert (tmp_path / "a").read_bytes() == b"x"
    assert os.listdir(tmp_path / "t") == []


def test_append_tells_where_the_data_begins(tmp_path: Path) -> None:
    target = tmp_path / "log"
    assert disk.append(target, b"one\n") == 0
    assert disk.append(target, b"two\n") == 4
    assert target.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_append_refuses_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError):
        disk.append(tmp_path / "link", b"x")


def test_create_never_replaces(tmp_path: Path) -> None:
    disk.create(tmp_path / "a", b"x")
    with pytest.raises(FileExistsError):
        disk.create(tmp_path / "a", b"y")
    assert (tmp_path / "a").read_bytes() == b"x"


def test_private_directories_are_made_with_their_parents(tmp_path: Path) -> None:
    disk.private_dir(tmp_path / "a" / "b" / "c")
    disk.private_dir(tmp_path / "a" / "b" / "c")
    for name in ("a", "a/b", "a/b/c"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700


def test_beneath_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "in").symlink_to(tmp_path / "out")
    with pytest.raises(NotADirectoryError), disk.beneath(tmp_path / "root", ["in"]):
        pass
    with disk.beneath(tmp_path / "root", ["x", "y"], make=True) as fd:
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    assert (tmp_path / "root" / "x" / "y" / "f").exists()
    with pytest.raises(FileNotFoundError), disk.beneath(tmp_path / "root", ["z"]):
        pass
