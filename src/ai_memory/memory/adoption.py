"""What the files know and the ledger does not: lines beyond a crash, projects by their manifests, edits by hand."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ai_memory import git, sql
from ai_memory.domain import event, handoff
from ai_memory.domain import evidence as lines
from ai_memory.domain.change import Adoption, Change
from ai_memory.domain.handoff import Baton
from ai_memory.domain.page import Stamp
from ai_memory.errors import MemoryFault
from ai_memory.ledger import batons
from ai_memory.ledger import projects as known
from ai_memory.ledger.projects import Project, creation
from ai_memory.ledger.store import Ledger
from ai_memory.memory.core import Core
from ai_memory.raw import files as raw
from ai_memory.wiki import bundle as bundles
from ai_memory.wiki import edits
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.store import Wiki
from ai_memory.wiki.version import LOCAL

log = logging.getLogger(__name__)
_WORDS = ("kind", "at", "session", "key")


def unsettled(ledger: Ledger, root: Path) -> int:
    """Write evidence that was acknowledged and had not reached its file, then flush and forget it; how many pieces."""
    rows = ledger.all("unsettled_all")
    for row in rows:
        raw.restore(root, row["file"], row["start"], row["data"])
    if rows:
        raw.settle(root, {row["file"] for row in rows})
        ledger.write.execute("DELETE FROM unsettled")
    return len(rows)


def evidence(ledger: Ledger, root: Path) -> int:
    """Adopt whole lines beyond what the ledger committed, with their keys and batons; cut torn ones. Files changed."""
    known = {row["file"]: row["bytes"] for row in ledger.all("session_all")}
    changed = 0
    for file, size in raw.sizes(root):
        if known.get(file) == size:
            continue
        whole = raw.whole(root, file)
        if not whole and file not in known:  # a power cut kept the name of a file whose first line was never acknowledged
            (root / file).unlink()
            continue
        raw.secure(root, file, whole)
        with sql.transaction(ledger.write):
            _adopt(ledger, root, file, known.get(file, 0) if known.get(file, 0) <= whole else 0, whole)
        changed += 1
    return changed


def projects(ledger: Ledger, wiki: Wiki) -> None:
    """Know every project that a folder's manifest names; ones the ledger has stay as they are.

    One that the ledger has and whose making was cut short before its manifest stood gets it now.
    """
    have = {row["id"] for row in ledger.all("project_all")}
    for project in known.everything(ledger):
        if not (wiki.bundle(project.workspace, project.id).dir / bundles.MANIFEST).exists():
            wiki.describe(project.workspace, project.id, known.manifest(ledger, project))
    for bundle in wiki.everything():
        if bundle.project in have:
            continue
        said = bundles.read(bundle)
        try:
            place, own = said["workspace"], said["project"]
            project = Project(str(own["id"]), str(own["name"]), str(place["id"]), str(place["name"]))
            keys = {str(key): "manifest" for key in said.get("identities", [])}
        except (KeyError, TypeError):
            log.warning("a folder of pages has no manifest that can be read and is left alone")
            continue
        if (project.workspace, project.id) == (bundle.workspace, bundle.project):
            with sql.transaction(ledger.write):
                for row in creation(project, keys, "1970-01-01T00:00:00.000Z"):
                    ledger.run(row.name, row.values)


def by_hand(core: Core, found: Iterable[Bundle]) -> int:
    """Take up what people did to pages by hand; how many pages."""
    return sum(_take_up(core, bundle) for bundle in found)


def _take_up(core: Core, bundle: Bundle) -> int:
    if not bundle.dir.is_dir():
        return 0
    try:
        scan = edits.scan(bundle, _blobs(core, bundle), now=int(core.clock() * 1e9))
    except OSError:
        log.exception("a folder of pages could not be scanned")
        return 0
    for warning in scan.warnings:
        log.warning("%s", warning)
    for change in scan.changes:
        stamp = Stamp(core.new_id(), LOCAL, core.now(), manual=True)
        try:
            core.writer.apply(Change(adoptions=(Adoption(bundle.workspace, bundle.project, change.path, stamp),)))
        except MemoryFault as error:
            log.warning("an edit by hand of %s waits: %s", change.path, error)
    return len(scan.changes)


def _blobs(core: Core, bundle: Bundle) -> dict[str, str]:
    """What the bundle's pages are known to hold: path → blob id."""
    if not git.ready(bundle.repo):
        return {}
    from_memo = core.wiki.known(bundle)
    return {path: version.blob for path, version in from_memo.items() if not version.deleted}


def _adopt(ledger: Ledger, root: Path, file: str, start: int, end: int) -> None:
    header = None
    found: dict[str, Any] = {"count": 0, "last": "", "acted": 0, "ending": 0, "reason": "", "news": 0}
    for line in raw.read(root, file, start, end):
        if header is None and start == 0:
            header = lines.from_header(line.record)
            if header is not None:
                _open(ledger, header, file)
        _count(ledger, line.record, found)
    row = ledger.write.execute("SELECT id FROM session WHERE file = ?", (file,)).fetchone()
    if row is None:
        log.warning("%s has no header and is left alone", file)
        return
    _grow(ledger, row["id"], found, end)


def _open(ledger: Ledger, header: Any, file: str) -> None:
    columns = {name: getattr(header, name) for name in header.__slots__}
    ledger.run("session_open", columns | {"file": file})


def _count(ledger: Ledger, record: dict[str, Any], found: dict[str, Any]) -> None:
    """Take one line in. A value of the wrong type, which only damage leaves, counts as absent."""
    kind, at, session, key = (value if isinstance(value := record.get(name), str) else "" for name in _WORDS)
    if key and session:
        fresh = ledger.run("key_add", {"session": session, "key": key})
        found["count"] += int(bool(fresh) and kind in event.KINDS)
    if isinstance(record.get("baton"), dict):
        _settle(ledger, batons.from_record(record["baton"]))
    if kind not in event.KINDS:
        return
    found["last"] = max(found["last"], at)
    if kind == event.SESSION_END:
        found["ending"], found["reason"] = 1, str(record.get("source", ""))[:60]
    else:
        found["ending"], found["news"] = 0, 1
        found["acted"] |= int(kind in (event.STOP, event.POST_TOOL))


def _settle(ledger: Ledger, baton: Baton) -> None:
    """Bring a baton to the state its line tells, so that an older ledger neither forgets nor revives one."""
    if not baton.id or baton.state not in handoff.STATES:
        return
    ledger.run(batons.row(baton).name, batons.row(baton).values)
    ledger.write.execute(
        "UPDATE baton SET state = ?, claimed_by = ?, claimed_at = ? WHERE id = ?",
        (baton.state, baton.claimed_by, baton.claimed_at, baton.id),
    )


def _grow(ledger: Ledger, id: str, found: dict[str, Any], size: int) -> None:
    try:
        ledger.run(
            "session_grow",
            {
                "id": id, "lines": found["count"], "bytes": size, "last": found["last"], "acted": found["acted"],
                "ending": found["ending"], "news": found["news"], "reason": found["reason"],
            },
        )  # fmt: skip
    except sqlite3.IntegrityError:
        log.exception("the ledger refused the lines of a session")
