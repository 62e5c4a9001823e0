"""Which project a session belongs to: a claim made of facts, and the decision once the known projects are at hand.

The ladder: explicit argument, nearest marker, git remote, root commit, a directory without git. Keys decide, names only
label: two keys with one label are two projects. ``/``, the home directory and what lies above it are never projects.

Keys are ``remote:<host/owner/repo>``, ``root:<commit>`` and ``dir:<machine>:<path>``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ai_memory.domain.facts import Facts, Marker, facts_from_json, to_json
from ai_memory.domain.naming import DEFAULT_WORKSPACE, checked, is_name, name_from
from ai_memory.domain.remote import label, normalise_remote
from ai_memory.errors import Invalid

__all__ = [
    "DEFAULT_WORKSPACE",
    "Claim",
    "Facts",
    "Known",
    "Marker",
    "Pending",
    "Resolution",
    "claims",
    "decide",
    "facts_from_json",
    "is_name",
    "name_from",
    "normalise_remote",
    "to_json",
]

EXPLICIT, MARKER, REMOTE, ROOT, DIRECTORY, NONE = "explicit", "marker", "remote", "root-commit", "directory", "none"
EXISTING, NEW = "existing", "new"
TRUST = "ai-memory trust-marker"


@dataclass(frozen=True, slots=True)
class Claim:
    """What the facts ask for, before anything is looked up.

    ``how`` is the rung of the ladder. ``name`` labels a new project. ``names`` are looked up in ``workspace`` when a
    name decides (the first that exists wins), ``wants`` when another repository's key does. ``identities`` are the
    keys of the place itself, the strongest first. ``inside``: the marker (in ``place``) came with the checkout, so it
    may name a project of its own, and another's only with consent; ``fallback`` is the claim without it.
    """

    how: str = NONE
    workspace: str = DEFAULT_WORKSPACE
    name: str = ""
    names: tuple[str, ...] = ()
    wants: str = ""
    identities: tuple[str, ...] = ()
    inside: bool = False
    place: str = ""
    fallback: Claim | None = None
    server: str = ""
    note: str = ""

    @property
    def checkout(self) -> str:
        """The key of the checkout, which consent is given to; empty where there is none."""
        return self.identities[0] if self.identities else ""

    @property
    def identity(self) -> str:
        """The key that decides; empty when a name does."""
        return self.wants or ("" if self.names else self.checkout)


@dataclass(frozen=True, slots=True)
class Known:
    """A project that exists: its id, name, workspace name, and every key bound to it."""

    id: str
    name: str
    workspace: str
    identities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pending:
    """What a marker asks for and may not have yet. ``project`` is empty when it does not exist so far."""

    workspace: str
    name: str
    project: str
    marker: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """``kind`` is existing, new or none. ``bind`` are the keys to bind to the project when something is written.

    For ``new``, ``name`` is a wish: if taken by a project with other keys, the maker adds a suffix. With ``pending``, a
    marker is waiting for consent and this is the fallback; consenting means binding ``consent`` to the asked project.
    """

    kind: str
    project: str = ""
    workspace: str = DEFAULT_WORKSPACE
    name: str = ""
    identity: str = ""
    bind: tuple[str, ...] = ()
    resolved_by: str = NONE
    note: str = ""
    server: str = ""
    pending: Pending | None = None
    consent: tuple[str, ...] = ()


def claims(facts: Facts | None, workspace: str = "", project: str = "") -> Claim:
    """The claim of ``facts`` and of an explicit ``workspace`` and ``project``. Raises ``Invalid`` for what is no name.

    ``project`` may be ``workspace/project``. Without a workspace, an explicit project is looked up in the one the
    nearest marker names, else in the default one.
    """
    if project or workspace:
        return _explicit(facts, workspace, project)
    return _of_place(facts, facts.markers) if facts else Claim(note=_NOWHERE)


def decide(
    claim: Claim, by_identity: Mapping[str, Known], by_name: Mapping[tuple[str, str], Known], note: str = ""
) -> Resolution:
    """The project of ``claim`` among the known ones, found by key and by (workspace, name). Only ``.get`` is called."""
    if claim.how == NONE:
        return Resolution(NONE, note=_notes(note, claim.note), server=claim.server)
    if claim.how == EXPLICIT or (claim.how == MARKER and not claim.inside):
        named = _asked(claim, by_identity, by_name)
        return _existing(claim, named, note) if named else _new(claim, note)
    own, passed = _own(claim, by_identity)
    if claim.how == MARKER:
        named = _asked(claim, by_identity, by_name)
        if (named.id if named else "") != (own.id if own else ""):
            return _pending(claim, named, by_identity, by_name)
        return _existing(claim, named, note) if named else _new(claim, note)
    if own:
        return _existing(claim, own, note)
    if passed:
        before = (
            f"This directory held {passed.workspace}/{passed.name} before, under another identity; that memory stays "
            f'there. To go on with it, put project = "{passed.name}" into .ai-memory.toml and run `{TRUST}`.'
        )
        note = _notes(note, before)
    return _new(claim, note)


_NOWHERE = (
    "No project here: /, the home directory and what lies above it are never one. "
    "Name one with workspace and project, or start inside a project's directory."
)


def _explicit(facts: Facts | None, workspace: str, project: str) -> Claim:
    if not project:
        raise Invalid("A workspace alone names no project. Give project too.")
    if not workspace and project.count("/") == 1:
        workspace, _, project = project.partition("/")
    if not workspace and facts:
        marker = _nearest(facts.markers)
        workspace = name_from(marker.workspace) if marker and marker.workspace else ""
    project = checked(project, "project")
    return Claim(EXPLICIT, checked(workspace or DEFAULT_WORKSPACE, "workspace"), project, (project,))


def _of_place(facts: Facts, markers: tuple[Marker, ...]) -> Claim:
    marker = _nearest(markers)
    server, note = _server(facts, markers)
    if not marker:
        return replace(_unmarked(facts), server=server, note=note or _unmarked(facts).note)
    workspace = name_from(marker.workspace) if marker.workspace else DEFAULT_WORKSPACE
    if not marker.project and not _wanted(marker):
        own = _unmarked(facts)
        plain = facts.root_name if marker.strategy == "repo-root" else ""
        return replace(
            own,
            workspace=workspace,
            name=name_from(plain) if plain and own.how != NONE else own.name,
            place=marker.dir,
            server=server,
            note=_notes(own.note, note),
        )
    return replace(_of_marker(facts, marker, workspace), server=server, note=note)


def _of_marker(facts: Facts, marker: Marker, workspace: str) -> Claim:
    wants = _wanted(marker)
    name = name_from(marker.project or label(wants.removeprefix("remote:")))
    names = tuple(name_from(text) for text in (marker.project, *marker.aliases) if text) if marker.project else ()
    claim = Claim(MARKER, workspace, name, names, wants, place=marker.dir)
    if not _inside(facts, marker):
        keys = [wants] if wants else []
        if facts.machine and not _nowhere(marker.dir, facts.home):
            keys.append(_directory(facts, marker.dir))
        return replace(claim, identities=tuple(keys))
    others = tuple(m for m in facts.markers if not m.scoped or not _inside(facts, m))
    return replace(claim, identities=_keys(facts), inside=True, fallback=_of_place(facts, others))


def _unmarked(facts: Facts) -> Claim:
    """The claim of the place itself, whatever markers say."""
    keys = _keys(facts)
    if not keys:
        return Claim(note=_NOWHERE)
    kind, _, rest = keys[0].partition(":")
    if kind == "remote":
        return Claim(REMOTE, name=name_from(label(rest)), identities=keys)
    base = facts.root_name if _checkout(facts) else posixpath.basename(_anchor(facts))
    return Claim(ROOT if kind == "root" else DIRECTORY, name=name_from(base or "project"), identities=keys)


def _keys(facts: Facts) -> tuple[str, ...]:
    """The keys of the place, the strongest first."""
    place = _checkout(facts) or _anchor(facts)
    keys = []
    if _checkout(facts):
        keys += [f"remote:{facts.remote}"] if facts.remote else []
        keys += [f"root:{facts.root_commit}"] if facts.root_commit else []
    if place and facts.machine:
        keys.append(_directory(facts, place))
    return tuple(keys)


def _directory(facts: Facts, place: str) -> str:
    return f"dir:{facts.machine}:{place}"


def _checkout(facts: Facts) -> str:
    """The checkout's root; empty without git, and for a home directory that is itself a repository (dotfiles)."""
    return "" if _nowhere(facts.root, facts.home) else facts.root


def _anchor(facts: Facts) -> str:
    """Without git: the directory of the nearest marker that speaks of scope, else the directory itself, or empty."""
    marker = _nearest(facts.markers)
    if marker and not _nowhere(marker.dir, facts.home):
        return marker.dir
    return "" if _nowhere(facts.cwd, facts.home) else facts.cwd


def _nowhere(place: str, home: str) -> bool:
    return place in ("", "/", home) or _under(home, place)


def _under(path: str, top: str) -> bool:
    return bool(top) and (path == top or path.startswith(top.rstrip("/") + "/"))


def _inside(facts: Facts, marker: Marker) -> bool:
    """Whether the marker may have come with somebody's checkout or archive, rather than from the person."""
    if _nowhere(marker.dir, facts.home):
        return False
    if not _nowhere(marker.checkout, facts.home):
        return True
    root = _checkout(facts)
    return not root or _under(marker.dir, root) or _under(marker.dir, facts.worktree)


def _nearest(markers: tuple[Marker, ...]) -> Marker | None:
    return next((marker for marker in markers if marker.scoped), None)


def _wanted(marker: Marker) -> str:
    text = marker.identity
    remote = normalise_remote(text if "://" in text else f"https://{text}") if text else ""
    return f"remote:{remote}" if remote else ""


def _server(facts: Facts, markers: tuple[Marker, ...]) -> tuple[str, str]:
    """The server that the person's own markers name, and a note when one that came with a checkout was not heeded."""
    note = ""
    for marker in markers:
        if marker.server and not _inside(facts, marker):
            return marker.server, note
        if marker.server and not note:
            note = f"The marker in {marker.dir} names a server; one that lies inside a checkout is not followed."
    return "", note


def _asked(claim: Claim, by_identity: Mapping[str, Known], by_name: Mapping[tuple[str, str], Known]) -> Known | None:
    found = by_identity.get(claim.wants) if claim.wants else None
    for name in claim.names:
        found = found or by_name.get((claim.workspace, name))
    return found


def _own(claim: Claim, by_identity: Mapping[str, Known]) -> tuple[Known | None, Known | None]:
    """The project of the place, and the one that this directory held under a key that no longer fits.

    A project that was known by directory or root commit is recognised when the repository gets its first commit or its
    first remote, but only in the same directory of the same machine and with nothing that speaks against it.
    """
    if not claim.identities:
        return None, None
    own = by_identity.get(claim.identities[0])
    if own or len(claim.identities) == 1:
        return own, None
    before = by_identity.get(claim.identities[-1])
    if not before:
        return None, None
    stronger = {key for key in before.identities if not key.startswith("dir:")}
    fits = stronger <= {key for key in claim.identities if key.startswith("root:")}
    return (before, None) if fits else (None, before)


def _existing(claim: Claim, known: Known, note: str) -> Resolution:
    bind: tuple[str, ...] = ()
    if (claim.how not in (EXPLICIT, MARKER) or claim.inside) and claim.checkout not in known.identities:
        bind = tuple(key for key in claim.identities if key not in known.identities)
    if claim.how not in (EXPLICIT, MARKER) and claim.place and claim.workspace != known.workspace:
        asks = f"The marker in {claim.place} asks for workspace {claim.workspace}"
        stays = f"{asks}; this project stays in {known.workspace}."
        note = _notes(note, stays)
    return Resolution(
        EXISTING,
        known.id,
        known.workspace,
        known.name,
        claim.identity,
        bind,
        claim.how,
        _notes(note, claim.note),
        claim.server,
    )


def _new(claim: Claim, note: str) -> Resolution:
    return Resolution(
        NEW,
        "",
        claim.workspace,
        claim.name,
        claim.identity,
        _binding(claim),
        claim.how,
        _notes(note, claim.note),
        claim.server,
    )


def _binding(claim: Claim) -> tuple[str, ...]:
    """The keys a new project gets, or one that a person agreed to."""
    if claim.how == MARKER and not claim.inside:
        return claim.identities
    # A directory is no key of a repository that has a remote: another clone may take its place tomorrow.
    return claim.identities[:1] if claim.checkout.startswith("remote:") else claim.identities


def _pending(
    claim: Claim, named: Known | None, by_identity: Mapping[str, Known], by_name: Mapping[tuple[str, str], Known]
) -> Resolution:
    asked = Pending(
        named.workspace if named else claim.workspace,
        named.name if named else claim.name,
        named.id if named else "",
        posixpath.join(claim.place, ".ai-memory.toml"),
    )
    note = (
        f"{asked.marker} asks for project {asked.workspace}/{asked.name}. A marker inside a checkout may name another "
        f"project only once you agree: run `{TRUST}` here. Until then the checkout keeps its own project."
    )
    resolution = decide(claim.fallback or Claim(), by_identity, by_name, _notes(note, claim.note))
    return replace(resolution, pending=asked, consent=_binding(claim))


def _notes(*notes: str) -> str:
    return " ".join(dict.fromkeys(note for note in notes if note))
