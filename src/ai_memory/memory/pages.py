"""The verbs of a page: read, write, delete. Every write is compare-and-set if the caller says what it saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_memory.domain import paths
from ai_memory.domain.actor import Actor
from ai_memory.domain.change import Change
from ai_memory.domain.page import Edit, Page, Stamp
from ai_memory.errors import Invalid, Missing
from ai_memory.memory import access, discreet, places
from ai_memory.memory.core import Core
from ai_memory.memory.places import Where

_LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left: the path, its version, and whether anything changed."""

    path: str
    version: str
    changed: bool
    scope: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as a caller wants it. ``expected`` is the version it saw; ``create`` refuses an existing page."""

    path: str
    body: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    expected: str | None = None
    create: bool = False


def read(core: Core, actor: Actor, where: Where, path: str) -> dict[str, Any]:
    """A page as it stands in its file, with its version."""
    access.require(actor, "read")
    project = places.require(core, where)
    name = paths.check(path)
    found = core.wiki.read(project.workspace, project.id, name)
    if found is None:
        raise Missing(f"No page {name} in {project.name}. Search for it with memory_query.")
    page, stamp = found
    return {
        "path": page.path,
        "title": str(page.meta.get("title", "")),
        "meta": dict(page.meta),
        "body": page.body,
        "version": stamp.version if stamp else "",
        "by": stamp.by if stamp else "",
        "at": stamp.at if stamp else "",
        "manual": stamp.manual if stamp else True,
        "scope": places.said(places.find(core, where)),
    }


def write(core: Core, actor: Actor, where: Where, draft: Draft) -> Written:
    """Write a whole page; the old version stays reachable in git. The same content is no new version."""
    access.require(actor, "write")
    if len(draft.body) > _LONGEST:
        raise Invalid(f"A page may hold {_LONGEST} characters. Split it into several pages and link them.")
    name = discreet.refuse(core.redactor, paths.check(draft.path), "page path")
    project = places.ensure(core, where)
    page = Page(name, core.redactor.value(dict(draft.meta)), core.redactor.text(draft.body))
    edit = Edit(
        project.workspace, project.id, name, page, _stamp(core, actor), expected=draft.expected, create=draft.create
    )
    applied = core.writer.apply(Change(edits=(edit,)))
    return Written(name, applied.current[0], applied.versions[0] is not None, places.said(places.find(core, where)))


def delete(core: Core, actor: Actor, where: Where, path: str, expected: str | None = None) -> bool:
    """Delete a page; its history stays in git. False if there was none."""
    access.require(actor, "write")
    project = places.require(core, where)
    name = paths.check(path)
    edit = Edit(project.workspace, project.id, name, None, _stamp(core, actor), expected=expected)
    return core.writer.apply(Change(edits=(edit,))).versions[0] is not None


def _stamp(core: Core, actor: Actor) -> Stamp:
    by = actor.client if actor.client and actor.client != "cli" else f"human:{actor.name}"
    return Stamp(core.new_id(), core.redactor.text(by), core.now())
