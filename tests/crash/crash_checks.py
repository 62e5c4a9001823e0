"""What must hold of a data directory, whatever happened to its server. Each check gives what is wrong, in sentences."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from crash_load import Page

from ai_memory import sql
from ai_memory.domain import event
from ai_memory.index import dump
from ai_memory.memory.core import Core
from ai_memory.raw import files as raw
from ai_memory.wiki import history, okf
from ai_memory.wiki.bundle import Bundle
from ai_memory.wiki.store import Wiki


def evidence(data: Path, keys: Collection[str]) -> list[str]:
    """Each key once, no key twice, no line that is not whole."""
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    for file, size in raw.sizes(data / "raw"):
        lines = list(raw.read(data / "raw", file))
        if not lines or lines[-1].end != size or raw.whole(data / "raw", file) != size:
            wrong.append(f"{file} ends in a torn line")
        if sum(b"\n" in part for part in (data / "raw" / file).read_bytes().splitlines(keepends=True)) != len(lines):
            wrong.append(f"{file} has a line that is no JSON object")
        if sum(line.record.get("type") == "session" for line in lines) != 1 or lines[0].record.get("type") != "session":
            wrong.append(f"{file} has not one header")
        seen.update(str(line.record["key"]) for line in lines if "key" in line.record)
    wrong += [f"event {key} is there {count} times" for key, count in seen.items() if count != 1]
    wrong += [f"acknowledged event {key} is lost" for key in keys if not seen[key]]
    return wrong


def ledger(data: Path) -> list[str]:
    """What the ledger counts is what the files hold."""
    db = sql.connect(data / "ledger.db", readonly=True)
    try:
        wrong = [str(row[0]) for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        rows = {row["file"]: row for row in db.execute("SELECT * FROM session")}
        keys = {(row["session"], row["key"]) for row in db.execute("SELECT session, key FROM key")}
    finally:
        db.close()
    there: set[tuple[str, str]] = set()
    for file, size in raw.sizes(data / "raw"):
        row = rows.pop(file, None)
        lines = [line.record for line in raw.read(data / "raw", file)]
        count = sum(line.get("kind") in event.KINDS for line in lines)
        if row is None or (row["bytes"], row["lines"]) != (size, count):
            wrong.append(f"{file}: {size} bytes, {count} events; the ledger says {tuple(row) if row else 'nothing'}")
        there |= {(str(line["session"]), str(line["key"])) for line in lines if line.get("key") and line.get("session")}
    wrong += [f"the ledger knows {file}, which is not there" for file, row in rows.items() if row["bytes"]]
    wrong += [f"a key without a line: {key}" for key in keys - there]
    wrong += [f"a line without a key: {key}" for key in there - keys]
    return wrong


def pages(data: Path, names: dict[str, str], wanted: Collection[Page]) -> list[str]:
    """Each acknowledged version once in its chain, each chain unbroken, a page of one client without repeats."""
    wrong: list[str] = []
    found = {bundle.project: list(history.versions(bundle)) for bundle in Wiki(data / "wiki").everything()}
    for project, versions in found.items():
        counts = Counter(version.version for version in versions)
        wrong += [f"version {version} is there {count} times" for version, count in counts.items() if count > 1]
        wrong += _chains(project, versions)
    have = {(project, version.path, version.version) for project, chain in found.items() for version in chain}
    wrong += [f"acknowledged {page} is lost" for page in wanted if (names.get(page.project), page.path, page.version) not in have]
    return wrong


def marks(data: Path, wanted: Collection[Page]) -> list[str]:
    """The bytes of each acknowledged version are those that were sent; a repeated request made no second version."""
    by_version = {page.version: page for page in wanted if page.own or page.made}
    wrong: list[str] = []
    for bundle in Wiki(data / "wiki").everything():
        seen: Counter[bytes] = Counter()
        for version in history.filled(bundle, history.versions(bundle)):
            page = by_version.get(version.version)
            if page is not None and page.mark.encode() not in version.data:
                wrong.append(f"{page} holds other bytes")
            if version.path.startswith("notes/own-"):
                seen[version.data.partition(b"# Note ")[2][:16]] += 1
            if version.manual:
                wrong.append(f"{version} was taken for an edit by hand")
        wrong += [f"the write {mark!r} made {count} versions" for mark, count in seen.items() if count > 1]
    return wrong


def repositories(data: Path) -> list[str]:
    """Sound repositories, conformant bundles, working files at their newest version, nothing left over."""
    wrong: list[str] = []
    for bundle in Wiki(data / "wiki").everything():
        wrong += okf.check(bundle.dir)
        if not bundle.repo.dir.is_dir():
            continue
        done = subprocess.run(
            ["git", "-C", str(bundle.dir), "fsck", "--full", "--strict", "--no-dangling"],
            capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        if done.returncode or b"error" in done.stderr or b"missing" in done.stdout:
            wrong.append(f"git fsck: {done.stdout.decode()[:500]} {done.stderr.decode()[:500]}")
        left = [path.relative_to(bundle.dir).as_posix() for path in _leftovers(bundle)]
        wrong += [f"{bundle.project}: {name} was left behind" for name in left]
        wrong += _shown(bundle)
    return wrong


def dumped(data: Path) -> list[str]:
    db = sql.connect(data / "index.db", readonly=True)
    try:
        return list(dump.lines(db))
    finally:
        db.close()


def names(core: Core) -> dict[str, str]:
    """Project ids by name."""
    return {row["name"]: row["id"] for row in core.ledger.all("project_all")}


def _chains(project: str, versions: list[history.Version]) -> Iterator[str]:
    last: dict[str, str] = {}
    for version in versions:
        if version.supersedes != last.get(version.path, ""):
            yield f"{project} {version.path}: {version.version} follows {version.supersedes}, not {last.get(version.path)}"
        last[version.path] = version.version


def _shown(bundle: Bundle) -> Iterator[str]:
    newest = {version.path: version for version in history.versions(bundle)}
    for path, version in newest.items():
        data = (bundle.dir / path).read_bytes() if (bundle.dir / path).exists() else b""
        if not version.deleted and version.version.encode() not in data:
            yield f"{bundle.project} {path} does not show {version.version}"


def _leftovers(bundle: Bundle) -> Iterator[Path]:
    yield from bundle.repo.dir.rglob("*.lock")
    yield from bundle.repo.dir.rglob("tmp_*")
    yield from (bundle.repo.own / "temp").glob("*")
    yield from bundle.repo.dir.rglob("*.staged")
    yield from bundle.repo.own.glob(".*.tmp")
