"""Putting observations of sessions into the index. Inside a write transaction of the caller."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable

from ai_memory.index import marks, passages, projects, vocabulary, words
from ai_memory.index.statements import SQL
from ai_memory.index.values import EvidenceRow, SessionRow


def put_session(db: sqlite3.Connection, row: SessionRow) -> None:
    """Know a session by its header."""
    no = projects.number(db, row.workspace, row.project)
    values = (no, row.session, row.agent, row.native, row.started, row.cwd, row.branch, row.machine)
    db.execute(SQL["session_put"], [words.clean(value) if isinstance(value, str) else value for value in values])


def put(db: sqlite3.Connection, rows: Iterable[EvidenceRow]) -> int:
    """Index observations; how many were new. Does not move the marks of their files (``marks.set`` does)."""
    groups: dict[tuple[str, str], list[EvidenceRow]] = {}
    for row in rows:
        groups.setdefault((row.project, row.workspace), []).append(row)
    known = {key: projects.number(db, key[1], key[0]) for key in sorted(groups)}
    return sum(_put_project(db, known[key], groups[key]) for key in sorted(groups, key=known.__getitem__))


def _put_project(db: sqlite3.Connection, project_no: int, rows: list[EvidenceRow]) -> int:
    low = project_no << projects.SHIFT
    (last,) = db.execute(SQL["evidence_last"], (low, low + (1 << projects.SHIFT) - 1)).fetchone()
    id = first = low if last is None else int(last)
    sessions: dict[str, tuple[int, int]] = {}
    files: dict[str, int] = {}
    counts: Counter[str] = Counter()
    found: list[tuple[int, str, str]] = []
    for row in rows:
        if row.session not in sessions:
            sessions[row.session] = _session(db, project_no, row)
        if row.file not in files:
            files[row.file] = marks.number(db, row.file)
        text, tool = words.clean(row.text), words.clean(row.tool)
        no, turn = sessions[row.session]
        values = (no, files[row.file], row.start, row.end, row.key, row.at, row.kind, row.role, turn, len(text), tool, text)
        if db.execute(SQL["evidence_put"], (id + 1, *values)).rowcount:
            id += 1
            sessions[row.session] = no, turn + 1
            composed, extra, known = _columns(text, tool)
            found.append((id, composed, extra))
            counts.update(known)
    db.executemany(SQL["evidence_words_put"], found)
    vocabulary.change(db, project_no, counts)
    db.executemany(SQL["session_grow"], [(turns, no) for no, turns in sessions.values()])
    db.execute(SQL["project_evidence"], (id - first, project_no))
    return id - first


def remove(db: sqlite3.Connection, project_no: int, session_no: int) -> None:
    """Take a session, its observations and the marks of its files out of the index."""
    counts: Counter[str] = Counter()
    for id, text, tool in db.execute(SQL["evidence_of"], (session_no,)).fetchall():
        composed, extra, known = _columns(text, tool)
        db.execute(SQL["evidence_words_drop"], (id, composed, extra))
        counts.subtract(known)
    vocabulary.change(db, project_no, counts)
    files = [file for (file,) in db.execute(SQL["evidence_files"], (session_no,))]
    passages.drop_session(db, session_no)
    db.execute(SQL["project_erased"], (project_no,))
    gone = db.execute(SQL["evidence_drop"], (session_no,)).rowcount
    db.execute(SQL["project_evidence"], (-gone, project_no))
    for file in files:
        marks.drop(db, file)
    db.execute(SQL["session_drop"], (session_no,))


def _session(db: sqlite3.Connection, project_no: int, row: EvidenceRow) -> tuple[int, int]:
    """The number of the row's session, and how many turns it has."""
    db.execute(SQL["session_touch"], (project_no, row.session, row.agent, row.at))
    no, turns = db.execute(SQL["session_number"], (project_no, row.session)).fetchone()
    return no, turns


def _columns(text: str, tool: str) -> tuple[str, str, set[str]]:
    """The two texts of the full-text table, the observation's own and the extra words of it and its tool; the words."""
    text = words.compose(text)
    return text, *words.derive(f"{tool}\n{text}" if tool else text)
