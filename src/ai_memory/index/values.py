"""The rows that go into the index and the hits that come out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of one page. ``deleted`` marks the version that took the page away. Times are RFC 3339 in UTC."""

    workspace: str
    project: str
    path: str
    version: str
    supersedes: str = ""
    by: str = ""
    at: str = ""
    manual: bool = False
    blob: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class PageRow:
    """The latest version of a page with its text. ``links`` are bundle-relative target paths, ``size`` is bytes."""

    workspace: str
    project: str
    path: str
    version: str
    supersedes: str = ""
    by: str = ""
    at: str = ""
    manual: bool = False
    blob: str = ""
    title: str = ""
    type: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    body: str = ""
    meta_json: str = "{}"
    links: tuple[str, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The header of a session's evidence file."""

    workspace: str
    project: str
    session: str
    agent: str
    native: str = ""
    started: str = ""
    cwd: str = ""
    branch: str = ""
    machine: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One observation. ``file`` is its evidence file's path below ``raw/``, ``start`` and ``end`` byte offsets there.

    ``key`` is the observation's id. A row with the same (file, start) is the same row: putting it again does nothing.
    """

    workspace: str
    project: str
    session: str
    agent: str
    file: str
    start: int
    end: int
    key: str
    at: str
    kind: str
    role: str
    text: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. ``snippet`` marks matches with ``**``; ``why`` says what matched.

    For a page ``path`` and ``version`` are set, ``kind`` is its type, and ``first`` and ``last`` are the 1-based line
    numbers of the snippet in its body. For evidence ``session``, ``agent``, ``role`` and ``file`` are set, ``kind`` is
    the event, ``title`` the tool, and ``first`` and ``last`` are its byte range in ``file``. ``score`` is above 0,
    larger is better, comparable within one answer only.
    """

    workspace: str
    project: str
    title: str
    snippet: str
    score: float
    at: str
    kind: str
    first: int
    last: int
    why: tuple[str, ...] = ()
    path: str = ""
    version: str = ""
    session: str = ""
    agent: str = ""
    role: str = ""
    file: str = ""
