"""Reading and writing the pages of a bundle.

Writing is in two parts, for one writer that gathers a batch: ``stage`` compares and prepares, ``sync`` makes all that
is staged stand, durably, and shows it to readers. What was staged can be taken back with ``unstage`` until then.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from dataclasses import replace
from hashlib import sha256

from ai_memory import disk, git
from ai_memory.domain import ids, paths
from ai_memory.domain.page import Edit, Page, Stamp
from ai_memory.errors import Conflict, Invalid, Missing, TooLarge
from ai_memory.wiki import history, known, pages, pending
from ai_memory.wiki.bundle import Bundle, Staged, Step, quiet
from ai_memory.wiki.version import LOCAL, Version

CAP = 4 * 1024 * 1024
"""The largest page in bytes."""

_GAP = 2  # serial numbers leave room before each version for one displaced by it


def read(bundle: Bundle, path: str) -> tuple[Page, Stamp, bytes]:
    """The page as it stands on disk. Raises Missing, or Invalid where a link stands in its place.

    The stamp is that of the page's current version; ``version`` in it is "" for a file that was never taken up.
    """
    path = paths.check(path)
    data, _ = fetch(bundle, path)
    if data is None:
        raise Missing(f"There is no page {path}; list or search the pages to find its name.")
    page, stamp, _ = pages.parse(data, path)
    if not bundle.memo.loaded:  # afterwards a reader never waits for the writer, who holds the lock while it syncs
        with bundle.memo.lock:
            known.load(bundle)
    own = bundle.memo.hand.get(path)
    if own is not None and own.blob == git.blob(data):
        stamp = own.stamp
    return page, stamp or Stamp(version="", by=LOCAL, at="", manual=True), data


def fetch(bundle: Bundle, path: str) -> tuple[bytes | None, tuple[int, ...]]:
    """The bytes at ``path`` and what tells this file from a later one; (None, ()) if there is none.

    Follows no link. Raises Invalid where a link, a folder or anything else that is not a plain file stands there.
    """
    *folders, name = path.split("/")
    try:
        with disk.beneath(bundle.dir, folders) as place:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=place)
    except FileNotFoundError:
        return None, ()
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise
        raise Invalid(f"{path} is, or lies behind, a link or another kind of file; pages are plain files.") from None
    about = os.fstat(fd)
    if not stat.S_ISREG(about.st_mode):
        os.close(fd)
        raise Invalid(f"{path} is not a plain file; pages are plain files.")
    with open(fd, "rb") as file:
        return file.read(), _signature(about)


def stage(bundle: Bundle, edit: Edit, *, step: Step = quiet) -> Version | None:
    """Compare ``edit`` with the page as it is and prepare its version. None if it would say the same again.

    Raises Conflict (``current``: the version id that holds, None for no page), Missing for a deletion of nothing,
    Invalid for a bad path or text. Bytes that a person wrote and nobody took up yet are first kept as a version of
    their own, ``displaced``, and stay kept if the edit is then refused or says the same.
    """
    path = _checked(edit)
    with bundle.memo.lock:
        if not git.ready(bundle.repo):
            git.init(bundle.repo)
        known.load(bundle)
        known.vacant(bundle, path)
        data, current, signature, kept = _look(bundle, path, edit.stamp)
        repeats = _repeats(edit, path, data)
        if repeats and not edit.create and edit.expected is None:
            return None
        _compare(edit, path, data is not None, current)
        if repeats:
            return None
        if edit.page is None and data is None:
            raise Missing(f"There is no page {path} to delete.")
        supersedes = current.version if current and data is not None else ""
        version = _version(edit, path, supersedes, kept)
        _prepare(bundle, version, signature, kept=False)
        step("staged")
    return version


def adopt(bundle: Bundle, path: str, stamp: Stamp) -> Version | None:
    """Take up what a person did to ``path`` by hand, as a version of ``stamp``'s id, author and time. Then ``sync``.

    Gives the version that stands for the page as it is, which is an older one if nothing was done by hand, and None if
    there is nothing to tell of, or the writer has this page in hand. The person's bytes are left as they are.
    """
    path = paths.check(path)
    with bundle.memo.lock:
        if not git.ready(bundle.repo):
            git.init(bundle.repo)
        known.load(bundle)
        if any(item.version.path == path for item in bundle.memo.staged):
            return None
        data, current, _, kept = _look(bundle, path, stamp, named=True)
        if kept is not None:
            return kept
        return current if data is None or current is None else replace(current, data=data)


def unstage(bundle: Bundle, version: Version) -> None:
    """Take back a staged version; of several on one page, the newest first.

    One that a failed ``sync`` had made to stand stays, and is shown by the next ``sync``.
    """
    memo = bundle.memo
    with memo.lock:
        for place in range(len(memo.staged) - 1, -1, -1):
            item = memo.staged[place]
            if item.version.version == version.version:
                if pending.unstage(bundle, item.serial, item.version):
                    known.restore(bundle, item.version.path, item.before, item.hand)
                    del memo.staged[place]
                return


def sync(bundle: Bundle, *, step: Step = quiet) -> tuple[Version, ...]:
    """Make everything staged stand: durable, and in the working files. Gives the versions in order.

    Index these rather than what ``stage`` gave: bytes that a person wrote since then are among them, each before the
    version that displaced it. After an OSError, call again or stop; nothing is lost either way.
    """
    memo = bundle.memo
    with memo.lock:
        if not memo.staged:
            return ()
        for item in memo.staged:
            pending.settle(bundle, item.serial, item.version)
        step("settled")
        disk.sync_dir(pending.folder(bundle))
        step("pending durable")
        last = {item.version.path: place for place, item in enumerate(memo.staged) if not item.kept}
        first: dict[str, Staged] = {}
        for item in memo.staged:
            first.setdefault(item.version.path, item)
        done: list[Version] = []
        folders: set[str] = set()
        for place, item in enumerate(memo.staged):
            path = item.version.path
            if last.get(path) == place:
                raced = _raced(bundle, first[path])
                if raced is not None:
                    done.append(raced)
                with contextlib.suppress(NotADirectoryError, IsADirectoryError):  # put there by hand since
                    _show(bundle, item.version, step)
                folders.add(path.rpartition("/")[0])
            done.append(item.version)
        for folder in folders:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                disk.sync_dir(bundle.dir / folder)
        memo.staged.clear()
        step("synced")
    return tuple(done)


def show(bundle: Bundle, version: Version) -> None:
    """Bring the working file to ``version``, durably."""
    _show(bundle, version, quiet)
    with contextlib.suppress(FileNotFoundError):
        disk.sync_dir((bundle.dir / version.path).parent)


def _checked(edit: Edit) -> str:
    path = paths.check(edit.path)
    stamp = edit.stamp
    if not history.identity(stamp.version):
        raise Invalid("A version id is a lower-case UUID.")
    if not stamp.by.isprintable() or not stamp.at.isprintable() or not stamp.by.strip() or stamp.by != stamp.by.strip():
        raise Invalid("The author and time of a version are one line each.")
    return path


def _repeats(edit: Edit, path: str, data: bytes | None) -> bool:
    if edit.page is None or data is None:
        return False
    return pages.same(replace(edit.page, path=path), pages.parse(data, path)[0])


def _look(
    bundle: Bundle, path: str, stamp: Stamp, *, named: bool = False
) -> tuple[bytes | None, Version | None, tuple[int, ...], Version | None]:
    """(bytes, current version, signature, version just kept) of ``path``, staged versions counted in.

    The version kept of a person's bytes bears ``stamp``'s own id if ``named``, else one derived to sort before it.
    """
    memo = bundle.memo
    for item in reversed(memo.staged):
        if item.version.path == path:
            data = None if item.version.deleted else item.version.data
            return data, item.version, item.signature, None
    data, signature = fetch(bundle, path)
    there = memo.known.get(path)
    blob = git.blob(data) if data is not None else ""
    if blob == (there.blob if there else ""):
        current = known.resolved(bundle, path, data) if there else memo.hand.get(path)
        if there is None or current is not None:
            return data, current, signature, None
    before = known.resolved(bundle, path) or memo.hand.get(path)
    kept = Version(
        path=path,
        version=stamp.version if named else _before(stamp.version, path, blob),
        by=stamp.by if named else LOCAL,
        at=stamp.at,
        blob=blob,
        supersedes=before.version if before and there is not None else "",
        manual=True,
        deleted=data is None,
        stamped=False,
        data=data or b"",
    )
    _prepare(bundle, kept, signature, kept=True)
    return data, kept, signature, kept


def _compare(edit: Edit, path: str, exists: bool, current: Version | None) -> None:
    """Raises Conflict unless the edit may follow ``current``, which with ``exists`` false is a deletion."""
    holds = current.version if current and exists else None
    if edit.create and exists:
        raise Conflict(f"The page {path} exists (version {holds}); read it and write with that version.", holds)
    if edit.expected is not None and edit.expected != (holds or ""):
        now = f"is at version {holds}" if holds else "does not exist"
        raise Conflict(f"The page {path} {now}, not at {edit.expected}; read it again and merge.", holds)
    if edit.automatic and current is not None and current.manual:
        did = "edited" if exists else "deleted"
        raise Conflict(f"The page {path} was last {did} by a person; an automatic edit leaves it alone.", holds)


def _version(edit: Edit, path: str, supersedes: str, kept: Version | None) -> Version:
    stamp = replace(edit.stamp, supersedes=supersedes)
    data = b"" if edit.page is None else pages.render(pages.complete(replace(edit.page, path=path)), stamp)
    if len(data) > CAP:
        raise TooLarge(f"The page {path} has {len(data)} bytes; the most is {CAP}. Split it.")
    return Version(
        path=path,
        version=stamp.version,
        by=stamp.by,
        at=stamp.at,
        blob="" if edit.page is None else git.blob(data),
        supersedes=supersedes,
        manual=stamp.manual,
        deleted=edit.page is None,
        data=data,
        displaced=kept,
    )


def _prepare(bundle: Bundle, version: Version, signature: tuple[int, ...], *, kept: bool) -> None:
    memo = bundle.memo
    serial = memo.serial + _GAP
    pending.stage(bundle, serial, version)
    memo.serial = serial
    before, own = memo.known.get(version.path), memo.hand.get(version.path)
    memo.staged.append(Staged(version, serial, signature, before, own, kept))
    known.put(bundle, version)


def _raced(bundle: Bundle, first: Staged) -> Version | None:
    """The version kept of what a person put in the working file since ``first`` was compared with it; settled."""
    try:
        data, signature = fetch(bundle, first.version.path)
    except Invalid:  # a link, which is replaced; what it leads to is not touched
        return None
    if signature == first.signature or data is None:
        return None
    blob = git.blob(data)
    if blob == first.version.blob or (first.before is not None and blob == first.before.blob):
        return None
    version = Version(
        path=first.version.path,
        version=_before(first.version.version, first.version.path, blob),
        by=LOCAL,
        at=first.version.at,
        blob=blob,
        supersedes=first.version.supersedes,
        manual=True,
        stamped=False,
        data=data,
    )
    serial = first.serial - 1
    pending.unstage(bundle, serial, version)
    pending.stage(bundle, serial, version)
    pending.settle(bundle, serial, version)
    disk.sync_dir(pending.folder(bundle))
    return version


def _show(bundle: Bundle, version: Version, step: Step) -> None:
    *folders, name = version.path.split("/")
    if version.deleted:
        with contextlib.suppress(FileNotFoundError), disk.beneath(bundle.dir, folders) as place:
            os.unlink(name, dir_fd=place)
        _prune(bundle, folders)
        step("file gone")
        return
    draft = bundle.repo.own / "temp" / secrets.token_hex(8)
    try:
        disk.create(draft, version.data)
        step("draft durable")
        with disk.beneath(bundle.dir, folders, make=True) as place:
            os.replace(draft, name, dst_dir_fd=place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    step("file shown")


def _prune(bundle: Bundle, folders: list[str]) -> None:
    """Remove the folders that a deletion left empty."""
    for depth in range(len(folders), 0, -1):
        try:
            with disk.beneath(bundle.dir, folders[: depth - 1]) as place:
                os.rmdir(folders[depth - 1], dir_fd=place)
        except OSError:
            return


def _before(version: str, path: str, blob: str) -> str:
    """An id that sorts before ``version``, the same each time for these bytes at this moment."""
    milliseconds = int(version.replace("-", "")[:12], 16)
    return ids.version7(max(milliseconds - 1, 0), sha256(f"{version}\0{path}\0{blob}".encode()).digest())


def _signature(about: os.stat_result) -> tuple[int, ...]:
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
