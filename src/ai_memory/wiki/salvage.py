"""A repository that git cannot read any more, after a power cut or a failing disk, brought to where git goes on.

Nothing is thrown away: what is damaged moves to ``.git/ai-memory/damaged``. Only what is proved damaged by its own
checksum or form moves, so a git that fails for another reason, such as a full disk, costs no history.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import zlib
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from ai_memory import disk, git
from ai_memory.wiki import history
from ai_memory.wiki.bundle import Bundle

log = logging.getLogger(__name__)
_HEAD = re.compile(rb"(ref: refs/\S+|[0-9a-f]{40})\n?")
_REF = re.compile(rb"([0-9a-f]{40}|ref: refs/\S+)\n?")
_PACKED = re.compile(rb"#.*|\^?[0-9a-f]{40}( refs/\S+)?")
_HASH = 20
_TRIES = 200
_BESIDE = (".idx", ".rev", ".bitmap", ".mtimes")


def torn(repo: git.Repo) -> bool:
    """Whether a file that says where history stands is empty or no longer one; costs a few small reads."""
    if not _formed(repo.dir / "HEAD", _HEAD):
        return True
    names = (git.TIP, git.branch(repo))
    return any((repo.dir / name).is_file() and not _formed(repo.dir / name, _REF) for name in names)


def heal(bundle: Bundle) -> None:
    """Set aside what is damaged and point our ref and the branch at the newest whole history. With the memo's lock.

    Raises git.Failed where git itself does not run.
    """
    repo = bundle.repo
    git.mend(repo)
    basics(repo)
    _packed_refs(repo)
    _refs(repo)
    _packs(repo)
    _loose(repo)
    if not _whole(repo, git.ref(repo, git.TIP)):
        _tip(bundle)
        _forget(bundle)
    _branch(repo)
    _logs(repo)
    _index(repo)


def basics(repo: git.Repo) -> None:
    """``HEAD`` and ``config`` can be read by git; what cannot is set aside and made anew."""
    if not _formed(repo.dir / "HEAD", _HEAD):
        _aside(repo, repo.dir / "HEAD")
        disk.write(repo.dir / "HEAD", b"ref: refs/heads/main\n")
    config = repo.dir / "config"
    if not git.configured(repo):
        _aside(repo, config)
        disk.write(config, b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")


def _formed(path: Path, form: re.Pattern[bytes]) -> bool:
    try:
        return form.fullmatch(path.read_bytes()) is not None
    except (FileNotFoundError, IsADirectoryError):
        return False


def _aside(repo: git.Repo, path: Path) -> None:
    """Move a damaged file out of git's sight."""
    if not path.exists():
        return
    folder = repo.own / "damaged"
    disk.private_dir(folder)
    kept = folder / f"{os.urandom(4).hex()}-{path.name}"
    log.warning("%s is damaged and is kept as %s", path, kept)
    os.replace(path, kept)
    disk.sync_dir(path.parent)
    disk.sync_dir(folder)


def _packed_refs(repo: git.Repo) -> None:
    path = repo.dir / "packed-refs"
    if not path.is_file():
        return
    lines = path.read_bytes().splitlines()
    good = [line for line in lines if _PACKED.fullmatch(line)]
    if len(good) < len(lines):
        _aside(repo, path)
        disk.write(path, b"".join(line + b"\n" for line in good))


def _refs(repo: git.Repo) -> None:
    for path in sorted((repo.dir / "refs").rglob("*")):
        if path.is_file() and not path.name.endswith(".lock") and not _formed(path, _REF):
            _aside(repo, path)


def _packs(repo: git.Repo) -> None:
    """Each pack is whole and has a whole index; of a damaged one, what can be read is taken out of it."""
    folder = repo.dir / "objects" / "pack"
    for index in sorted(folder.glob("pack-*.idx")):
        if not index.with_suffix(".pack").exists() or not _sealed(index):
            _aside(repo, index)
    for pack in sorted(folder.glob("pack-*.pack")):
        if _sealed(pack):
            if not pack.with_suffix(".idx").exists():
                _aside(repo, pack.with_suffix(".rev"))
                _try(repo, "index-pack", str(pack))
            continue
        data = pack.read_bytes()
        for path in (*(pack.with_suffix(suffix) for suffix in _BESIDE), pack):
            _aside(repo, path)
        _try(repo, "unpack-objects", "-r", "-q", feed=data)
    disk.sync_dir(folder)


def _try(repo: git.Repo, *args: str, feed: bytes = b"") -> None:
    with contextlib.suppress(git.Failed):
        git.run(repo, *args, feed=feed)


def _sealed(path: Path) -> bool:
    """Whether the checksum that ends a file is that of what precedes it."""
    data = path.read_bytes()
    return len(data) > _HASH and sha1(data[:-_HASH], usedforsecurity=False).digest() == data[-_HASH:]


def _loose(repo: git.Repo) -> None:
    for path in sorted((repo.dir / "objects").glob("[0-9a-f][0-9a-f]/*")):
        if re.fullmatch(r"[0-9a-f]{38}", path.name) and not _named_rightly(path):
            _aside(repo, path)


def _named_rightly(path: Path) -> bool:
    try:
        data = zlib.decompress(path.read_bytes())
    except zlib.error:
        return False
    return sha1(data, usedforsecurity=False).hexdigest() == path.parent.name + path.name


def _whole(repo: git.Repo, commit: str) -> bool:
    """Whether ``commit`` and everything it leads to is there."""
    if not commit:
        return False
    try:
        git.run(repo, "rev-list", "--objects", "--quiet", commit, "--")
    except git.Failed:
        return False
    return True


def _tip(bundle: Bundle) -> None:
    """Our ref names the newest whole commit that is a version, and no commit of ours leads further."""
    repo = bundle.repo
    if git.ref(repo, git.TIP):
        _aside(repo, repo.dir / git.TIP)
    for commit in _candidates(repo):
        if _whole(repo, commit):
            log.warning("the history of %s goes on from %s", bundle.dir, commit)
            git.move(repo, git.TIP, "", commit)
            return


def _forget(bundle: Bundle) -> None:
    """Let what the writer remembers be read again, for history now stands elsewhere."""
    memo = bundle.memo
    memo.entries = None
    if not memo.staged:
        memo.loaded = False
        for remembered in (memo.known, memo.hand, memo.folded):
            remembered.clear()


def _candidates(repo: git.Repo) -> Iterator[str]:
    """Commits that are versions, ones that others follow after those, the newest first."""
    names = [
        line[:40].decode("ascii")
        for line in git.run(
            repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
        ).splitlines()
        if line.endswith(b" commit")
    ]
    parent: dict[str, str] = {}
    when: dict[str, int] = {}
    for name, data in git.blobs(repo, names):
        head, _, text = data.decode("utf-8", "replace").partition("\n\n")
        fields = [line.split(" ") for line in head.splitlines()]
        if history.parsed(text) is not None:
            parent[name] = next((field[1] for field in fields if field[0] == "parent"), "")
            when[name] = max(int(field[-2]) for field in fields if field[0] == "committer")
    for _ in range(_TRIES):
        followed = set(parent.values())
        heads = [name for name in parent if name not in followed]
        if not heads:
            return
        best = max(heads, key=lambda name: (when[name], _depth(parent, name)))
        yield best
        del parent[best]


def _depth(parent: dict[str, str], name: str) -> int:
    depth = 0
    while name in parent:
        name, depth = parent[name], depth + 1
    return depth


def _branch(repo: git.Repo) -> None:
    """The branch of ``HEAD`` has whole history, or is not born."""
    name = git.branch(repo)
    tip = git.ref(repo, name)
    if not tip or _whole(repo, tip):
        return
    mine = git.ref(repo, git.TIP)
    log.warning("%s of %s was at %s, which is not whole, and goes to %s", name, repo.tree, tip, mine)
    if mine and not git.move(repo, name, tip, mine):
        return
    if not mine and name != "HEAD":
        _aside(repo, repo.dir / name)


def _logs(repo: git.Repo) -> None:
    """No reflog names a commit that is gone."""
    for path in sorted((repo.dir / "logs").rglob("*")):
        if not path.is_file():
            continue
        lines = path.read_bytes().splitlines(keepends=True)
        named = [[name for name in line[:81].split(b" ") if name.strip(b"0")] for line in lines]
        feed = b"".join(name + b"\n" for names in named for name in names)
        said = git.run(repo, "cat-file", "--batch-check", feed=feed).splitlines()
        gone = {line.split(b" ")[0] for line in said if line.endswith(b" missing")}
        good = [line for line, names in zip(lines, named, strict=True) if not gone.intersection(names)]
        if len(good) < len(lines):
            _aside(repo, path)
            disk.write(path, b"".join(good))


def _index(repo: git.Repo) -> None:
    """The index a person sees can be read and names nothing that is gone; it is made anew with the next commit."""
    path = repo.dir / "index"
    if not path.exists():
        return
    try:
        staged = git.run(repo, "ls-files", "-s", "-z").split(b"\0")
        wanted = b"".join(row.split(b" ")[1] + b"\n" for row in staged if row.startswith(b"100"))
        gone = b" missing\n" in git.run(repo, "cat-file", "--batch-check", feed=wanted)
    except git.Failed:
        gone = True
    if gone:
        _aside(repo, path)
