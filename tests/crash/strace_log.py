"""What a trace of system calls says of files below one folder, as steps in order, and when each reply was sent.

For ``strace -f -y -xx -s <large> -e trace=<CALLS> -o <file>``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "open,openat,creat,read,write,pwrite64,writev,pwritev,ftruncate,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,lseek,chdir,clone,clone3,fork,vfork,recvfrom,sendto,fallocate,"
    "copy_file_range,sendfile"
)
_UNTOLD = {"fallocate", "copy_file_range", "sendfile", "pwritev"}
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
_CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?", re.DOTALL)
_FD = re.compile(r"(?:\d+|AT_FDCWD)<([^>]*)>")
_TEXT = re.compile(r'"([^"]*)"')
_NUMBER = re.compile(rb"(?im)^x-req: <(\d+)>")


def usable() -> bool:
    """Whether strace is installed, knows the options that are used, and may trace a child; containers often forbid it."""
    try:
        done = subprocess.run(
            ["strace", "-f", "-y", "--seccomp-bpf", "-e", "trace=openat", "-o", os.devnull, sys.executable, "-c", ""],
            capture_output=True, timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@dataclass(frozen=True, slots=True)
class Step:
    """One change that was made, or one sync that ended, at line ``at``; a sync covers what was done before ``since``."""

    at: int
    what: str
    path: str
    other: str = ""
    data: bytes = b""
    offset: int = -1
    since: int = 0


@dataclass(slots=True)
class Trace:
    """``steps`` in order; ``replies``: number of a request → the line at which its reply began to be sent."""

    steps: list[Step] = field(default_factory=list)
    replies: dict[int, int] = field(default_factory=dict)
    lines: int = 0


def read(log: Path, root: Path) -> Trace:
    """The trace in ``log``, of the files below ``root``. ValueError for a call that the model does not know."""
    return _Reader(str(root)).read(log)


class _Reader:
    def __init__(self, root: str) -> None:
        self.root = root
        shown = "".join(f"\\x{byte:02x}" for byte in os.fsencode(root))
        self._foreign = re.compile(r"read\(\d+<(?!" + re.escape(shown) + ")")
        self.trace = Trace()
        self.cwd: dict[str, str] = {}
        self.begun: dict[str, tuple[int, str]] = {}
        self.asked: dict[str, list[int]] = {}

    def read(self, log: Path) -> Trace:
        with log.open(encoding="ascii", errors="replace") as file:
            for at, line in enumerate(file, 1):
                self.trace.lines = at
                tid, _, text = line.rstrip("\n").partition(" ")
                self._line(at, tid, text.lstrip())
        return self.trace

    def _line(self, at: int, tid: str, text: str) -> None:
        since = at
        if self._foreign.match(text):
            return
        resumed = _RESUMED.match(text)
        if resumed:
            since, head = self.begun.pop(tid, (at, ""))
            if not head:
                return
            text = head + resumed[2]
        elif text.endswith("<unfinished ...>"):
            head = text.removesuffix("<unfinished ...>").rstrip()
            self.begun[tid] = (at, head)
            if head.startswith("sendto("):
                self._sent(at, head)
            return
        call = _CALL.match(text)
        if call is None or int(call[3]) < 0:
            return
        self._call(at, since, tid, call)

    def _call(self, at: int, since: int, tid: str, call: re.Match[str]) -> None:
        name, args, result = call[1], call[2], int(call[3])
        if name in ("clone", "clone3", "fork", "vfork"):
            self.cwd.setdefault(str(result), self.cwd.get(tid, "/"))
        elif name == "chdir":
            self.cwd[tid] = self._full(tid, "", _plain(_TEXT.findall(args)[0]))
        elif name == "sendto":
            self._sent(since, args)
        elif name == "recvfrom":
            self._received(args)
        else:
            for step in self._steps(at, since, tid, name, args, result, call[4]):
                if self._inside(step.path) or self._inside(step.other):
                    if name in _UNTOLD:
                        raise ValueError(f"{name} is not modelled: {step.path}")
                    self.trace.steps.append(step)

    def _steps(
        self, at: int, since: int, tid: str, name: str, args: str, result: int, opened: str | None
    ) -> Iterator[Step]:
        fds = [_plain(found) for found in _FD.findall(args)]
        texts = _TEXT.findall(args)
        if name in ("open", "openat", "creat"):
            path = _plain(opened or "")
            flags = "O_CREAT|O_TRUNC|O_WRONLY" if name == "creat" else args
            if "O_CREAT" in flags:
                yield Step(at, "create", path)
            if "O_TRUNC" in flags:
                yield Step(at, "cut", path, offset=0)
            if "O_WRONLY" in flags or "O_RDWR" in flags:
                yield Step(at, "seek", path, offset=-1 if "O_APPEND" in flags else 0)
        elif name in ("write", "pwrite64", "writev"):
            data = b"".join(map(_bytes, texts))[:result]
            offset = int(args.rsplit(", ", 1)[1]) if name == "pwrite64" else -1
            yield Step(at, "write", fds[0] if fds else "", data=data, offset=offset)
        elif name == "read":
            yield Step(at, "skip", fds[0] if fds else "", offset=result)
        elif name == "lseek":
            yield Step(at, "seek", fds[0] if fds else "", offset=result)
        elif name == "ftruncate":
            yield Step(at, "cut", fds[0] if fds else "", offset=int(args.rsplit(", ", 1)[1]))
        elif name in ("fsync", "fdatasync"):
            yield Step(at, "sync", fds[0] if fds else "", since=since)
        else:
            yield from self._names(at, tid, name, args, fds, [_plain(text) for text in texts])

    def _names(self, at: int, tid: str, name: str, args: str, fds: list[str], texts: list[str]) -> Iterator[Step]:
        if name.startswith("symlink"):  # git tries one out; a plain file will do
            yield Step(at, "create", self._full(tid, fds[0] if fds else "", texts[1]))
            return
        bases = fds + [""] * 2
        if name.endswith("at") or name.endswith("at2"):
            paths = [self._full(tid, base, text) for base, text in zip(bases, texts, strict=False)]
        else:
            paths = [self._full(tid, "", text) for text in texts]
        if not paths:
            return
        what = name.removesuffix("2").removesuffix("at")
        if what == "unlink" and "AT_REMOVEDIR" in args:
            what = "rmdir"
        yield Step(at, what, paths[0], paths[1] if len(paths) > 1 else "")

    def _full(self, tid: str, base: str, text: str) -> str:
        return os.path.normpath(os.path.join(base or self.cwd.get(tid, "/"), text))

    def _inside(self, path: str) -> bool:
        return path == self.root or path.startswith(self.root + "/")

    def _received(self, args: str) -> None:
        for number in _NUMBER.findall(b"".join(map(_bytes, _TEXT.findall(args)))):
            self.asked.setdefault(_socket(args), []).append(int(number))

    def _sent(self, at: int, args: str) -> None:
        waiting = self.asked.get(_socket(args))
        text = _TEXT.search(args)
        if waiting and text and _bytes(text[1]).startswith(b"HTTP/1.1 "):
            self.trace.replies.setdefault(waiting.pop(0), at)


def _socket(args: str) -> str:
    return args.removeprefix("sendto(").partition(",")[0]



def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _plain(text: str) -> str:
    return os.fsdecode(_bytes(text))
