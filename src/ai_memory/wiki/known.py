"""What the current version of each page is, from git and the pending folder."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ai_memory import disk, git
from ai_memory.domain import paths
from ai_memory.errors import Invalid
from ai_memory.wiki import history, pages, pending, salvage
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version

_HAND = "hand.json"
_KEPT = ("path", "version", "by", "at", "blob", "supersedes", "manual", "deleted", "stamped")


def load(bundle: Bundle) -> None:
    """Fill the memo, once there is a repository; call it with the memo's lock.

    Pending versions are listed before git is read, so that one moving over meanwhile is seen in either.
    """
    memo, repo = bundle.memo, bundle.repo
    if memo.loaded or not git.ready(repo):
        return
    waiting = list(pending.entries(bundle))
    try:
        tree = _committed(bundle)
    except git.Failed:
        salvage.heal(bundle)
        tree = _committed(bundle)
    for path, blob in tree.items():
        if paths.canonical(path):
            own = memo.hand.get(path)
            put(bundle, own if own and own.blob == blob else Version(path, "", "", "", blob))
    for entry in waiting:
        put(bundle, entry.version)
        memo.serial = max(memo.serial, entry.serial)
    memo.loaded = True


def _committed(bundle: Bundle) -> dict[str, str]:
    if salvage.torn(bundle.repo):
        salvage.heal(bundle)
    adopt_tip(bundle)
    bundle.memo.hand.update(hand(bundle))
    return git.tree(bundle.repo, git.ref(bundle.repo, git.TIP))


def put(bundle: Bundle, version: Version) -> None:
    """``version`` is its page's current one from now on."""
    memo = bundle.memo
    path = version.path
    version = dataclasses.replace(version, data=b"", displaced=None)
    if version.deleted:
        memo.known.pop(path, None)
        memo.folded.pop(paths.fold(path), None)
    else:
        memo.known[path] = version
        memo.folded[paths.fold(path)] = path
        for folder in _folders(path):
            memo.folded.setdefault(paths.fold(folder), folder)
    if version.version and borne(version):
        memo.hand.pop(path, None)
    elif version.version:
        memo.hand[path] = version


def restore(bundle: Bundle, path: str, before: Version | None, own: Version | None) -> None:
    """Take back the last ``put`` of ``path``."""
    memo = bundle.memo
    memo.known.pop(path, None)
    memo.folded.pop(paths.fold(path), None)
    if before is not None:
        put(bundle, before)
    memo.hand.pop(path, None)
    if own is not None:
        memo.hand[path] = own


def borne(version: Version) -> bool:
    """Whether the page's file alone tells this version; not so for an edit by hand, nor for a person's deletion."""
    return version.stamped and not (version.deleted and version.manual)


def resolved(bundle: Bundle, path: str, data: bytes | None = None) -> Version | None:
    """The current version of ``path`` with its id, or None if it has none. ``data`` saves fetching known bytes."""
    version = bundle.memo.known.get(path)
    if version is None or version.version:
        return version
    if data is None or git.blob(data) != version.blob:
        ((_, data),) = git.blobs(bundle.repo, [version.blob])
    _, stamp, _ = pages.parse(data, path)
    if stamp is None:
        return None
    version = Version(
        path, stamp.version, stamp.by, stamp.at, version.blob, supersedes=stamp.supersedes, manual=stamp.manual
    )
    bundle.memo.known[path] = version
    return version


def vacant(bundle: Bundle, path: str) -> None:
    """Raises Invalid if ``path`` differs only in case or Unicode form from a page or folder that is there."""
    folded = bundle.memo.folded
    for name in (*_folders(path), path):
        there = folded.get(paths.fold(name))
        if there is not None and there != name and (bundle.dir / there).exists():
            raise Invalid(
                f"The page path {path!r} differs from the existing {there!r} only in case or Unicode form; "
                f"use the existing spelling."
            )


def hand(bundle: Bundle) -> dict[str, Version]:
    """The current versions that their files do not bear, as git has them; from history if the note of it is lost."""
    try:
        rows = json.loads((bundle.repo.own / _HAND).read_bytes())
        return {row["path"]: Version(**row) for row in rows}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return advance({}, list(history.committed(bundle)))


def advance(found: dict[str, Version], versions: list[Version]) -> dict[str, Version]:
    """``found`` after ``versions``."""
    after = dict(found)
    for version in versions:
        if borne(version):
            after.pop(version.path, None)
        else:
            after[version.path] = version
    return after


def note(bundle: Bundle, found: dict[str, Version]) -> None:
    """Write down what ``hand`` gives; durable."""
    rows: list[dict[str, Any]] = [
        {name: getattr(version, name) for name in _KEPT} for _, version in sorted(found.items())
    ]
    disk.write(bundle.repo.own / _HAND, json.dumps(rows, ensure_ascii=True, indent=0).encode("ascii") + b"\n")


def adopt_tip(bundle: Bundle) -> None:
    """Where our own ref is missing (a clone, a copy), set it to the newest commit on the branch that is a version."""
    repo = bundle.repo
    if git.ref(repo, git.TIP):
        return
    head = git.ref(repo, git.branch(repo))
    if not head:
        return
    for line in git.run(
        repo, "log", "--first-parent", "--format=%H %(trailers:key=Version,valueonly,separator=%x2C)", head, "--"
    ).splitlines():
        commit, _, version = line.decode("ascii", "replace").partition(" ")
        if history.identity(version):
            git.move(repo, git.TIP, "", commit)
            return


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]
