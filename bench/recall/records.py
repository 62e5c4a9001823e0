"""How the written part of the coding set is kept: records with an empty line and ``= project name [date]`` before each.

``# title``, ``> prompt``, ``< answer``, ``! Tool arguments => output`` (``!!`` for a call that failed), ``~ key: value`` of
front matter, ``?kind question``, ``x name`` of a record that must not stand above this one. Everything else is text of
the page. The name is a page's path, ``session:name``, or ``none`` where nothing answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.recall.values import Page, Question, Session, Turn

PLACE = Path(__file__).with_name("written")
NONE = "none"


@dataclass
class Record:
    """One record as it was read."""

    project: str
    name: str
    at: datetime
    title: str = ""
    body: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    meta: list[tuple[str, str]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.project}:{self.name}"

    @property
    def is_session(self) -> bool:
        return self.name.startswith("session:")

    def session(self, before: tuple[Turn, ...] = (), after: tuple[Turn, ...] = ()) -> Session:
        return Session(self.key, self.project, self.at, (*before, *self.turns, *after))

    def page(self) -> Page:
        return Page(self.project, self.name, self.title, "\n".join(self.body).strip() + "\n", tuple(self.meta))

    def questions(self) -> Iterator[Question]:
        gold = () if self.name == NONE else (self.key,)
        wrong = tuple(f"{self.project}:{name}" for name in self.wrong)
        for kind, text in self.asked:
            yield Question(self.project, kind, text, gold, wrong)


def read(name: str) -> list[Record]:
    """The records of one file."""
    found: list[Record] = []
    for line in (PLACE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            project, path, *date = line[2:].split()
            at = datetime.fromisoformat(date[0] if date else "2026-06-15").replace(hour=9, tzinfo=UTC)
            found.append(Record(project, path, at))
        elif found:
            _add(found[-1], line)
    return found


def _add(record: Record, line: str) -> None:
    mark, _, rest = line.partition(" ")
    if mark == ">":
        record.turns.append(Turn("user", rest))
    elif mark == "<":
        record.turns.append(Turn("assistant", rest))
    elif mark in ("!", "!!"):
        record.turns.append(call(rest, failed=mark == "!!"))
    elif mark == "#":
        record.title = rest
    elif mark == "~":
        key, _, value = rest.partition(": ")
        record.meta.append((key, value))
    elif mark == "x":
        record.wrong.append(rest)
    elif mark.startswith("?"):
        record.asked.append((mark[1:], rest))
    else:
        record.body.append(line)


def call(text: str, failed: bool = False) -> Turn:
    """The tool call in ``Tool arguments => output``."""
    head, _, output = text.partition(" => ")
    tool, _, argument = head.partition(" ")
    names = {"Bash": "command", "Read": "file_path", "Edit": "file_path", "Grep": "pattern"}
    return Turn("tool", output, tool, ((names[tool], argument),), failed)


def exchanges(name: str) -> list[tuple[str, str]]:
    """The prompts and answers of a file that has nothing else."""
    lines = [line[2:] for line in (PLACE / name).read_text(encoding="utf-8").splitlines() if line[:2] in ("> ", "< ")]
    return list(zip(lines[::2], lines[1::2], strict=True))


def rows(name: str) -> list[tuple[str, ...]]:
    """The lines of a table with ``|`` between its cells."""
    return [tuple(cell.strip() for cell in line.split("|")) for line in (PLACE / name).read_text(encoding="utf-8").splitlines()]
