"""Names of workspaces and projects: labels for people, never keys."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from ai_memory.errors import Invalid

DEFAULT_WORKSPACE = "default"
LONGEST = 64
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")


def is_name(text: str) -> bool:
    """Lowercase ASCII letters, digits, dot, dash, underscore; starts with a letter or digit; at most 64."""
    return bool(_NAME.match(text))


def checked(text: str, what: str) -> str:
    """``text`` if it is a name. ``what`` (project, workspace) is for the message of ``Invalid``."""
    if is_name(text):
        return text
    raise Invalid(
        f"{text[:80]!r} is no {what} name: lowercase letters, digits, dot, dash and underscore. "
        f"Did you mean {name_from(text)!r}?"
    )


def name_from(text: str) -> str:
    """A name made of any text. When letters had to go, a short hash of the text keeps two such texts apart."""
    if is_name(text):
        return text
    flat = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(c for c in flat if not unicodedata.combining(c))
    slug = re.sub(r"[^a-z0-9._]+", "-", kept).strip("-._")
    lost = any(ord(c) > 127 and (c.isalnum() or ord(c) > 0xFFFF or 0xD800 <= ord(c) <= 0xDFFF) for c in kept)
    if not lost and 0 < len(slug) <= LONGEST:
        return slug
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug[: LONGEST - 9].strip('-._') or 'project'}-{digest}"
