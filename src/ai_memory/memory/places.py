"""Where a verb works: the project that an explicit name or a client's facts stand for. Reading never creates one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_memory.domain import scope
from ai_memory.domain.change import Change, Row
from ai_memory.domain.facts import Facts
from ai_memory.domain.scope import Known, Resolution
from ai_memory.errors import Invalid, Missing, ScopeRequired
from ai_memory.ledger import projects
from ai_memory.ledger.projects import Project
from ai_memory.memory import discreet
from ai_memory.memory.core import Core

_SUFFIXES = 100


@dataclass(frozen=True, slots=True)
class Where:
    """What a caller says of the place: what its client saw, and a project named outright."""

    facts: Facts = field(default_factory=Facts)
    workspace: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The answer: the project if it exists, and how that was decided."""

    project: Project | None
    resolution: Resolution


def find(core: Core, where: Where) -> Place:
    """The project of ``where``, if there is one. Creates nothing."""
    claim = scope.claims(discreet.facts(core.redactor, where.facts), where.workspace, where.project)
    resolution = scope.decide(claim, _ByIdentity(core), _ByName(core))
    found = projects.get(core.ledger, resolution.project) if resolution.project else None
    return Place(found, resolution)


def require(core: Core, where: Where) -> Project:
    """The project of ``where``. Raises ``ScopeRequired`` if nothing names one, ``Missing`` if it does not exist."""
    place = find(core, where)
    if place.project is not None:
        return place.project
    if place.resolution.kind == scope.NONE:
        raise ScopeRequired(_nothing(place.resolution))
    named = f"{place.resolution.workspace}/{place.resolution.name}"
    raise Missing(f"There is no memory of {named} yet. Its first page or session makes it.")


def create(core: Core, where: Where) -> Project | None:
    """The project of ``where``, made now if it is new and can be named for certain; None if nothing names one."""
    place = find(core, where)
    resolution = place.resolution
    if resolution.kind == scope.NONE:
        return None
    if place.project is not None and not resolution.bind:
        return place.project
    with core.making:
        place = find(core, where)
        if place.project is None:
            return _make(core, place.resolution)
        if place.resolution.bind:
            core.writer.apply(Change(rows=_bindings(core, place.project, place.resolution)))
            _describe(core, place.project)
        return place.project


def ensure(core: Core, where: Where) -> Project:
    """As ``create``, but raises ``ScopeRequired`` where nothing names a project."""
    made = create(core, where)
    if made is None:
        raise ScopeRequired(_nothing(find(core, where).resolution))
    return made


def trust(core: Core, where: Where) -> tuple[Project, str]:
    """Agree to what a marker inside this checkout asks for. The project, and the marker's path."""
    resolution = find(core, where).resolution
    asked = resolution.pending
    if asked is None:
        raise Invalid("No marker here waits for your agreement. `ai-memory status` says which project this directory has.")
    with core.making:
        project = projects.get(core.ledger, asked.project) if asked.project else None
        if project is None:
            project = _new_project(core, asked.workspace, asked.name)
            core.writer.apply(Change(rows=projects.creation(project, {}, core.now())))
        values = [{"identity": key, "project": project.id, "how": "consent", "at": core.now()} for key in resolution.consent]
        core.writer.apply(Change(rows=tuple(Row("identity_rebind", value) for value in values)))
        _describe(core, project)
    return project, asked.marker


def said(place: Place) -> dict[str, Any]:
    """The scope as every answer tells it."""
    found, resolution = place.project, place.resolution
    answer: dict[str, Any] = {
        "workspace": found.workspace_name if found else resolution.workspace,
        "project": found.name if found else (resolution.name or None),
        "exists": found is not None,
        "resolved_by": resolution.resolved_by,
    }
    if resolution.note:
        answer["note"] = resolution.note
    return answer


def _make(core: Core, resolution: Resolution) -> Project:
    project = _new_project(core, resolution.workspace, resolution.name)
    keys = dict.fromkeys(resolution.bind, resolution.resolved_by)
    core.writer.apply(Change(rows=projects.creation(project, keys, core.now())))
    _describe(core, project)
    return project


def _describe(core: Core, project: Project) -> None:
    core.wiki.describe(project.workspace, project.id, projects.manifest(core.ledger, project))


def _new_project(core: Core, workspace: str, name: str) -> Project:
    """A project of a name that is free: two identities with one label never merge."""
    for text in (workspace, name):
        discreet.refuse(core.redactor, text, "name of a project or workspace")
    names = [name, *(f"{name}-{n}" for n in range(2, _SUFFIXES))]
    free = next((n for n in names if projects.named(core.ledger, workspace, n) is None), None)
    if free is None:
        raise Invalid(f"Too many projects are called {name}. Name this one with a marker.")
    row = core.ledger.one("workspace_by_name", name=workspace)
    return Project(core.new_id(), free, row["id"] if row else core.new_id(), workspace)


def _bindings(core: Core, project: Project, resolution: Resolution) -> tuple[Row, ...]:
    at = core.now()
    return tuple(
        Row("identity_bind", {"identity": key, "project": project.id, "how": resolution.resolved_by, "at": at})
        for key in resolution.bind
    )


def _nothing(resolution: Resolution) -> str:
    return resolution.note or "Nothing says which project this is. Name workspace and project."


class _ByIdentity(Mapping[str, Known]):
    """The known projects by key, looked up when asked."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def __getitem__(self, key: str) -> Known:
        found = projects.owner(self._core.ledger, key)
        if found is None:
            raise KeyError(key)
        return _known(self._core, found)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _ByName(Mapping[tuple[str, str], Known]):
    """The known projects by (workspace, name), looked up when asked."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def __getitem__(self, key: tuple[str, str]) -> Known:
        found = projects.named(self._core.ledger, *key)
        if found is None:
            raise KeyError(key)
        return _known(self._core, found)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _known(core: Core, project: Project) -> Known:
    keys = frozenset(projects.identities(core.ledger, project.id))
    return Known(project.id, project.name, project.workspace_name, keys)
