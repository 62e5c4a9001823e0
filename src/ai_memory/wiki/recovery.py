"""What a bundle needs after a crash, before anyone reads or writes it."""

from __future__ import annotations

import contextlib

from ai_memory import git
from ai_memory.errors import Invalid
from ai_memory.wiki import files, known, pending
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version


def mend(bundle: Bundle) -> list[Version]:
    """Clear leftovers and bring up the working files of versions that were pending; gives the versions brought up.

    A working file whose bytes no version has is a person's edit and is left for ``edits.scan``. Cheap where nothing is
    pending. For the start, before the bundle is used.
    """
    repo = bundle.repo
    if not git.ready(repo):
        return []
    git.mend(repo)
    for draft in (repo.own / "temp").iterdir():
        draft.unlink(missing_ok=True)
    pending.clear(bundle)
    chains: dict[str, list[Version]] = {}
    for entry in pending.entries(bundle):
        chains.setdefault(entry.version.path, []).append(entry.version)
    if not chains:
        return []
    with bundle.memo.lock:
        known.adopt_tip(bundle)
    tree = git.tree(repo, git.ref(repo, git.TIP))
    shown: list[Version] = []
    for path, chain in chains.items():
        with contextlib.suppress(Invalid):
            if _behind(bundle, chain, tree.get(path, "")):
                files.show(bundle, chain[-1])
                shown.append(chain[-1])
    return shown


def _behind(bundle: Bundle, chain: list[Version], committed: str) -> bool:
    """Whether the working file is an older version of ours, not a person's doing since."""
    newest = chain[-1]
    data, _ = files.fetch(bundle, newest.path)
    blob = git.blob(data) if data is not None else ""
    if blob == newest.blob or not newest.stamped:
        return False
    return blob in {committed, *(version.blob for version in chain[:-1])}
