"""A git checkout, read from its files: where it is, what it calls its remotes, which branch it is on. Runs nothing."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

_LONGEST = 256 * 1024
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


@dataclass(frozen=True, slots=True)
class Checkout:
    """``top`` is where the files are, ``root`` the main checkout; they differ in a linked worktree.

    ``git`` is the directory with HEAD, ``common`` the one with config and refs; both empty when ``.git`` leads nowhere.
    """

    top: str
    root: str
    git: str
    common: str

    @property
    def name(self) -> str:
        """What the main checkout is called."""
        base = os.path.basename(self.root)
        if base.startswith(".") and self.top != self.root:
            base = os.path.basename(os.path.dirname(self.root))
        return base.removesuffix(".git") or base


def at(place: str) -> Checkout | None:
    """The checkout whose top is ``place``: a work tree, a linked worktree, a submodule, or a bare repository."""
    dot = os.path.join(place, ".git")
    if os.path.isfile(dot):
        return _linked(place, dot)
    if _is_repository(dot):
        return Checkout(place, place, dot, dot)
    if _is_repository(place):
        if os.path.basename(place) == ".git":
            return Checkout(os.path.dirname(place), os.path.dirname(place), place, place)
        return Checkout(place, place, place, place)
    return None


def branch(checkout: Checkout) -> str:
    """The branch that HEAD names, born or not; empty when detached or unreadable."""
    head = text(os.path.join(checkout.git, "HEAD")) if checkout.git else ""
    name = head.strip().removeprefix("ref: refs/heads/")
    return name if head.startswith("ref: refs/heads/") and name != ".invalid" else ""


def remotes(checkout: Checkout) -> dict[str, str]:
    """The first URL of each remote as the repository's own config has it; includes and rewrites are not followed."""
    return urls(text(os.path.join(checkout.common, "config"))) if checkout.common else {}


def is_shallow(checkout: Checkout) -> bool:
    """Whether history was cut off, so that its first commit is not to be had."""
    return bool(checkout.common) and os.path.exists(os.path.join(checkout.common, "shallow"))


def urls(config: str) -> dict[str, str]:
    """Remote name → first URL in the text of a git config; what cannot be read is passed over."""
    found: dict[str, str] = {}
    remote = ""
    for line in re.sub(r"\\\r?\n", "", config).splitlines():
        line = line.strip()
        section = _SECTION.match(line)
        if section:
            remote = re.sub(r"\\(.)", r"\1", section[2] or "") if section[1].lower() == "remote" else ""
            line = line[section.end() :].strip()
        key, equals, value = line.partition("=")
        if remote and equals and key.strip().lower() == "url":
            found.setdefault(remote, _value(value))
    return found


def text(path: str) -> str:
    """The text of a small regular file; empty if it is missing, unreadable, too large or no file. Never waits."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if os.fstat(fd).st_mode & 0o170000 != 0o100000:
            return ""
        data = os.read(fd, _LONGEST + 1)
    except OSError:
        return ""
    finally:
        os.close(fd)
    return data.decode("utf-8", "surrogateescape") if len(data) <= _LONGEST else ""


def _linked(place: str, dot: str) -> Checkout:
    """A ``.git`` file: a linked worktree shares the common directory of the main one, a submodule has its own."""
    target = text(dot).strip()
    if not target.startswith("gitdir:"):
        return Checkout(place, place, "", "")
    git = os.path.realpath(os.path.join(place, target.removeprefix("gitdir:").strip()))
    if not os.path.exists(os.path.join(git, "HEAD")):
        return Checkout(place, place, "", "")
    shared = text(os.path.join(git, "commondir")).strip()
    if not shared:
        return Checkout(place, place, git, git)
    common = os.path.realpath(os.path.join(git, shared))
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return Checkout(place, root, git, common)


def _is_repository(path: str) -> bool:
    return os.path.lexists(os.path.join(path, "HEAD")) and os.path.isdir(os.path.join(path, "objects"))


def _value(raw: str) -> str:
    """A config value: quotes and escapes undone, a comment outside quotes cut off."""
    out: list[str] = []
    quoted, escaped = False, False
    for char in raw.strip():
        if escaped:
            out.append(_ESCAPES.get(char, char))
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
    return "".join(out).strip()
