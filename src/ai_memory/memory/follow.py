"""From files to index rows: evidence by byte marks, pages by versions. The same way for one event and for a rebuild."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_memory import git
from ai_memory.domain import event, links
from ai_memory.domain import evidence as lines
from ai_memory.domain.observation import Observation, Session
from ai_memory.index import evidence as rows
from ai_memory.index import listing, marks, pages
from ai_memory.index.store import Index
from ai_memory.index.values import EvidenceRow, PageRow, SessionRow, VersionRow
from ai_memory.raw import files as raw
from ai_memory.wiki import history, pending
from ai_memory.wiki import pages as parser
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.version import Version

_CHUNK = 2_000
_MANY = 200
_PAGES = 500


def evidence(index: Index, root: Path, files: Mapping[str, tuple[Session | None, int]]) -> None:
    """Index what each file holds between its mark and its size; many short stretches share a transaction."""
    with index.reader() as db:
        known = marks.all(db) if len(files) > _MANY else {file: marks.get(db, file) for file in files}
    taken: list[_Stretch] = []
    for file, (session, size) in files.items():
        mark = known.get(file)
        offset = mark.offset if mark is not None and mark.offset <= size else 0
        while offset < size:
            taken.append(_stretch(root, file, session, offset, size))
            offset = taken[-1].end
            if sum(len(one.rows) + 1 for one in taken) >= _CHUNK:
                _store(index, taken)
                taken = []
    _store(index, taken)


def versions(index: Index, made: Iterable[tuple[Bundle, Version]]) -> None:
    """Index new versions, in order."""
    pairs = list(made)
    for start in range(0, len(pairs), _PAGES):
        with index.writer() as db:
            for bundle, version in pairs[start : start + _PAGES]:
                if version.deleted:
                    pages.drop(db, _version_row(bundle, version))
                else:
                    pages.put(db, page_row(bundle, version))


def bundle(index: Index, bundle: Bundle) -> None:
    """Index what a bundle's history has and the index has not. Cheap when nothing is new."""
    mark = f"git:{bundle.project}"
    tip = _tip(bundle)
    waiting = any(True for _ in pending.entries(bundle))
    with index.reader() as db:
        known = marks.get(db, mark).tag
        have = listing.version_ids(db, bundle.project) if known != tip or waiting else set()
    if known == tip and not waiting:
        return
    chain = list(history.versions(bundle))
    last = {version.path: version.version for version in chain}  # it may be indexed before the ones that led to it
    news = [version for version in chain if version.version not in have]
    latest = [version for version in news if last[version.path] == version.version]
    older = [version for version in news if last[version.path] != version.version]
    for start in range(0, len(older), _CHUNK):
        with index.writer() as db:
            for version in older[start : start + _CHUNK]:
                pages.put_version(db, _version_row(bundle, version))
    for start in range(0, len(latest), _PAGES):
        versions(index, [(bundle, v) for v in history.filled(bundle, latest[start : start + _PAGES])])
    with index.writer() as db:
        marks.set(db, mark, 0, tip)


def tip(index: Index, bundle: Bundle) -> None:
    """Note how far git is, once everything it has is indexed."""
    at = _tip(bundle)
    if not at:  # a bundle without a page has no mark, here as in a rebuild
        return
    with index.writer() as db:
        marks.set(db, f"git:{bundle.project}", 0, at)


def everything(root: Path) -> dict[str, tuple[Session | None, int]]:
    """Every evidence file with its whole size; headers are read when the file is."""
    return {file: (None, raw.whole(root, file)) for file, _ in raw.sizes(root)}


def page_row(bundle: Bundle, version: Version) -> PageRow:
    """A version that is a page's latest, as the index keeps it."""
    page, _, _ = parser.parse(version.data, version.path)
    meta = page.meta
    tags = meta.get("tags")
    found = (links.resolve(link, version.path) for link in links.find(page.body))
    return PageRow(
        workspace=bundle.workspace,
        project=bundle.project,
        path=version.path,
        version=version.version,
        supersedes=version.supersedes,
        by=version.by,
        at=version.at,
        manual=version.manual,
        blob=version.blob,
        title=parser.title(page),
        type=str(meta.get("type") or ""),
        description=str(meta.get("description") or ""),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        pinned=meta.get("pinned") is True,
        body=page.body,
        meta_json=json.dumps(dict(meta), ensure_ascii=False, default=str, sort_keys=True),
        links=tuple(sorted({target for target in found if target})),
        size=len(version.data),
    )


def _version_row(bundle: Bundle, version: Version) -> VersionRow:
    return VersionRow(
        bundle.workspace, bundle.project, version.path, version.version, version.supersedes, version.by, version.at,
        version.manual, version.blob, version.deleted,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Consecutive lines of one file as rows; ``end`` is where the next stretch begins."""

    file: str
    session: Session | None
    rows: list[EvidenceRow]
    end: int


def _stretch(root: Path, file: str, session: Session | None, offset: int, size: int) -> _Stretch:
    """At most ``_CHUNK`` rows of a file from ``offset`` on."""
    batch: list[EvidenceRow] = []
    header = session
    for line in raw.read(root, file, offset, size):
        if header is None:
            header = lines.from_header(line.record) or _first(root, file)
        if header is not None and line.record.get("kind") in event.KINDS:
            row = _row(header, file, line, lines.from_record(line.record))
            if row is not None:
                batch.append(row)
        if len(batch) >= _CHUNK:
            return _Stretch(file, header, batch, line.end)
    return _Stretch(file, header, batch, size)


def _store(index: Index, taken: list[_Stretch]) -> None:
    if not taken:
        return
    with index.writer() as db:
        for one in taken:
            if one.session is not None:
                rows.put_session(db, _session_row(one.session))
        rows.put(db, [row for one in taken for row in one.rows])
        for one in taken:
            marks.set(db, one.file, one.end)


def _first(root: Path, file: str) -> Session | None:
    first = next(raw.read(root, file), None)
    return lines.from_header(first.record) if first else None


def _row(session: Session, file: str, line: raw.Line, seen: Observation) -> EvidenceRow | None:
    text = searchable(seen)
    if not text:
        return None
    return EvidenceRow(
        workspace=session.workspace, project=session.project, session=session.id, agent=session.agent, file=file,
        start=line.start, end=line.end, key=seen.id, at=seen.at, kind=seen.kind, role=seen.role, text=text,
        tool=seen.tool.name if seen.tool else "",
    )  # fmt: skip


def searchable(seen: Observation) -> str:
    """The text an observation is found by."""
    if seen.tool is None:
        return seen.text
    parts = (seen.tool.command or seen.tool.arguments, "\n".join(seen.tool.paths), seen.tool.output, seen.text)
    return "\n".join(part for part in parts if part)


def _session_row(session: Session) -> SessionRow:
    return SessionRow(
        session.workspace, session.project, session.id, session.agent, session.native, session.started, session.cwd,
        session.branch, session.machine,
    )  # fmt: skip


def _tip(bundle: Bundle) -> str:
    return git.ref(bundle.repo, git.TIP) if git.ready(bundle.repo) else ""


