"""A recording server, a home of the test's own, and real git repositories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from client_twin import Reply, Seen, Twin, git


@pytest.fixture
def twin() -> Iterator[Callable[[Callable[[Seen], Reply]], Twin]]:
    made: list[Twin] = []

    def make(reply: Callable[[Seen], Reply] = lambda seen: Reply()) -> Twin:
        made.append(Twin(reply))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def nowhere() -> str:
    """An address on which nothing listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_address[1]
    server.server_close()
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own, with a data directory that the environment names."""
    place = tmp_path / "home"
    place.mkdir()
    for name in list(os.environ):
        if name.startswith(("AI_MEMORY_", "CLAUDE", "CODEX", "XDG_", "GIT_", "GEMINI")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("AI_MEMORY_DATA_DIR", str(place / "data"))
    (place / "data").mkdir(mode=0o700)
    return place


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a repository with one commit, and with the remotes given by name."""

    def make(name: str, commit: str = "first", **remotes: str) -> Path:
        place = tmp_path / "home" / name
        place.mkdir(parents=True)
        git(place, "init", "-q")
        if commit:
            (place / "a").write_text(commit, encoding="utf-8")
            git(place, "add", "a")
            git(place, "commit", "-qm", commit)
        for remote, url in remotes.items():
            git(place, "remote", "add", remote, url)
        return place

    return make
