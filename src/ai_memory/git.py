"""The one module that runs git, always in the same small world: no prompts, no hooks, nobody's configuration.

A repository here is a folder with its ``.git``; our own files stand in ``.git/ai-memory``. Locks that git or we left
behind in a crash are removed only where it is certain that they are ours: under ``refs/ai-memory/``, or the same file
(by inode) as one of our own.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_memory import disk

TIP = "refs/ai-memory/head"
"""Our own ref: the last commit that we made, whatever a person does with the branch."""

NAME, EMAIL = "ai-memory", "ai-memory@localhost"
_NOTHING = "0" * 40
_SHA = re.compile(r"[0-9a-f]{40}")
_BATCH = 500
_PACKS = 40
_SETTINGS = (
    "core.fsync=all",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    "core.compression=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "fastimport.unpackLimit=0",
    "advice.detachedHead=false",
)
_EXCLUDED = (b"/project.json", b".*.tmp")


class Failed(RuntimeError):
    """git answered with an error; ``str`` holds its first words."""


@dataclass(frozen=True, slots=True)
class Repo:
    """A working tree with a ``.git`` folder of its own."""

    tree: Path

    @property
    def dir(self) -> Path:
        return self.tree / ".git"

    @property
    def own(self) -> Path:
        """Our folder inside ``.git``: drafts, locks, pending versions."""
        return self.dir / "ai-memory"


def blob(data: bytes) -> str:
    """The object id that git gives to a file with ``data``."""
    import hashlib  # noqa: PLC0415 - 4 MB that a client which asks for a first commit does not need

    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def ready(repo: Repo) -> bool:
    """Whether ``init`` once finished here."""
    return (repo.own / "ready").exists()


def init(repo: Repo) -> None:
    """Make the repository, or take over one that is there; durable on return. Doing it again changes nothing.

    Raises Failed where ``.git`` is a file (a worktree or submodule) or git is not installed.
    """
    if ready(repo):
        return
    if repo.dir.is_symlink() or repo.dir.is_file():
        raise Failed(f"{repo.dir} is not a folder; a bundle needs a repository of its own.")
    _unmade(repo)
    _call(repo, ["init", "-q", "--initial-branch=main", "--template=", str(repo.tree)], anywhere=True)
    disk.private_dir(repo.own / "pending")
    disk.private_dir(repo.own / "temp")
    disk.private_dir(repo.dir / "refs" / "ai-memory")
    disk.private_dir(repo.dir / "info")
    _exclude(repo)
    for name in ("HEAD", "config"):
        with (repo.dir / name).open("rb") as file:
            disk.flush(file.fileno())
    for folder in ("objects", "objects/pack", "objects/info", "refs/heads", "refs/tags", "refs", ""):
        disk.private_dir(repo.dir / folder)
        disk.sync_dir(repo.dir / folder)
    disk.sync_dir(repo.tree)
    disk.write(repo.own / "ready", b"1\n")


def configured(repo: Repo) -> bool:
    """Whether git can read the repository's own settings. Raises Failed where git does not run at all."""
    _call(repo, ["version"], anywhere=True)
    path = repo.dir / "config"
    try:
        if not path.stat().st_size:
            return False
        _call(repo, ["config", "--file", str(path), "--list", "-z"], anywhere=True)
    except (FileNotFoundError, Failed):
        return False
    return True


def run(repo: Repo, *args: str, feed: bytes = b"", index: Path | None = None, held: int | None = None) -> bytes:
    """What ``git args…`` prints, given ``feed`` on its input. ``held`` is a lock the child keeps while it lives."""
    return _call(repo, list(args), feed=feed, index=index, held=held)


def ref(repo: Repo, name: str) -> str:
    """The commit that ``name`` (a full ref, or HEAD when detached) points to; "" if none."""
    with contextlib.suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
        value = (repo.dir / name).read_text(encoding="ascii", errors="replace").strip()
        if _SHA.fullmatch(value):
            return value
    with contextlib.suppress(FileNotFoundError):
        for line in (repo.dir / "packed-refs").read_text(encoding="utf-8", errors="replace").splitlines():
            if line[41:] == name and _SHA.fullmatch(line[:40]):
                return line[:40]
    return ""


def branch(repo: Repo) -> str:
    """The ref that HEAD stands on, or "HEAD" if it is detached."""
    head = (repo.dir / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    return head.removeprefix("ref: ").strip() if head.startswith("ref: ") else "HEAD"


def ancestor(repo: Repo, older: str, newer: str) -> bool:
    """Whether the commit ``older`` is ``newer`` or in its history."""
    return older == newer or not run(repo, "rev-list", "-1", older, f"^{newer}", "--").strip()


def tree(repo: Repo, commit: str) -> dict[str, str]:
    """Path → blob of each plain file in ``commit``; links and submodules are left out. Empty for no commit."""
    if not commit:
        return {}
    found: dict[str, str] = {}
    for entry in run(repo, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        if entry.startswith(b"100"):
            about, _, path = entry.partition(b"\t")
            found[path.decode("utf-8", "surrogateescape")] = about[-40:].decode("ascii")
    return found


def blobs(repo: Repo, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """(id, bytes) for each of ``ids``, in order, by one process. Raises Failed for one that is not there."""
    wanted = list(ids)
    if not wanted:
        return
    with _spawn(repo, ["cat-file", "--batch"], subprocess.DEVNULL) as child:
        assert child.stdin is not None and child.stdout is not None
        try:
            for start in range(0, len(wanted), _BATCH):
                part = wanted[start : start + _BATCH]  # fits the pipe, so writing never waits for git to be read
                child.stdin.write("".join(f"{name}\n" for name in part).encode("ascii"))
                child.stdin.flush()
                for name in part:
                    about = child.stdout.readline().split()
                    if len(about) != 3:
                        raise Failed(f"git has no object {name}.")
                    yield name, child.stdout.read(int(about[2]))
                    child.stdout.read(1)
        finally:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()
            child.stdout.close()


def root_commit(git_dir: Path, timeout: float) -> str:
    """The oldest first commit on the main line of any branch, whichever is checked out; "" if none is found in time.

    ``git_dir`` may be anybody's: nothing in it is run, nothing is fetched or written. ``timeout`` is in seconds.
    """
    try:
        program, world = _program()
        command = [program, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", f"--git-dir={git_dir}", "rev-list"]
        for which in ("--branches", "HEAD"):
            found = subprocess.run(
                [*command, "--first-parent", "--max-parents=0", "--timestamp", which, "--"],
                cwd="/",
                env=world | {"GIT_NO_LAZY_FETCH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=timeout,
                check=False,
            ).stdout.split()
            if found:
                return min(zip(map(int, found[::2]), found[1::2], strict=True))[1].decode("ascii")
    except (Failed, OSError, ValueError, subprocess.TimeoutExpired):
        pass
    return ""


def load(repo: Repo, stream: bytes) -> str:
    """Run ``stream`` through fast-import; gives what TIP then points to. Objects and ref are durable on return.

    The stream must end in ``done``: without it, as when we die half way, git changes no ref.
    """
    with _locked(repo) as held:
        _call(repo, ["fast-import", "--quiet", "--done", "--date-format=raw"], feed=stream, held=held)
        for folder in ("objects/pack", "refs/ai-memory", "refs"):
            disk.sync_dir(repo.dir / folder)
    return ref(repo, TIP)


def move(repo: Repo, name: str, old: str, new: str) -> bool:
    """Point the ref ``name`` from ``old`` ("" for none) to ``new``; durable. False if it has moved or is locked."""
    target = repo.dir / name
    lock = target.with_name(target.name + ".lock")
    draft = repo.own / "ref"
    draft.unlink(missing_ok=True)
    disk.private_dir(target.parent)
    disk.create(draft, f"{new}\n".encode("ascii"))
    try:
        os.link(draft, lock)
    except FileExistsError:
        draft.unlink()
        return False
    try:
        moved = ref(repo, name) != old
        if not moved:
            os.replace(lock, target)
            disk.sync_dir(target.parent)
    finally:
        lock.unlink(missing_ok=True)
        draft.unlink(missing_ok=True)
    return not moved


def restage(repo: Repo, entries: Mapping[str, str]) -> bool:
    """The person's index holds ``entries`` (path → blob, "" for gone), all else as it was. False if it is locked."""
    index, draft = repo.dir / "index", repo.own / "index"
    lock = repo.dir / "index.lock"
    with _locked(repo) as held:
        for leftover in (draft, draft.with_name("index.lock")):
            leftover.unlink(missing_ok=True)
        before = _signature(index)
        if before:
            disk.create(draft, index.read_bytes(), sync=False)
        lines = "".join(f"{'100644' if name else '0'} {name or _NOTHING}\t{path}\0" for path, name in entries.items())
        feed = lines.encode("utf-8", "surrogateescape")
        try:
            if not before:
                raise Failed("no index yet")
            run(repo, "update-index", "-z", "--index-info", feed=feed, index=draft, held=held)
        except Failed:  # none, or one that git cannot read
            draft.unlink(missing_ok=True)
            run(repo, "read-tree", TIP, index=draft, held=held)
        try:
            os.link(draft, lock)
        except FileExistsError:
            return False
        try:
            untouched = _signature(index) == before
            if untouched:
                os.replace(lock, index)
        finally:
            lock.unlink(missing_ok=True)
            draft.unlink(missing_ok=True)
    return untouched


def mend(repo: Repo) -> None:
    """Remove what a crash of ours left behind. Waits for a git child of the crashed process to end first."""
    with _locked(repo):
        for draft, locks in (("ref", _heads(repo)), ("index", [repo.dir / "index.lock"])):
            mine = _signature(repo.own / draft)
            for lock in locks:
                if mine and _signature(lock) == mine:
                    lock.unlink()
            (repo.own / draft).unlink(missing_ok=True)
        (repo.own / "index.lock").unlink(missing_ok=True)
        (repo.dir / f"{TIP}.lock").unlink(missing_ok=True)
        for pattern in ("objects/pack/tmp_pack_*", "objects/pack/tmp_idx_*", "fast_import_crash_*"):
            for leftover in repo.dir.glob(pattern):
                leftover.unlink(missing_ok=True)
        for keep in repo.dir.glob("objects/pack/*.keep"):
            if not keep.with_suffix(".pack").exists() or keep.read_bytes() == b"fast-import":
                keep.unlink(missing_ok=True)  # fast-import dies on one where it would make the same pack again


def tidy(repo: Repo) -> bool:
    """Join small packs once there are many; gives whether it did. History is unchanged; a kill at any point is safe."""
    if sum(1 for name in os.listdir(repo.dir / "objects" / "pack") if name.endswith(".pack")) < _PACKS:
        return False
    with _locked(repo) as held:
        run(repo, "repack", "-d", "-q", "--geometric=2", held=held)
        disk.sync_dir(repo.dir / "objects" / "pack")
    return True


def _unmade(repo: Repo) -> None:
    """Clear what a power cut left of an ``init`` half way through: ``HEAD`` or ``config`` empty or torn."""
    head = repo.dir / "HEAD"
    with contextlib.suppress(FileNotFoundError):
        if not re.fullmatch(rb"(ref: refs/\S+|[0-9a-f]{40})\n", head.read_bytes()):
            head.unlink()
    if (repo.dir / "config").exists() and not configured(repo):
        os.replace(repo.dir / "config", repo.dir / "config.damaged")


def _exclude(repo: Repo) -> None:
    """A person's ``git status`` does not show what is ours alone."""
    path = repo.dir / "info" / "exclude"
    lines = path.read_bytes().splitlines() if path.exists() else []
    if not set(_EXCLUDED) <= set(lines):
        disk.write(path, b"".join(line + b"\n" for line in dict.fromkeys([*lines, *_EXCLUDED])))


def _heads(repo: Repo) -> list[Path]:
    return [repo.dir / "HEAD.lock", *(repo.dir / "refs" / "heads").rglob("*.lock")]


def _signature(path: Path) -> tuple[int, ...]:
    """What tells this file from another of its name; empty if there is none."""
    try:
        about = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return ()
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


@contextlib.contextmanager
def _locked(repo: Repo) -> Iterator[int]:
    """Our lock on this repository. A git child inherits it, so it is free only when no child of a dead server lives."""
    fd = os.open(repo.own / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Failed(f"A git process of an earlier run still works in {repo.tree}.") from None
                time.sleep(0.01)
        yield fd
    finally:
        os.close(fd)


@functools.cache
def _program() -> tuple[str, dict[str, str]]:
    """Where git is, and the whole environment that it sees."""
    found = shutil.which("git")
    if found is None:
        raise Failed("git is not installed; install it and start again.")
    return found, {
        "PATH": os.pathsep.join((os.path.dirname(found), os.defpath)),
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": NAME,
        "GIT_AUTHOR_EMAIL": EMAIL,
        "GIT_COMMITTER_NAME": NAME,
        "GIT_COMMITTER_EMAIL": EMAIL,
    }


def _spawn(
    repo: Repo,
    args: list[str],
    errors: int,
    *,
    index: Path | None = None,
    held: int | None = None,
    anywhere: bool = False,
) -> subprocess.Popen[bytes]:
    program, world = _program()
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    env = dict(world)
    if not anywhere:
        env |= {"GIT_DIR": str(repo.dir), "GIT_WORK_TREE": str(repo.tree)}
    if index is not None:
        env["GIT_INDEX_FILE"] = str(index)
    return subprocess.Popen(
        [program, *settings, *args],
        cwd=repo.tree,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        pass_fds=() if held is None else (held,),
        umask=0o077,
    )


def _call(
    repo: Repo,
    args: list[str],
    *,
    feed: bytes = b"",
    index: Path | None = None,
    held: int | None = None,
    anywhere: bool = False,
) -> bytes:
    with _spawn(repo, args, subprocess.PIPE, index=index, held=held, anywhere=anywhere) as child:
        out, said = child.communicate(feed)
    if child.returncode != 0:
        words = said.decode("utf-8", "replace").strip()[:400]
        raise Failed(f"git {args[0]} ended with {child.returncode}: {words}")
    return out
