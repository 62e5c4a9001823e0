"""The facts of a directory: markers, checkout, remotes, first commit. Nothing is concluded here."""

from __future__ import annotations

import base64
import json
import os
import time
import tomllib
from pathlib import Path

from ai_memory.client import checkout
from ai_memory.client.checkout import Checkout
from ai_memory.domain.facts import ALIASES, MARKERS, PATH, REMOTES, TEXT, Facts, Marker, to_json
from ai_memory.domain.remote import normalise_remote

MARKER = ".ai-memory.toml"
_REMEMBERED = 1024
_RETRY = 5.0  # seconds before a repository without a commit is asked again
_PATIENT, _BRISK = 10.0, 1.0  # seconds for git to walk to the first commit, without and with a remote

Stamp = tuple[int, int, int]


def header(facts: Facts) -> str:
    """``facts`` as the header ``X-AI-Memory-Facts`` carries them: JSON in base64url."""
    return base64.urlsafe_b64encode(json.dumps(to_json(facts), separators=(",", ":")).encode("ascii")).decode("ascii")


class Places:
    """Facts by directory. They are gathered anew when a marker, HEAD or config on the way up has changed.

    git is run once a repository, for its first commit; with ``brief``, only where there is no remote to know it by.
    """

    def __init__(self, machine: str, home: str | None = None, *, brief: bool = False) -> None:
        self._machine = machine
        self._brief = brief
        self._home = os.path.realpath(os.path.expanduser("~") if home is None else home)
        self._known: dict[str, tuple[list[Stamp], Facts]] = {}
        self._roots: dict[str, tuple[str, float]] = {}

    def facts(self, cwd: str) -> Facts:
        """The facts of ``cwd``, an absolute path; one that is gone has those of what is left of its path."""
        if not cwd.startswith("/") or "\0" in cwd or len(cwd) > PATH:
            return Facts(machine=self._machine, home=_plain(self._home))
        place = os.path.realpath(cwd)
        chain = _chain(place)
        stamps = _stamps(chain)
        known = self._known.get(place)
        if known and known[0] == stamps:
            return known[1]
        facts = self._gather(place, chain)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        if facts.root_commit or not facts.root or facts.remotes:
            self._known[place] = (stamps, facts)
        return facts

    def _gather(self, place: str, chain: list[str]) -> Facts:
        found = [(folder, checkout.at(folder)) for folder in chain]
        checkouts = [(folder, one) for folder, one in found if one]
        own = checkouts[0][1] if checkouts else None
        named = {name: normalise_remote(url) for name, url in checkout.remotes(own).items()} if own else {}
        remotes = tuple((name[:TEXT], remote) for name, remote in named.items() if remote)
        return Facts(
            machine=self._machine,
            cwd=_plain(place),
            home=_plain(self._home),
            root=_plain(own.root) if own else "",
            root_name=_plain(own.name)[:TEXT] if own else "",
            worktree=_plain(own.top) if own and own.top != own.root else "",
            branch=_plain(checkout.branch(own))[:TEXT] if own else "",
            remotes=_first(remotes),
            root_commit=self._root_commit(own, bool(remotes)) if own else "",
            markers=self._markers(chain, [folder for folder, _ in checkouts]),
        )

    def _markers(self, chain: list[str], tops: list[str]) -> tuple[Marker, ...]:
        """The markers that count, nearest first: up to the home directory, else to the checkout, else right here."""
        last = self._home if self._home in chain else (tops[0] if tops else chain[0])
        found = []
        for folder in chain[: chain.index(last) + 1]:
            marker = _marker(folder, next((top for top in tops if (folder + "/").startswith(top + "/")), ""))
            if marker:
                found.append(marker)
        return tuple(found[:MARKERS])

    def _root_commit(self, own: Checkout, remote: bool) -> str:
        if not own.common or checkout.is_shallow(own) or (remote and self._brief):
            return ""
        known, until = self._roots.get(own.common, ("", 0.0))
        if known or time.monotonic() < until:
            return known
        from ai_memory import git  # noqa: PLC0415 - 30 ms that a place with a remote does not need

        started = time.monotonic()
        commit = git.root_commit(Path(own.common), timeout=_BRISK if remote else _PATIENT)
        took = time.monotonic() - started
        self._roots[own.common] = (commit, started + (_RETRY if took < _BRISK / 2 else 3600.0))
        return commit


def _chain(place: str) -> list[str]:
    chain = [place]
    while chain[-1] != "/":
        chain.append(os.path.dirname(chain[-1]))
    return chain


def _stamp(path: str) -> Stamp:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return (0, 0, 0)
    return (seen.st_mtime_ns, seen.st_ino, seen.st_size)


def _stamps(chain: list[str]) -> list[Stamp]:
    """What tells that a marker or a checkout came, went, or changed its branch or remotes."""
    stamps = [_stamp(f"{folder}/{MARKER}") for folder in chain]
    for folder in chain:
        if not os.path.lexists(f"{folder}/.git"):
            continue
        own = checkout.at(folder)
        # The directory's own time changes with every git command; that it is another one shows in the inode.
        stamps.append((0, _stamp(f"{folder}/.git")[1], 0))
        if own and own.git:
            stamps += [_stamp(f"{own.git}/HEAD"), _stamp(f"{own.common}/config")]
    return stamps


def _marker(folder: str, top: str) -> Marker | None:
    """The scope part of a marker; None if there is none or it cannot be read."""
    said = checkout.text(f"{folder}/{MARKER}")
    if not said or len(said) > 65_536:
        return None
    try:
        table = tomllib.loads(said)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    aliases = table.get("aliases", [])
    texts = {name: _said(table.get(key)) for name, key in _KEYS.items()}
    names = [_said(alias) for alias in aliases[:ALIASES]] if isinstance(aliases, list) else []
    return Marker(
        dir=_plain(folder),
        checkout=_plain(top),
        aliases=tuple(name for name in names if name and len(name) <= 128),
        **texts,
    )


_KEYS = {
    "workspace": "workspace",
    "project": "project",
    "strategy": "project_strategy",
    "identity": "identity",
    "server": "server",
}


def _said(value: object) -> str:
    if not isinstance(value, str) or len(value) > TEXT or any(ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in value):
        return ""
    return value.strip()


def _first(remotes: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """As many remotes as facts may hold, those that count before the rest."""
    ranked = sorted(remotes, key=lambda pair: pair[0] not in ("upstream", "origin"))
    return tuple((name, remote) for name, remote in ranked if _plain(name) == name and len(remote) <= TEXT)[:REMOTES]


def _plain(path: str) -> str:
    """A path as text that JSON takes; bytes that are no UTF-8, and controls, are written out, so that two stay two."""
    if path.isascii() and path.isprintable():
        return path
    flat = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if ord(c) >= 32 else f"\\x{ord(c):02x}" for c in flat)
