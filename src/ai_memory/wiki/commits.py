"""Pending versions into git: one commit a version, in order, written by who wrote the page.

Our commits form a line of their own, each the first parent of the next, and the tree of the newest is what the memo
knows. What a person commits by hand joins as a second parent; their changes to pages stay in the working files, where
they are taken up like any edit by hand, and their other files are carried along.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from ai_memory import disk, git
from ai_memory.domain import paths
from ai_memory.wiki import catalogue, history, known, pages, pending, salvage
from ai_memory.wiki.bundle import Bundle, Step, quiet
from ai_memory.wiki.pending import Entry
from ai_memory.wiki.version import Version

BATCH = 90
_BYTES = 16 * 1024 * 1024
_IDENT = re.compile(r"[^\w .:/@+-]")


def make(bundle: Bundle, *, step: Step = quiet) -> int:
    """Commit what is pending, however much; gives the number of versions. Raises git.Failed, and can then be repeated.

    For one thread at a time, which need not be the writer's. Idempotent after a kill at any point.
    """
    if not git.ready(bundle.repo):
        return 0
    done = 0
    while True:
        with bundle.memo.lock:
            known.load(bundle)
            batch = _batch(bundle)
        if not batch:
            break
        if bundle.memo.suspect:
            git.mend(bundle.repo)
        bundle.memo.suspect, first = True, bundle.memo.suspect
        try:
            done += _commit(bundle, batch, first, step)
        except git.Failed:
            if not first or bundle.memo.healed:
                raise
            bundle.memo.healed = True
            with bundle.memo.lock:
                salvage.heal(bundle)
            done += _commit(bundle, batch, first, step)
        bundle.memo.suspect = False
    if done:
        git.tidy(bundle.repo)
    return done


def _batch(bundle: Bundle) -> list[Entry]:
    batch: list[Entry] = []
    size = 0
    for entry in pending.entries(bundle):
        batch.append(entry)
        size += len(entry.version.data)
        if len(batch) == BATCH or size > _BYTES:
            break
    return batch


def _commit(bundle: Bundle, batch: list[Entry], suspect: bool, step: Step) -> int:
    repo = bundle.repo
    seen = {version.version for version in history.committed(bundle)} if suspect else set()
    fresh = [entry.version for entry in batch if entry.version.version not in seen]
    index = _index(bundle, fresh)
    if fresh:
        step("listed")
        stream = _stream(bundle, fresh, index)
        made = git.load(repo, stream)
        step("imported")
        _verify(bundle, made, fresh[-1])
    _advance(bundle)
    step("moved")
    blobs = {entry.version.path: entry.version.blob for entry in batch}
    blobs[catalogue.NAME] = git.blob(index)
    disk.write(bundle.dir / catalogue.NAME, index, temp=repo.own / "temp")
    bundle.memo.listed = blobs[catalogue.NAME]
    bundle.memo.behind.update(blobs)
    if git.restage(repo, bundle.memo.behind):
        bundle.memo.behind.clear()
    step("index refreshed")
    noted = known.hand(bundle)
    after = known.advance(noted, [entry.version for entry in batch])
    if after != noted or suspect:
        known.note(bundle, after)
    step("noted")
    for entry in batch:
        pending.remove(bundle, entry)
        step("removed")
    return len(fresh)


def _index(bundle: Bundle, fresh: Sequence[Version]) -> bytes:
    """The new ``index.md``, from the one in git as long as that names exactly the pages in git."""
    repo, memo = bundle.repo, bundle.memo
    entries = memo.entries
    memo.entries = None
    if entries is None:
        tree = git.tree(repo, git.ref(repo, git.TIP))
        own = {path: blob for path, blob in tree.items() if paths.canonical(path)}
        if catalogue.NAME in tree:
            ((_, data),) = git.blobs(repo, [tree[catalogue.NAME]])
            entries = catalogue.parse(data)
        if entries is None or entries.keys() != own.keys():
            entries = {}
            for path, (_, data) in zip(own, git.blobs(repo, own.values()), strict=True):
                entries[path] = catalogue.entry(pages.parse(data, path)[0])
    for version in fresh:
        if version.deleted:
            entries.pop(version.path, None)
        else:
            entries[version.path] = catalogue.entry(pages.parse(version.data, version.path)[0])
    memo.entries = entries
    return catalogue.render(entries)


def _stream(bundle: Bundle, fresh: Sequence[Version], index: bytes) -> bytes:
    """What fast-import reads: one commit a version, ``index.md`` with the last."""
    repo = bundle.repo
    mine, tip = git.ref(repo, git.TIP), git.ref(repo, git.branch(repo))
    parts = [b"feature done\n"]
    parents, carried = _parents(bundle, mine, tip)
    kept = _displaced_index(bundle, index)
    if kept is not None:
        about = b"keep %s as a person left it\n" % catalogue.NAME.encode()
        when = _seconds(fresh[0].at)
        parts.append(_head(git.NAME, when, about, parents) + carried + _file(catalogue.NAME, kept) + b"\n")
        parents, carried = [], b""
    for version in fresh:
        message = history.message(version).encode("utf-8")
        parts.append(_head(version.by, _seconds(version.at), message, parents) + carried)
        parts.append(_gone(version.path) if version.deleted else _file(version.path, version.data))
        if version is fresh[-1]:
            parts.append(_file(catalogue.NAME, index))
        parts.append(b"\n")
        parents, carried = [], b""
    parts.append(b"done\n")
    return b"".join(parts)


def _parents(bundle: Bundle, mine: str, tip: str) -> tuple[list[str], bytes]:
    """The parents of the first commit, and what of a person's own commits it carries along besides pages."""
    repo = bundle.repo
    if not mine or not tip:
        return [parent for parent in (mine, tip) if parent], b""
    if git.ancestor(repo, tip, mine):
        return [mine], b""
    carried: list[bytes] = []
    fields = git.run(repo, "diff-tree", "-r", "-z", "--no-renames", mine, tip).split(b"\0")
    for about, raw in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, _ = about.split(b" ")
        path = raw.decode("utf-8", "surrogateescape")
        if paths.canonical(path) or path == catalogue.NAME:
            continue
        carried.append(_gone(path) if mode == b"000000" else b"M %s %s %s\n" % (mode, blob, _quoted(path)))
    return [mine, tip], b"".join(carried)


def _displaced_index(bundle: Bundle, index: bytes) -> bytes | None:
    """The working ``index.md`` if a person wrote it, so that replacing it loses nothing."""
    place = bundle.dir / catalogue.NAME
    if place.is_symlink() or not place.is_file():
        return None
    data = place.read_bytes()
    if data == index or git.blob(data) == bundle.memo.listed or catalogue.parse(data) is not None:
        return None
    return data


def _verify(bundle: Bundle, made: str, last: Version) -> None:
    text = git.run(bundle.repo, "cat-file", "commit", made) if made else b""
    if f"\nVersion: {last.version}\n".encode("ascii") not in text:
        raise git.Failed("git took the commits but its newest is another.")


def _advance(bundle: Bundle) -> None:
    """The branch a person sees has our newest commit, joined to theirs if both moved."""
    repo = bundle.repo
    for _ in range(10):
        name, mine = git.branch(repo), git.ref(repo, git.TIP)
        tip = git.ref(repo, name)
        if not mine or tip == mine or (tip and git.ancestor(repo, mine, tip)):
            return
        if tip and not git.ancestor(repo, tip, mine):
            parents, carried = _parents(bundle, mine, tip)
            head = _head(git.NAME, _now_of(bundle, mine), b"join what a person committed\n", parents)
            git.load(repo, b"feature done\n" + head + carried + b"\ndone\n")
        elif git.move(repo, name, tip, mine):
            return


def _now_of(bundle: Bundle, commit: str) -> int:
    return int(git.run(bundle.repo, "log", "-1", "--format=%ct", commit, "--") or b"0")


def _head(by: str, seconds: int, message: bytes, parents: Sequence[str]) -> bytes:
    author = _IDENT.sub("", by).strip() or git.NAME
    lines = [
        f"commit {git.TIP}",
        f"author {author} <> {seconds} +0000",
        f"committer {git.NAME} <{git.EMAIL}> {seconds} +0000",
        f"data {len(message)}",
    ]
    text = "\n".join(lines).encode("utf-8") + b"\n" + message
    for word, parent in zip(("from", "merge"), parents, strict=False):
        text += f"{word} {parent}\n".encode("ascii")
    return text


def _file(path: str, data: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s\n" % (_quoted(path), len(data), data)


def _gone(path: str) -> bytes:
    return b"D %s\n" % _quoted(path)


def _quoted(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _seconds(at: str) -> int:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return 0
    return max(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()), 0)
