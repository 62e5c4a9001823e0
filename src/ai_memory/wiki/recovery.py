"""What a bundle needs after a crash, before anyone reads or writes it."""

from __future__ import annotations

import contextlib

from ai_memory import disk, git
from ai_memory.errors import Invalid
from ai_memory.wiki import files, known, pending, salvage
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version


def mend(bundle: Bundle) -> list[Version]:
    """Clear leftovers and bring up the working files of versions that were pending; gives the versions brought up.

    For the start; waits for a git child that outlived its server. Cheap where nothing is pending.
    """
    if git.ready(bundle.repo):
        git.mend(bundle.repo)
    return bring_up(bundle)


def bring_up(bundle: Bundle) -> list[Version]:
    """The part of ``mend`` that must precede the first write, and happens once for each process: all but git's own.

    A working file whose bytes no version has is a person's edit and is left for ``edits.scan``.
    """
    memo, repo = bundle.memo, bundle.repo
    with memo.lock:
        if memo.mended:
            return []
        memo.mended = True
        for draft in bundle.dir.glob(".*.tmp"):
            draft.unlink(missing_ok=True)
        if not git.ready(repo):
            return []
        for draft in (*(repo.own / "temp").iterdir(), *repo.own.glob(".*.tmp")):
            draft.unlink(missing_ok=True)
        pending.clear(bundle)
        chains: dict[str, list[Version]] = {}
        for entry in pending.entries(bundle):
            chains.setdefault(entry.version.path, []).append(entry.version)
        if not chains:
            return []
        disk.sync_dir(pending.folder(bundle))  # a kill may have come between their renames and this
        try:
            if salvage.torn(repo):
                salvage.heal(bundle)
            known.adopt_tip(bundle)
            return _show(bundle, chains)
        except git.Failed:
            salvage.heal(bundle)
            known.adopt_tip(bundle)
            return _show(bundle, chains)


def _show(bundle: Bundle, chains: dict[str, list[Version]]) -> list[Version]:
    tree = git.tree(bundle.repo, git.ref(bundle.repo, git.TIP))
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
