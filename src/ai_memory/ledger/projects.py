"""Workspaces, projects, and the identities bound to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ai_memory.domain.change import Row
from ai_memory.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class Project:
    """A project and the workspace it lies in. Names are labels; ids never change."""

    id: str
    name: str
    workspace: str
    workspace_name: str


def get(ledger: Ledger, project: str) -> Project | None:
    """The project of an id."""
    row = ledger.one("project_by_id", id=project)
    return Project(row["id"], row["name"], row["workspace"], row["workspace_name"]) if row else None


def named(ledger: Ledger, workspace: str, name: str) -> Project | None:
    """The project of a name."""
    row = ledger.one("project_by_name", workspace=workspace, name=name)
    return Project(row["id"], row["name"], row["workspace"], row["workspace_name"]) if row else None


def owner(ledger: Ledger, identity: str) -> Project | None:
    """The project an identity is bound to."""
    row = ledger.one("identity_project", identity=identity)
    return get(ledger, row["project"]) if row else None


def identities(ledger: Ledger, project: str) -> tuple[str, ...]:
    """The identities bound to a project."""
    return tuple(row["identity"] for row in ledger.all("identity_of", project=project))


def everything(ledger: Ledger) -> list[Project]:
    """Every project, by workspace and name."""
    return [Project(r["id"], r["name"], r["workspace"], r["workspace_name"]) for r in ledger.all("project_all")]


def manifest(ledger: Ledger, project: Project) -> dict[str, Any]:
    """What stands in a project's directory so that it can be known again without the ledger."""
    return {
        "workspace": {"id": project.workspace, "name": project.workspace_name},
        "project": {"id": project.id, "name": project.name},
        "identities": list(identities(ledger, project.id)),
    }


def creation(project: Project, identities: dict[str, str], at: str) -> tuple[Row, ...]:
    """The rows that make ``project``, its workspace, and its ``identities`` (identity → how it was found)."""
    rows = [
        Row("workspace_add", {"id": project.workspace, "name": project.workspace_name, "at": at}),
        Row("project_add", {"id": project.id, "workspace": project.workspace, "name": project.name, "at": at}),
    ]
    rows += [
        Row("identity_bind", {"identity": identity, "project": project.id, "how": how, "at": at})
        for identity, how in identities.items()
    ]
    return tuple(rows)
