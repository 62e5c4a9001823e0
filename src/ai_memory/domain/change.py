"""A change: everything one verb wants written, as a value. Only the writer applies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ai_memory.domain.observation import Session
from ai_memory.domain.page import Edit, Stamp


@dataclass(frozen=True, slots=True)
class Line:
    """One line for a session's evidence file: ``record`` is its JSON object. ``session`` opens the file if it is new."""

    session: Session
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One named statement of the ledger. With ``expect``, the change is refused unless it touches that many rows."""

    name: str
    values: dict[str, Any]
    expect: int | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Adoption:
    """A page that a person may have edited or deleted by hand, to be taken up as a version of ``stamp``."""

    workspace: str
    project: str
    path: str
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Change:
    """Rows run in order in one transaction; if every expectation holds, lines and edits are written before it commits."""

    rows: tuple[Row, ...] = ()
    lines: tuple[Line, ...] = ()
    edits: tuple[Edit, ...] = ()
    adoptions: tuple[Adoption, ...] = ()
