"""The rules for a page's path: one name a page, on every file system that a bundle may be cloned to."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from ai_memory.errors import Invalid

PATH_BYTES = 240
SEGMENT_BYTES = 120
SLUG_BYTES = 80
RESERVED = frozenset({"index.md", "log.md"})

_FAMILIES = {
    "_rules": "rule",
    "_slots": "slot",
    "sessions": "session",
    "decisions": "decision",
    "gotchas": "gotcha",
    "procedures": "procedure",
    "concepts": "concept",
    "notes": "note",
}
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$", "git~1"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)
_DRIVE = re.compile(r"[A-Za-z]:")
_FORBIDDEN = frozenset('<>:"|?*')
_SUFFIX = re.compile(r"\.[A-Za-z]\w{0,7}$")
_JOINERS = "\u200c\u200d"  # needed to spell some languages and emoji; they never tell two names apart
_SPELLED = {"+": "plus", "#": "sharp"}


def check(path: str) -> str:
    """``path`` in its one spelling (NFC, ending in ``.md``). Raises Invalid, saying what to change."""
    name = unicodedata.normalize("NFC", path)
    if not name.strip():
        raise Invalid("The page path is empty; give one such as notes/my-page.md.")
    if "\\" in name:
        raise _bad(path, "has a backslash; separate folders with /")
    if name.startswith("/") or _DRIVE.match(name):
        raise _bad(path, "is absolute; give it relative to the project, such as notes/my-page.md")
    if name != name.strip():
        raise _bad(path, "begins or ends with a space; leave it out")
    if not name.lower().endswith(".md"):
        if _SUFFIX.search(name):
            raise _bad(path, "does not end in .md; pages are Markdown files")
        name += ".md"
    else:
        name = name[:-3] + ".md"
    *folders, last = name.split("/")
    for segment in (*folders, last):
        _segment(path, segment)
    for folder in folders:
        if folder.lower().endswith(".md"):
            raise _bad(path, f"has a folder named like a page ({folder}); leave out its .md")
    if last.casefold() in RESERVED:
        raise _bad(path, f"uses the reserved name {last}; choose another file name")
    if last == ".md":
        raise _bad(path, "has no file name before .md")
    if len(name.encode()) > PATH_BYTES:
        raise _bad(path, f"is longer than {PATH_BYTES} bytes; shorten it")
    return name


def canonical(path: str) -> bool:
    """Whether ``path`` is already what ``check`` would make of it."""
    try:
        return check(path) == path
    except Invalid:
        return False


def fold(path: str) -> str:
    """A key that two paths share when a person, or a file system without case, would take them for one name."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
    return "".join(letter for letter in folded if letter not in _JOINERS)


def kind(path: str) -> str:
    """The page type that its folder stands for; ``fact`` for a page of no family."""
    return _FAMILIES.get(path.partition("/")[0], "fact") if "/" in path else "fact"


def slug(title: str) -> str:
    """A file name (without ``.md``) for ``title``, in its own script, in lower case.

    A title with nothing to spell, or one that had to be cut, ends in a hash of the whole, so that two of them differ.
    """
    words: list[str] = []
    word = ""
    for letter in unicodedata.normalize("NFC", title).lower():
        if unicodedata.category(letter)[0] in "LMN" or (letter in _JOINERS and word):
            word += letter
            continue
        if word:
            words.append(word.strip(_JOINERS))
        word = ""
        if letter in _SPELLED:
            words.append(_SPELLED[letter])
    words.append(word.strip(_JOINERS))
    name = unicodedata.normalize("NFC", "-".join(part for part in words if part))
    mark = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if not name:
        return f"page-{mark}"
    if len(name.encode()) > SLUG_BYTES:
        cut = name.encode()[: SLUG_BYTES - 9].decode("utf-8", "ignore")
        return f"{cut.rstrip('-' + _JOINERS)}-{mark}"
    return f"{name}-page" if name in _DEVICES or f"{name}.md" in RESERVED else name


def _segment(path: str, segment: str) -> None:
    """Raises Invalid where one name between slashes could not be kept everywhere."""
    if not segment:
        raise _bad(path, "has an empty folder name; write single slashes only")
    if segment in (".", "..") or segment.startswith(".."):
        raise _bad(path, "has '..' or '.' in it; name the page from the project's top")
    if segment.startswith("."):
        raise _bad(path, f"has a hidden name ({segment}); start it with a letter or digit")
    if segment[0] == " " or segment[-1] in " .":
        raise _bad(path, "has a name that starts with a space or ends with a space or dot; trim it")
    for letter in segment:
        group = unicodedata.category(letter)
        if group in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") or (group == "Cf" and letter not in _JOINERS):
            raise _bad(path, "has a control or invisible character; use visible ones")
        if letter == "\ufffd":  # what broken text becomes, so two broken names would be one
            raise _bad(path, "holds broken text; write the name in UTF-8")
        if letter in _FORBIDDEN:
            raise _bad(path, f"has the character {letter}, which some systems refuse in file names; leave it out")
    if len(segment.encode()) > SEGMENT_BYTES:
        raise _bad(path, f"has a name longer than {SEGMENT_BYTES} bytes; shorten it")
    if segment.casefold().split(".")[0].rstrip(" ") in _DEVICES:
        raise _bad(path, f"uses {segment}, a name that Windows reserves; choose another")


def _bad(path: str, reason: str) -> Invalid:
    shown = path if len(path) <= 80 else path[:77] + "…"
    return Invalid(f"The page path {shown!a} {reason}.")
