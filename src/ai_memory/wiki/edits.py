"""What people did to the pages by hand, in whatever editor."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ai_memory import git
from ai_memory.domain import paths
from ai_memory.errors import Invalid
from ai_memory.wiki.bundle import Bundle

_SETTLED = 50_000_000  # nanoseconds: a file changed since may change again within one tick of its clock


@dataclass(frozen=True, slots=True)
class Found:
    """A page that differs from what is known of it. ``kind``: added, edited or deleted; ``blob`` is "" if deleted."""

    path: str
    kind: str
    blob: str


@dataclass(frozen=True, slots=True)
class Scan:
    """``changes`` by path, and ``warnings`` in sentences about what was passed over."""

    changes: tuple[Found, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    pages: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)


def scan(bundle: Bundle, known: Mapping[str, str], *, now: int = 0) -> Scan:
    """The differences between the working files and ``known`` (path → blob id), for ``files.adopt`` to take up.

    Links, files that are not UTF-8 and names that are no page paths are passed over with a warning, hidden folders and
    reserved names without. If more than three pages and more than half of them are missing, none is reported deleted.
    ``now`` in Unix nanoseconds lets unchanged files be told by their times alone.
    """
    walk = _Walk()
    folders = [""]
    while folders:
        folders.extend(_folder(bundle, folders.pop(), walk, now))
    missing = [path for path in known if path not in walk.pages and path not in walk.unreadable]
    changes = [
        Found(path, "edited" if path in known else "added", blob)
        for path, blob in walk.pages.items()
        if known.get(path) != blob
    ]
    if len(missing) > max(3, len(known) / 2):
        walk.warnings.append(
            f"{len(missing)} of {len(known)} pages are missing from {bundle.dir}; none is taken as deleted. "
            f"Bring the folder back, or delete the pages one by one."
        )
    else:
        changes.extend(Found(path, "deleted", "") for path in missing)
    return Scan(tuple(sorted(changes, key=lambda change: change.path)), tuple(walk.warnings))


def _folder(bundle: Bundle, folder: str, walk: _Walk, now: int) -> Iterator[str]:
    """Take in the pages of one folder; gives the folders in it."""
    try:
        entries = sorted(os.scandir(bundle.dir / folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            walk.warnings.append(f"{_shown(path)} is a link; links are not followed.")
        elif entry.is_dir(follow_symlinks=False):
            yield path
        elif entry.name.lower().endswith(".md") and entry.name.casefold() not in paths.RESERVED:
            _page(bundle, path, entry, walk, now)


def _page(bundle: Bundle, path: str, entry: os.DirEntry[str], walk: _Walk, now: int) -> None:
    try:
        right = paths.check(path)
    except Invalid as error:
        walk.warnings.append(f"{error} The file is passed over.")
        return
    if right != path:
        walk.warnings.append(f"{_shown(path)} is passed over; rename it to {_shown(right)}.")
        return
    try:
        blob = _blob(bundle, path, entry, now)
    except UnicodeDecodeError as error:
        walk.warnings.append(f"{path} is passed over: not UTF-8 at byte {error.start}.")
    except FileNotFoundError:
        return
    except OSError as error:
        walk.warnings.append(f"{path} cannot be read: {error.strerror}.")
    else:
        walk.pages[path] = blob
        return
    walk.unreadable.add(path)


def _blob(bundle: Bundle, path: str, entry: os.DirEntry[str], now: int) -> str:
    about = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(about.st_mode):
        raise OSError(0, "it is not a plain file")
    signature = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    noted = bundle.memo.stats.get(path)
    if noted is not None and noted[0] == signature:
        return noted[1]
    fd = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        data = file.read()
    data.decode("utf-8")
    blob = git.blob(data)
    if about.st_mtime_ns + _SETTLED < now:
        bundle.memo.stats[path] = (signature, blob)
    else:
        bundle.memo.stats.pop(path, None)
    return blob


def _shown(path: str) -> str:
    return ascii(path) if not path.isprintable() else path
