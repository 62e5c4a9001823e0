"""A disk that may forget what was not synced. Names and contents are kept as they are now and as they surely are.

A name is sure once its directory was synced; bytes are sure once their file was. ``journal`` is the kinder disk of a
journalling file system, where any sync makes all earlier names sure, in order, but no bytes of other files.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from strace_log import Step

VARIANTS = ("strict", "journal", "torn", "written")


@dataclass(eq=False, slots=True)
class Node:
    """A file or folder. ``later`` are the writes (offset, data; None cuts there) since ``sure``, ``first`` the count before."""

    folder: bool
    now: bytearray = field(default_factory=bytearray)
    sure: bytearray = field(default_factory=bytearray)
    later: list[tuple[int, int, bytes | None]] = field(default_factory=list)
    names: dict[str, Node] = field(default_factory=dict)
    sure_names: dict[str, Node] = field(default_factory=dict)
    journal_names: dict[str, Node] = field(default_factory=dict)
    renamed: list[tuple[int, str, Node | None]] = field(default_factory=list)
    position: int = 0


class Disk:
    """The folder ``root``, which exists and is empty at first, under ``apply``."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.top = Node(True)
        self._changes: list[tuple[int, Node, str, Node | None]] = []

    def apply(self, step: Step) -> None:
        if step.what == "rename" or step.what == "link":
            self._move(step)
        elif step.what in ("unlink", "rmdir"):
            self._name(step.at, step.path, None)
        elif step.what == "mkdir":
            self._name(step.at, step.path, Node(True))
        elif step.what == "create":
            if self.find(step.path) is None:
                self._name(step.at, step.path, Node(False))
        else:
            node = self.find(step.path)
            if node is not None:
                self._bytes(node, step)

    def find(self, path: str) -> Node | None:
        node: Node | None = self.top
        for name in os.path.relpath(path, self.root).split("/"):
            if name != "." and node is not None:
                node = node.names.get(name)
        return node

    def build(self, target: Path, variant: str, dice: random.Random) -> None:
        """What the disk holds after a power cut now, as real files below ``target``."""
        self._build(self.top, target, variant, dice, {})

    def differs(self, target: Path) -> list[str]:
        """Files below ``target`` that hold something else than this disk does now: faults of the model."""
        held = dict(_files(self.top, ""))
        real = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if path.is_file()}
        wrong = {name for name in held.keys() & real.keys() if real[name].read_bytes() != held[name].now}
        return sorted(name for name in wrong | (held.keys() ^ real.keys()) if not name.endswith("-shm"))

    def _bytes(self, node: Node, step: Step) -> None:
        if step.what == "seek":
            node.position = step.offset
        elif step.what == "skip":
            node.position += step.offset if node.position >= 0 else 0
        elif step.what == "cut":
            _put(node.now, step.offset, None)
            node.later.append((step.at, step.offset, None))
        elif step.what == "write":
            offset = step.offset
            if offset < 0:
                offset = len(node.now) if node.position < 0 else node.position
                node.position = -1 if node.position < 0 else offset + len(step.data)
            _put(node.now, offset, step.data)
            node.later.append((step.at, offset, step.data))
        elif step.what == "sync":
            self._sync(node, step.since)

    def _sync(self, node: Node, since: int) -> None:
        while node.later and node.later[0][0] < since:
            _, offset, data = node.later.pop(0)
            _put(node.sure, offset, data)
        while node.renamed and node.renamed[0][0] < since:
            _, name, inner = node.renamed.pop(0)
            _set(node.sure_names, name, inner)
        while self._changes and self._changes[0][0] < since:
            _, folder, name, inner = self._changes.pop(0)
            _set(folder.journal_names, name, inner)

    def _move(self, step: Step) -> None:
        node = self.find(step.path)
        if node is None:
            return
        self._name(step.at, step.other, node)
        if step.what == "rename":
            self._name(step.at, step.path, None)

    def _name(self, at: int, path: str, node: Node | None) -> None:
        folder = self.find(os.path.dirname(path))
        if folder is None:
            return
        name = os.path.basename(path)
        _set(folder.names, name, node)
        folder.renamed.append((at, name, node))
        self._changes.append((at, folder, name, node))

    def _build(self, node: Node, target: Path, variant: str, dice: random.Random, made: dict[Node, Path]) -> None:
        target.mkdir(mode=0o700, exist_ok=True)
        names = {"strict": node.sure_names, "written": node.names}.get(variant, node.journal_names)
        for name, inner in names.items():
            place = target / name
            if name.endswith("-shm"):
                continue
            if inner.folder:
                self._build(inner, place, variant, dice, made)
            elif inner in made:
                os.link(made[inner], place)
            else:
                made[inner] = place
                place.touch(0o600)
                place.write_bytes(_content(inner, variant, dice))


def _files(node: Node, where: str) -> Iterator[tuple[str, Node]]:
    for name, inner in node.names.items():
        if inner.folder:
            yield from _files(inner, f"{where}{name}/")
        else:
            yield where + name, inner


def _content(node: Node, variant: str, dice: random.Random) -> bytes:
    if variant == "written":
        return bytes(node.now)
    if variant != "torn" or not node.later:
        return bytes(node.sure)
    data = bytearray(node.sure)
    for _, offset, more in node.later:
        if dice.random() < 0.5:
            _put(data, offset, more if more is None or dice.random() < 0.5 else more[: dice.randint(0, len(more))])
    return bytes(data)


def _put(into: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del into[offset:]
        into.extend(bytes(offset - len(into)))
        return
    into.extend(bytes(max(offset - len(into), 0)))
    into[offset : offset + len(data)] = data


def _set(names: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node
