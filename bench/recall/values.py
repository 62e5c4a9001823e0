"""What a set is made of, and what came out for one question."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True)
class Turn:
    """One prompt, answer or tool call. For a call ``tool`` is its name, ``given`` its arguments and ``text`` the output."""

    role: Role
    text: str
    tool: str = ""
    given: tuple[tuple[str, str], ...] = ()
    failed: bool = False

    @property
    def words(self) -> str:
        return " ".join([*(value for _, value in self.given), self.text])


@dataclass(frozen=True)
class Session:
    """``key`` names it in ``Question.gold`` and is never told to the server. ``at`` is when it began, in UTC."""

    key: str
    project: str
    at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Page:
    """A page as it is written; ``meta`` is front matter. Its key is ``project:path``."""

    project: str
    path: str
    title: str
    body: str
    meta: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        return f"{self.project}:{self.path}"


@dataclass(frozen=True)
class Question:
    """``gold`` are the keys of what answers it; none if nothing does. ``wrong`` must not stand above all of them.

    ``at`` is when it is asked, where the set says so.
    """

    project: str
    kind: str
    text: str
    gold: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True)
class Corpus:
    """``name`` of the set and ``source``, the SHA-256 of the file that it was read from."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    pages: tuple[Page, ...] = ()
    source: str = ""

    @property
    def projects(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(s.project for s in self.sessions), *(p.project for p in self.pages)]))


@dataclass(frozen=True)
class Answer:
    """What one arm gave for one question: keys, best first. ``size`` is characters an agent gets, 0 where not asked."""

    order: tuple[str, ...]
    milliseconds: float = 0.0
    size: int = 0
    strangers: int = 0  # hits that belong to another project


@dataclass(frozen=True)
class Run:
    """The answers of one arm to all questions, or why it did not run."""

    arm: str
    answers: tuple[Answer, ...] = ()
    skipped: str = ""
    notes: dict[str, float] = field(default_factory=dict)
