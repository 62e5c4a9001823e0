"""A version of a page, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai_memory.domain.page import Stamp

LOCAL = "human:local"
"""The author of an edit made by hand in the folder, where nobody signed."""


@dataclass(frozen=True, slots=True)
class Version:
    """One state of the page ``path``; ``deleted`` is a state too, with no ``blob``.

    ``blob`` is git's id of the file's bytes. ``stamped`` is whether these bytes bear this version in their front
    matter; a file that a person wrote keeps its own bytes, and its version stands in git only. ``data`` are the bytes
    where they are at hand (a version just made, or not yet in git), else empty. ``displaced`` is the version kept of
    bytes that a person wrote and this one replaced.
    """

    path: str
    version: str
    by: str
    at: str
    blob: str
    supersedes: str = ""
    manual: bool = False
    deleted: bool = False
    stamped: bool = True
    data: bytes = field(default=b"", repr=False, compare=False)
    displaced: Version | None = field(default=None, compare=False)

    @property
    def stamp(self) -> Stamp:
        return Stamp(version=self.version, by=self.by, at=self.at, manual=self.manual, supersedes=self.supersedes)
