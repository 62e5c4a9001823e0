"""Names without secrets: what a place, an agent or an event is called is stored like any text, and must stay apart.

A text becomes a mark; a name that is a key becomes a mark and a short hash, so that two places never become one.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache

from ai_memory.domain.facts import Facts, Marker
from ai_memory.domain.redaction import Redactor
from ai_memory.errors import Invalid

_HASHED = 8


def key(redactor: Redactor, text: str) -> str:
    """``text`` if it holds no secret, else what is left of it and a hash that tells it from others."""
    clean = redactor.text(text)
    return text if clean == text else f"{clean}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:_HASHED]}"


def refuse(redactor: Redactor, text: str, what: str) -> str:
    """``text`` if it holds no secret. Raises ``Invalid`` else; ``what`` it is (page path, project name) is for the message."""
    if redactor.text(text) != text:
        raise Invalid(f"This {what} looks like it holds a password or key, which is never stored. Choose another.")
    return text


@lru_cache(maxsize=1024)
def facts(redactor: Redactor, seen: Facts) -> Facts:
    """``seen`` with every secret out of its names, each replaced in the same way each time."""

    def clean(text: str) -> str:
        return key(redactor, text) if text else text

    return replace(
        seen,
        cwd=clean(seen.cwd),
        root=clean(seen.root),
        root_name=clean(seen.root_name),
        worktree=clean(seen.worktree),
        branch=clean(seen.branch),
        remotes=tuple((clean(name), clean(remote)) for name, remote in seen.remotes),
        markers=tuple(_marker(redactor, marker) for marker in seen.markers),
    )


def _marker(redactor: Redactor, marker: Marker) -> Marker:
    names = ("dir", "checkout", "workspace", "project", "identity", "server")
    clean = {name: key(redactor, getattr(marker, name)) for name in names if getattr(marker, name)}
    return replace(marker, **clean, aliases=tuple(key(redactor, alias) for alias in marker.aliases))
