"""Finds the value beside a secret's name: ``DB_PASSWORD=…``, ``"api_key": "…"``, ``--token …``, "the password is …".

Each scanner walks the hits of one word in the lower-case text; what it looks at around a hit is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from ai_memory.domain import literals
from ai_memory.domain.rule import Span

_LONGEST = 8192  # characters of one quoted value
_STAGE = r"[_-]?(?:prod|production|dev|test|staging|live|local|main|old|new|value|b64|base64|\d{1,2})"
_SUFFIX = "s?(?:" + _STAGE + ")?"
_CLOSE = r"(?P<close>\\{0,4}[\"'`])?[\])]{0,2}"
_BRIDGE = r"[ \t]{1,3}(?:for|of|on|do|da|de|del|para|no|na|en|pro|pour)[ \t][^\n.:;=\"'`]{1,48}?"
_VERB = r"is|was|are|will be|should be|must be|será|é|es|era|ist|est|set to|changed to|to|e"
_TAIL = (
    r"(?P<tail>" + _CLOSE + r"(?:"
    r"[ \t]{0,16}(?P<op>[:=!?+]?={1,3}>?|:(?![:/])|->|→|\|\||\?\?|or(?=[ \t]{1,4}[\"']))"
    r"|[,;]?\s{0,40}(?:\\[nr]\s{0,20}){0,2}\\{0,4}[\"']?value\\{0,4}[\"']?[ \t]{0,4}(?P<pair>[:=])"
    r"|(?P<comma>,)(?=\s{0,8}\\{0,4}[\"'])"
    r")"
    r"|(?:" + _BRIDGE + r")?[ \t]{1,3}(?P<is>" + _VERB + r")(?: now| agora| ahora)?:?(?=[ \t]{1,3}\S)"
    r"|" + _BRIDGE + r"[ \t]?(?P<label>:)(?=[ \t]{1,3}\S)"
    r"|" + _CLOSE.replace("close", "mark") + r"[ \t]{1,32}(?P<cell>[|│])(?=[ \t]{1,3}\S)"
    r"|(?P<gap>[ \t]{1,2})(?=[\"'`]|\S{0,24}\d)"
    r")"
)
_TYPED = re.compile(r"[ \t]?[A-Za-z&][\w&.<>\[\]|'?, ]{0,39}=(?!=)")
_SPACE = re.compile(r"[ \t]{0,16}(?:\\?\r?\n\s{0,64}(?=[\"'`]))?")
_GAP = re.compile(r"\s{0,8}")
_OPENER = re.compile(r"(?P<f>[fF][rR]?|[rR][fF])?(?:[rRbBuULcC]{1,2}|@|\$)?(?P<slash>\\{0,4})(?P<quote>[\"'`])")
# The first 256 characters of an unquoted value are judged; a longer one is cut to its end.
_VALUE = re.compile(r"(?:[^\s\"'`,;&|<>()\[\]{}\\]|\\(?![nrt\"'`\\])|,(?![\s\"'}\]]|[\w.-]{1,40}[=:]|\Z)|&(?![\s&]|amp;|[\w.%-]{1,40}=|\Z)|\[REDACTED\]){1,256}")
_LINE = re.compile(r"(?:[^\s\"'`\\]|\\(?![nrt\"'`\\])){1,256}")
_MARGIN = re.compile(r"(?:\A|\n|\\n)[ \t>+|-]{0,40}(?:\d{1,6}[\t→:|])?[ \t-]{0,40}(?:export |env |set |arg |run )?\s?\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\s\"'`<>\\]{1,256}")
_ENDED = re.compile(r"[.,;!]?(?:\s{0,4}\Z|\s{0,64}\n|[.,;!])")
_SUFFIXED = re.compile(_STAGE + r"\Z", re.IGNORECASE)
_IDENT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."


def named(word: str) -> Callable[[str, str], Iterator[Span]]:
    """A scanner for values beside names that end with ``word`` (a pattern in lower case)."""

    def scan(text: str, low: str) -> Iterator[Span]:
        done = 0
        for match in _ready(word + _SUFFIX + _TAIL).finditer(low):
            span = _judge(text, match) if match.end() > done else None
            if span:
                done = span[1]
                yield span

    return scan


@lru_cache(maxsize=32)
def _ready(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _judge(text: str, match: re.Match[str]) -> Span | None:
    first, tail = match.start(), match.start("tail")
    left = text[max(0, first - 64) : first]
    ahead = left[len(left.rstrip(_IDENT)) :]
    if ahead[:1] == "n" and text[first - len(ahead) - 1 : first - len(ahead)] == "\\":
        ahead = ahead[1:]
    word = text[first:tail]
    if not ahead and left[-1:] == " " and word[:3].lower() == "key":
        ahead = left.split()[-1] if left.split() else ""
    name = ahead + word
    kind = literals.classify(name) or literals.classify(name.rstrip("sS")) or literals.classify(_SUFFIXED.sub("", name))
    if not kind:
        return None
    begin = first - len(ahead)
    if text.endswith("::", 0, begin) and not name.isupper():
        return None  # a type's name
    if name.lower().rpartition("--")[2] in ("pass", "passes"):
        if match["gap"] or match["label"] or match["comma"] or match["is"] == "to" or name.lower() == "passes":
            return None
        kind = literals.TOKEN if match["is"] else kind
    if match["is"] or match["label"]:
        return _prose(text, match, kind)
    if match["cell"]:
        return _cell(text, match.end(), kind)
    if match["gap"]:
        return _next(text, match.end()) if kind == literals.PASSWORD else None
    if match["comma"]:
        gap = _GAP.match(text, match.end())
        return _literal(text, gap.end() if gap else match.end(), lambda v: literals.scrambled(v, 6) and literals.quoted(v, kind)) if match["close"] else None
    return _assigned(text, match, name, begin, kind)


def _next(text: str, at: int) -> Span | None:
    """``password 'hunter2'``, ``password hunter2``: only what looks made up."""
    if _OPENER.match(text, at):
        return _literal(text, at, lambda v: literals.scrambled(v, 6) and not literals.placeholder(v))
    found = _VALUE.match(text, at)
    if not found or text[found.end() : found.end() + 1] in ("(", "[", "=", "<"):
        return None
    value = found.group().rstrip(".,;:?")
    made = any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and "_" not in value and "." not in value
    if not made or not literals.scrambled(value, 6) or literals.placeholder(value):
        return None
    return (at, _whole(_VALUE, text, at + len(value)) if found.end() - at > 255 else at + len(value))


def _cell(text: str, at: int, kind: str) -> Span | None:
    """The next cell of a table's row: only what looks made up."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    least = 8 if kind in (literals.KEY, literals.ENVKEY, literals.CREDENTIAL) else 6
    if _OPENER.match(text, at):
        return _literal(text, at, lambda v: literals.scrambled(v, least) and literals.quoted(v, kind))
    found = _VALUE.match(text, at)
    after = text[found.end() : found.end() + 33].lstrip(" \t") if found else ""
    if not found or (after and after[0] not in "|│\r\n" and not after.startswith("\\n")):
        return None
    value = found.group()
    if not literals.scrambled(value, least) or not literals.quoted(value, kind):
        return None
    return (at, _whole(_VALUE, text, found.end()))


def _assigned(text: str, match: re.Match[str], name: str, begin: int, kind: str) -> Span | None:
    op = match["op"] or "="
    at = match.end()
    if text.endswith("${", 0, begin):
        return _default(text, at)
    if op == ":":
        typed = _TYPED.match(text, at)
        if typed:
            at, op = typed.end(), "="
    gap = _SPACE.match(text, at)
    start = gap.end() if gap else at
    opener = _OPENER.match(text, start)
    if opener:
        if text[begin - 1 : begin] == opener["quote"] and not match["close"]:
            return None  # 'Password: ' ends here
        formatted = bool(opener["f"])
        return _literal(text, start, lambda v: literals.quoted(v, kind) and not (formatted and "{" in v))
    if op not in ("=", ":", "=>", ":="):
        return None
    if op == ":" and (name == "PASS" or (start == match.end() and text.endswith(":", 0, begin))):
        return None  # a test's result; a part of a longer identifier, as in arn:…:secret:name
    tight = start == at and at == match.end() and op == "=" and text[match.start("tail") : match.start("tail") + 1] == "="
    return _unquoted(text, start, name, begin, kind, tight)


def _default(text: str, at: int) -> Span | None:
    """``${NAME:-x}``: a default that looks made up."""
    found = _VALUE.match(text, at + 1) if text[at : at + 1] in ("-", "=") else None
    return (found.start(), _whole(_VALUE, text, found.end())) if found and literals.scrambled(found.group(), 6) else None


def _unquoted(text: str, start: int, name: str, begin: int, kind: str, tight: bool) -> Span | None:
    upper = name.isupper()
    margin = _MARGIN.search(text, max(0, begin - 96), begin) if upper and tight else None
    shape = _LINE if margin else _VALUE
    found = shape.match(text, start)
    if not found:
        return None
    value, end = found.group(), found.end()
    if not margin:
        if not upper and not tight:
            value = value.rstrip(".:?")
            end = start + len(value)
        if text[end : end + 1] in ("(", "[", "{", "<"):
            return None
    if not value or (value[0] == "-" and value[1:].isalpha()):
        return None
    rest = text[end : end + 2].lstrip(" \t")
    alone = not rest or rest[0] in "\r\n#" or rest.startswith(("\\n", "&", ";", '"', "'")) or (tight and text[end].isspace())
    if upper and (tight or (alone and (kind != literals.ENVKEY or literals.scrambled(value, 8)))):
        agreed = literals.env(value, kind)
    else:
        agreed = literals.bare(value, kind, alone, tight)
    return (start, _whole(shape, text, end)) if agreed else None


def _whole(shape: re.Pattern[str], text: str, end: int) -> int:
    """The end of a value that may be longer than what was judged."""
    while more := shape.match(text, end):
        end = more.end()
    return end


def _literal(text: str, at: int, agree: Callable[[str], bool]) -> Span | None:
    """The text between the quotes that open at ``at``; a value that is cut off ends with its line."""
    opener = _OPENER.match(text, at)
    if not opener:
        return None
    start, quote, depth = opener.end(), opener["quote"], len(opener["slash"])
    if text.startswith(quote * 2, start) and depth == 0:
        close = text.find(quote * 3, start + 2, start + _LONGEST)
        end = close if close >= 0 else start
        return (start + 2, end) if close >= 0 and agree(text[start + 2 : end]) else None
    line = text.find("\n", start)
    stop = len(text) if line < 0 else line
    limit = min(stop, start + _LONGEST)
    seek = start
    while True:
        close = text.find(quote, seek, limit)
        if close < 0:
            break
        slashes = close - len(text[start:close].rstrip("\\")) - start
        if slashes <= depth:
            end = close - slashes
            return (start, end) if agree(text[start:end]) else None
        seek = close + 1
    value = text[start:limit].rstrip()
    if not value or " " in value or not agree(value):
        return None
    return (start, start + len(value) if limit == stop else stop)


def _prose(text: str, match: re.Match[str], kind: str) -> Span | None:
    at = match.end()
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    if _OPENER.match(text, at):
        return _literal(text, at, lambda v: len(v) >= 4 and not any(c.isspace() for c in v) and not literals.placeholder(v)
                        and not literals.expression(v) and (kind == literals.PASSWORD or literals.scrambled(v, 6)))  # fmt: skip
    found = _WORD.match(text, at)
    if not found:
        return None
    value = found.group().rstrip(".,;:?)")
    if value.rstrip("!").isalpha():
        value = value.rstrip("!")
    end = at + len(value)
    if not value or literals.placeholder(value) or literals.expression(value) or value.lower().endswith("'s"):
        return None
    if literals.scrambled(value, 6):
        return (at, _whole(_WORD, text, found.end()) if found.end() - at > 255 else end)
    if kind != literals.PASSWORD or match["is"] in ("to", "e") or not _ENDED.match(text, end):
        return None
    if value.isdigit() and len(value) >= 4:
        return (at, end)
    if literals.phrase(value, 3) or (value.isalpha() and len(value) >= 4 and not literals.ordinary(value)):
        return (at, end)
    return None


_FLAG = (
    r"-(?<![\w-].)-?(?=[a-z])[a-z0-9-]{0,40}?(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|access-?key|secret-?key|private-?key)"
    r"(?:[ \t]{1,4}|\\{0,4}[\"'],[ \t]{0,4}(?=\\{0,4}[\"']))(?=[^\s-])"
)


def flags(text: str, low: str) -> Iterator[Span]:
    """Values of command-line options: ``--password x``, ``"--token", "x"``."""
    for match in _ready(_FLAG).finditer(low):
        kind = literals.classify(text[match.start() : match.end()].rstrip(" \t\"',\\").lstrip("-"))
        if not kind:
            continue
        if _OPENER.match(text, match.end()):
            span = _literal(text, match.end(), lambda v, kind=kind: literals.quoted(v, kind))  # type: ignore[misc]
            if span:
                yield span
            continue
        found = _VALUE.match(text, match.end())
        if not found or text[found.end() : found.end() + 1] in ("(", "["):
            continue
        value = found.group()
        if value[0] != "-" and "=" not in value[:4] and _flag_value(value, kind):
            yield found.start(), _whole(_VALUE, text, found.end())


_OPTION_WORDS = ("should", "option", "options", "argument", "arguments", "prompt", "flag", "flags", "values", "parameter", "parameters")


def _flag_value(value: str, kind: str) -> bool:
    if literals.placeholder(value) or literals.expression(value):
        return False
    if kind == literals.PASSWORD:
        return literals.scrambled(value, 4) or literals.phrase(value, 3) or (value.isalnum() and len(value) >= 6 and value.lower() not in _OPTION_WORDS)
    return literals.scrambled(value, 6)


_WORDS = (
    r"(?<![a-z0-9_])(?:env|setx|set -[a-z]{1,3})[ \t]{1,8}(?P<name>[a-z0-9_]{0,64}(?:password|passwd|secret|token|key|credentials?))"
    r"[ \t]{1,8}(?=[^\s=])"
)


def words(text: str, low: str) -> Iterator[Span]:
    """Values set by a space: ``ENV NAME x`` in a Dockerfile, ``setx NAME x``, ``set -x NAME x`` in fish."""
    for match in _ready(_WORDS).finditer(low):
        first, last = match.span("name")
        kind = literals.classify(text[first:last])
        if not kind or not text[first:last].isupper():
            continue
        if _OPENER.match(text, match.end()):
            span = _literal(text, match.end(), lambda v, kind=kind: literals.quoted(v, kind))  # type: ignore[misc]
            if span:
                yield span
            continue
        found = _LINE.match(text, match.end())
        if found and literals.env(found.group(), kind):
            yield found.start(), _whole(_LINE, text, found.end())


_JOIN = re.compile(r" (?:is|as|é|es|como)(?: (?:the|my|our|your|a|o|la|su|sua))?(?: \w{1,16})? \Z", re.IGNORECASE)


def before(text: str, low: str) -> Iterator[Span]:
    """``hunter2 is the password``: the value stands before the word."""
    for match in _ready("password|passphrase|senha|contraseña|contrasena").finditer(low):
        at = match.start()
        join = _JOIN.search(text, max(0, at - 32), at) if text[at - 1 : at] == " " else None
        if not join:
            continue
        last = join.start()
        value = text[max(0, last - 128) : last].rpartition(" ")[2].rpartition("\n")[2].rpartition("\t")[2]
        value = value.lstrip("\"'`<(")
        first = last - len(value)
        value = value.rstrip("\"'`>)")
        if literals.scrambled(value, 6) and not literals.placeholder(value) and not literals.expression(value):
            yield first, first + len(value)
