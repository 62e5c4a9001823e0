"""A page of the wiki, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Page:
    """``path`` is bundle-relative and checked (``domain.paths``); ``meta`` is the front matter without our stamp."""

    path: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which version this is. ``by`` is an OKF actor (``human:ana``, ``process:ai-memory/0.1.0``, ``claude-code/…``)."""

    version: str
    by: str
    at: str
    manual: bool = False
    supersedes: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A page to write, or with ``page`` None a page to delete.

    ``expected`` is the version that must be current (None: any); ``create`` refuses an existing page. An ``automatic``
    edit never overwrites a page whose last version is a person's.
    """

    workspace: str
    project: str
    path: str
    page: Page | None
    stamp: Stamp
    expected: str | None = None
    create: bool = False
    automatic: bool = False
