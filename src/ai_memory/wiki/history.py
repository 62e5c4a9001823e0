"""Every version of every page, from git and the pending folder alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ai_memory import git
from ai_memory.wiki import pending
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version

_VERSION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def identity(text: str) -> bool:
    """Whether ``text`` has the form of a version id."""
    return _VERSION.fullmatch(text) is not None


def message(version: Version) -> str:
    """The commit message that holds all of ``version`` but its bytes."""
    lines = [
        f"{'delete' if version.deleted else 'write'} {version.path}",
        "",
        f"Version: {version.version}",
        f"Path: {version.path}",
        f"By: {version.by}",
        f"At: {version.at}",
    ]
    if version.supersedes:
        lines.append(f"Supersedes: {version.supersedes}")
    if version.blob:
        lines.append(f"Blob: {version.blob}")
    if version.manual:
        lines.append("Manual: true")
    if not version.stamped:
        lines.append("Stamped: false")
    return "\n".join(lines) + "\n"


def committed(bundle: Bundle) -> Iterator[Version]:
    """The versions that git has, oldest first. Commits made by hand are no versions and are passed over."""
    repo = bundle.repo
    tip = git.ref(repo, git.TIP) if git.ready(repo) else ""
    if not tip:
        return
    for text in git.run(repo, "log", "-z", "--reverse", "--first-parent", "--format=%B", tip, "--").split(b"\0"):
        version = parsed(text.decode("utf-8", "replace"))
        if version is not None:
            yield version


def versions(bundle: Bundle) -> Iterator[Version]:
    """All versions, oldest first, those not yet in git last."""
    waiting = list(pending.entries(bundle))  # first: what git takes up meanwhile is then seen there
    seen: set[str] = set()
    for version in committed(bundle):
        seen.add(version.version)
        yield version
    for entry in waiting:
        if entry.version.version not in seen:
            yield entry.version


def filled(bundle: Bundle, wanted: Iterable[Version]) -> Iterator[Version]:
    """``wanted`` in order, each with its bytes in ``data``. Raises git.Failed for bytes that were erased."""
    rows = list(wanted)
    uses = Counter(row.blob for row in rows if not row.data and row.blob)
    stream = git.blobs(bundle.repo, uses)
    have: dict[str, bytes] = {}
    for row in rows:
        if row.data or not row.blob:
            yield row
            continue
        while row.blob not in have:
            name, data = next(stream)
            have[name] = data
        uses[row.blob] -= 1
        yield replace(row, data=have[row.blob] if uses[row.blob] else have.pop(row.blob))


def parsed(text: str) -> Version | None:
    """The version that a commit message tells, without its bytes; None for a commit made by hand."""
    head, _, rest = text.strip("\n").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in rest.rpartition("\n\n")[2].splitlines() if ": " in line)
    if not identity(fields.get("Version", "")) or not {"Path", "By", "At"} <= fields.keys():
        return None
    return Version(
        path=fields["Path"],
        version=fields["Version"],
        by=fields["By"],
        at=fields["At"],
        blob=fields.get("Blob", ""),
        supersedes=fields.get("Supersedes", ""),
        manual=fields.get("Manual") == "true",
        deleted=head.startswith("delete "),
        stamped=fields.get("Stamped") != "false",
    )
