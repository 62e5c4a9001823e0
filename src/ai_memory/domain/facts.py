"""What a client can see of the place a session runs in. Facts, not conclusions: ``domain.scope`` concludes."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_memory.domain.remote import normalise_remote
from ai_memory.errors import Invalid

PATH, TEXT, REMOTES, MARKERS, ALIASES = 4096, 512, 16, 16, 16


@dataclass(frozen=True, slots=True)
class Marker:
    """The scope part of one ``.ai-memory.toml``.

    ``dir`` is where it lies, ``checkout`` the root of the checkout that it lies in, if any. ``strategy`` is
    ``repo-root`` or empty; ``identity`` is ``host/owner/repo``.
    """

    dir: str
    workspace: str = ""
    project: str = ""
    strategy: str = ""
    identity: str = ""
    server: str = ""
    aliases: tuple[str, ...] = ()
    checkout: str = ""

    @property
    def scoped(self) -> bool:
        """Whether it says anything about scope; one with only ``[capture]`` or ``server`` is transparent."""
        return bool(self.workspace or self.project or self.strategy or self.identity or self.aliases)


@dataclass(frozen=True, slots=True)
class Facts:
    """Paths are absolute and free of links. ``root`` is the checkout (the main one, when ``worktree`` is a linked one).

    ``remotes`` are (name, ``host/owner/repo``) pairs; ``markers`` go from the nearest outwards.
    """

    machine: str = ""
    cwd: str = ""
    home: str = ""
    root: str = ""
    root_name: str = ""
    worktree: str = ""
    branch: str = ""
    remotes: tuple[tuple[str, str], ...] = ()
    root_commit: str = ""
    markers: tuple[Marker, ...] = field(default=())

    @property
    def remote(self) -> str:
        """The remote that names the repository: upstream, else origin, else the only one."""
        named = dict(self.remotes)
        only = self.remotes[0][1] if len(self.remotes) == 1 else ""
        return named.get("upstream") or named.get("origin") or only


def to_json(facts: Facts) -> dict[str, Any]:
    """The JSON object that ``facts_from_json`` reads; empty fields are left out."""
    plain: dict[str, Any] = {name: getattr(facts, name) for name in _PATHS + _TEXTS if getattr(facts, name)}
    if facts.remotes:
        plain["remotes"] = dict(facts.remotes)
    if facts.markers:
        plain["markers"] = [_marker_json(marker) for marker in facts.markers]
    return plain


def facts_from_json(value: object) -> Facts:
    """The facts in a decoded JSON object. Wrong types, sizes, relative paths: ``Invalid``. Unknown keys pass."""
    if not isinstance(value, Mapping):
        raise Invalid("Facts must be a JSON object. Update the ai-memory client.")
    remotes = value.get("remotes", {})
    markers = value.get("markers", [])
    if not isinstance(remotes, Mapping) or len(remotes) > REMOTES:
        raise Invalid(f"Facts: remotes must be an object of at most {REMOTES}. Update the ai-memory client.")
    if not isinstance(markers, list) or len(markers) > MARKERS:
        raise Invalid(f"Facts: markers must be a list of at most {MARKERS}. Update the ai-memory client.")
    pairs = [(_text(name, "remotes", TEXT), _remote(_text(url, "remotes", 2048))) for name, url in remotes.items()]
    commit = _text(value.get("root_commit", ""), "root_commit", 64)
    if commit and (len(commit) not in (40, 64) or set(commit) - set("0123456789abcdef")):
        raise Invalid("Facts: root_commit must be a commit id in lowercase hex. Update the ai-memory client.")
    machine = _text(value.get("machine", ""), "machine", 64)
    if machine and not machine.isalnum():
        raise Invalid("Facts: machine must be letters and digits. Remove the file machine-id; a new one is made.")
    return Facts(
        **{name: _path(value.get(name, ""), name) for name in _PATHS},
        machine=machine,
        root_name=_text(value.get("root_name", ""), "root_name", TEXT),
        branch=_text(value.get("branch", ""), "branch", TEXT),
        root_commit=commit,
        remotes=tuple((name, remote) for name, remote in pairs if remote),
        markers=tuple(_marker(item) for item in markers),
    )


_PATHS = ("cwd", "home", "root", "worktree")
_TEXTS = ("machine", "root_name", "branch", "root_commit")


def _marker_json(marker: Marker) -> dict[str, Any]:
    names = ("dir", "checkout", "workspace", "project", "strategy", "identity", "server")
    plain: dict[str, Any] = {name: getattr(marker, name) for name in names if getattr(marker, name)}
    if marker.aliases:
        plain["aliases"] = list(marker.aliases)
    return plain


def _marker(value: object) -> Marker:
    if not isinstance(value, Mapping):
        raise Invalid("Facts: a marker must be an object. Update the ai-memory client.")
    aliases = value.get("aliases", [])
    if not isinstance(aliases, list) or len(aliases) > ALIASES:
        raise Invalid(f"Facts: aliases must be a list of at most {ALIASES}. Shorten it in .ai-memory.toml.")
    place = _path(value.get("dir", ""), "markers.dir")
    if not place:
        raise Invalid("Facts: a marker must say its dir. Update the ai-memory client.")
    return Marker(
        dir=place,
        checkout=_path(value.get("checkout", ""), "markers.checkout"),
        **{
            name: _text(value.get(name, ""), f"markers.{name}", TEXT)
            for name in ("workspace", "project", "strategy", "identity", "server")
        },
        aliases=tuple(_text(alias, "aliases", 128) for alias in aliases),
    )


def _remote(text: str) -> str:
    return normalise_remote(text if "://" in text else f"https://{text}")


def _path(value: object, name: str) -> str:
    text = _text(value, name, PATH)
    if text and not text.startswith("/"):
        raise Invalid(f"Facts: {name} must be an absolute path. Update the ai-memory client.")
    clean = posixpath.normpath(text) if text else ""
    return "/" + clean.lstrip("/") if clean else ""


def _text(value: object, name: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise Invalid(f"Facts: {name} must be text of at most {longest} characters. Update the ai-memory client.")
    if any(ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in value):
        raise Invalid(f"Facts: {name} holds control characters or broken text. Update the ai-memory client.")
    return value
