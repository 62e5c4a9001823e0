"""Cutting pages into sections and sessions into windows of turns: the passages that vectors stand for.

A window's text is what its turns say, each shortened, since a model reads no more than some two hundred words.
Cutting is not part of making a text findable by its words; it follows behind, and only where vectors are made.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ai_memory.index import projects
from ai_memory.index.statements import SQL

PAGE = 0
# Turns in a window, and turns from the start of one to the next.
WINDOWS = ((3, 2), (6, 3))
_TURN = 480  # characters of a turn that a window holds
_TOOL = 200
_TEXT = 1_400  # characters of a passage
_HEADING = re.compile(r"^#{1,4} +(.+?)\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Passage:
    """``kind`` is PAGE or the turns of a window; ``first`` and ``last`` are lines (from 1) or turns (from 0)."""

    id: int
    kind: int
    owner: int
    first: int
    last: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class _Turn:
    turn: int
    role: str
    tool: str
    text: str


def starts(turns: int, size: int, step: int) -> range:
    """Where the windows of a session of ``turns`` turns begin; none holds only what the one before holds."""
    return range(0, max(1, turns - (size - step)), step)


def cut_sessions(db: sqlite3.Connection, most: int) -> list[tuple[Passage, str]]:
    """Cut the new turns of up to ``most`` sessions, the newest first; the passages that are new or changed, with texts."""
    made: list[tuple[Passage, str]] = []
    for no, project_no, turns, cut in db.execute(SQL["session_uncut"], (most,)).fetchall():
        known = _turns(db, no, max(0, cut - max(size for size, _ in WINDOWS)))
        for size, step in WINDOWS:
            fresh = [start for start in starts(turns, size, step) if start + size > cut or cut == 0]
            spans = [(start, min(start + size, turns) - 1) for start in fresh]
            made += _put(db, project_no, size, no, [(span, _window(known, *span)) for span in spans])
        db.execute(SQL["session_cut"], (turns, no))
    return made


def cut_pages(db: sqlite3.Connection, most: int) -> list[tuple[Passage, str]]:
    """Cut up to ``most`` changed pages into sections; the passages that are new or changed, with their texts."""
    made: list[tuple[Passage, str]] = []
    for id, title, body, version in db.execute(SQL["page_uncut"], (most,)).fetchall():
        db.execute(SQL["passage_drop"], (PAGE, id, 0))
        made += _put(db, id >> projects.SHIFT, PAGE, id, sections(title, body))
        db.execute(SQL["page_cut"], (version, id))
    return made


def uncut(db: sqlite3.Connection) -> bool:
    """Whether anything is to be cut."""
    return any(db.execute(SQL[name], (1,)).fetchone() for name in ("page_uncut", "session_uncut"))


def drop_page(db: sqlite3.Connection, page: int) -> None:
    """Forget the passages of a page."""
    db.execute(SQL["passage_drop"], (PAGE, page, 0))


def drop_session(db: sqlite3.Connection, session_no: int) -> None:
    """Forget the passages of a session."""
    for size, _ in WINDOWS:
        db.execute(SQL["passage_drop"], (size, session_no, 0))


def texts(db: sqlite3.Connection, wanted: Sequence[Passage]) -> list[str]:
    """The texts of passages, in their order; empty where the owner is gone."""
    pages = {p.owner for p in wanted if p.kind == PAGE}
    bodies = {row["id"]: row for row in db.execute(SQL["page_owned"], (json.dumps(sorted(pages)),))}
    found = []
    for one in wanted:
        if one.kind == PAGE:
            row = bodies.get(one.owner)
            cut = sections(row["title"], row["body"]) if row else []
            found.append(next((text for span, text in cut if span[0] == one.first), ""))
        else:
            found.append(_window(_turns(db, one.owner, one.first), one.first, one.last))
    return found


def everything(db: sqlite3.Connection) -> Iterable[Passage]:
    """Every passage, by id."""
    return (Passage(*row) for row in db.execute(SQL["passage_all"]))


def sections(title: str, body: str) -> list[tuple[tuple[int, int], str]]:
    """The sections of a page: (first, last line), and a text that begins with the page's title and the heading."""
    found: list[tuple[tuple[int, int], str]] = []
    heading, first, held, size, fenced = "", 1, list[str](), 0, False
    lines = body.split("\n")
    for number, line in enumerate(lines, 1):
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.match(line)
        if match or size > _TEXT * 3 // 4:
            found += _section(title, heading, first, number - 1, held)
            held, size, first = [], 0, number
        if match:
            heading = match[1]
        else:
            held.append(line)
            size += len(line) + 1
    found += _section(title, heading, first, len(lines), held)
    return found or [((1, max(1, len(lines))), _clip(title, _TEXT))]


def _section(title: str, heading: str, first: int, last: int, held: list[str]) -> list[tuple[tuple[int, int], str]]:
    text = "\n".join(held).strip()
    if not text:
        return []
    name = title if heading in ("", title) else f"{title}: {heading}"
    return [((first, last), _clip(f"{name}\n{text}", _TEXT))]


def _put(
    db: sqlite3.Connection, project_no: int, kind: int, owner: int, cut: list[tuple[tuple[int, int], str]]
) -> list[tuple[Passage, str]]:
    low = project_no << projects.SHIFT
    (last_id,) = db.execute(SQL["passage_last"], (low, low + (1 << projects.SHIFT) - 1)).fetchone()
    known = {row["first"]: row for row in db.execute(SQL["passage_of"], (kind, owner))}
    next_id = (low if last_id is None else int(last_id)) + 1
    made = []
    for (first, last), text in cut:
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        before = known.get(first)
        if before is not None and before["hash"] == digest and before["last"] == last:
            continue
        id = before["id"] if before is not None else next_id
        next_id += before is None
        db.execute(SQL["passage_put"], (id, kind, owner, first, last, digest))
        made.append((Passage(id, kind, owner, first, last, digest), text))
    return made


def _turns(db: sqlite3.Connection, session_no: int, first: int) -> list[_Turn]:
    return [_Turn(*row) for row in db.execute(SQL["turns_from"], (session_no, first))]


def _window(known: list[_Turn], first: int, last: int) -> str:
    return _clip("\n".join(_said(turn) for turn in known if first <= turn.turn <= last), _TEXT)


def _said(turn: _Turn) -> str:
    if turn.tool:
        return _clip(f"{turn.tool}: {' '.join(turn.text[:_TOOL].split())}", _TOOL)
    return _clip(turn.text, _TURN)


def _clip(text: str, most: int) -> str:
    """``text`` within ``most`` characters: its head, and a quarter of the room for its tail."""
    if len(text) <= most:
        return text
    return text[: most * 3 // 4] + " … " + text[-(most // 4 - 3) :]
