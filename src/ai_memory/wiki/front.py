"""Front matter: YAML in, YAML out.

Reading keeps what a person wrote: dates, times, ``no`` and ``1.10`` stay text, since only ``true``, ``false``, ``null``
and numbers that print back as they were written become values. Writing has one layout: equal values give equal bytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import yaml

from ai_memory.errors import Invalid

LIMIT = 256 * 1024
DEPTH = 32
_KEY_LIMIT = 1000  # libyaml reads a simple key of at most 1024 characters
_TEXT = "tag:yaml.org,2002:str"
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,39})(\.[0-9]{1,24})?(e[+-][0-9]{2,3})?")
_PLAIN = re.compile(r"[^\W\d_](?:[\w/.+()&—–-]|[ ](?=[\w/.+(&—–-]))*")
_IDENTITY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ACTOR = re.compile(r"(human|process):[A-Za-z][\w./-]*", re.ASCII)
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"])
_TOP = re.compile(r"""^(?:"([^"\\\n]+)"|'([^'\n]+)'|([^\s#"'\[\]{}>|*&!%@`,?:-][^:\n]*?))[ \t]*:(?=[ \t\r\n]|$)""")
_WIDE = 100


class Broken(ValueError):
    """The text is not front matter; ``str`` says why and where."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Resolves nothing by itself: the walk below decides what a plain scalar is."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


def read(text: str) -> dict[str, Any]:
    """The mapping that ``text`` (without its fences) holds. Raises Broken if it is not one plain, finite mapping."""
    if len(text) > LIMIT:
        raise Broken(f"it is longer than {LIMIT} characters")
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise Broken(_where(error)) from None
    except (RecursionError, ValueError) as error:
        raise Broken(f"it cannot be read ({type(error).__name__})") from None
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise Broken("it is not a list of keys and values")
    found: dict[str, Any] = _value(node, set(), 0)
    return found


def salvage(text: str) -> dict[str, Any]:
    """What can be had of broken front matter: each top-level key by itself, as text where its value does not parse.

    Empty if there is no top-level key at all, or if some line belongs to none, so that nothing is dropped unseen.
    """
    found: dict[str, Any] = {}
    for key, chunk, rest in _chunks(text):
        if not key:
            return {}
        try:
            value = read(chunk)
        except Broken:
            value = {key: rest.strip()}
        found.update(value if set(value) == {key} else {key: rest.strip()})
    return found


def emit(meta: Mapping[str, Any]) -> str:
    """``meta`` as YAML lines in the order given. Raises Invalid for a value that YAML could not give back."""
    return "".join(line + "\n" for line in _mapping(meta, 0))


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it is not YAML"
    return f"line {mark.line + 2}: {problem}" if mark is not None else str(problem)


def _value(node: yaml.Node, seen: set[int], depth: int) -> Any:
    """The value of ``node``. A node met twice is an alias, which a page has no use for and a bomb is made of."""
    if id(node) in seen:
        raise Broken("it uses YAML aliases")
    seen.add(id(node))
    if depth > DEPTH:
        raise Broken(f"it is nested deeper than {DEPTH}")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        if node.tag != "tag:yaml.org,2002:seq":
            raise Broken(f"it uses the YAML tag {node.tag}")
        return [_value(item, seen, depth + 1) for item in node.value]
    if node.tag != "tag:yaml.org,2002:map":
        raise Broken(f"it uses the YAML tag {node.tag}")
    found: dict[str, Any] = {}
    for key, item in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag != _TEXT:
            raise Broken("a key is not plain text")
        if key.value in found:
            raise Broken(f"the key {key.value!r} stands twice")
        seen.add(id(key))
        found[key.value] = _value(item, seen, depth + 1)
    return found


def _scalar(node: yaml.ScalarNode) -> Any:
    if node.tag != _TEXT:
        raise Broken(f"it uses the YAML tag {node.tag}")
    text: str = node.value
    if node.style:
        return text
    if text in _LITERALS:
        return _LITERALS[text]
    if _NUMBER.fullmatch(text):
        number = float(text) if "." in text or "e" in text else int(text)
        if str(number) == text:
            return number
    return text


def _chunks(text: str) -> Iterator[tuple[str, str, str]]:
    """(key, its lines, its text after the colon) for each top-level key; an empty key for lines that belong to none."""
    key, rest = "", ""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        top = _TOP.match(line)
        if top:
            if lines:
                yield key, "".join(lines), rest
            key, lines, rest = next(part for part in top.groups() if part), [line], line[top.end() :]
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
            rest += line
    if lines:
        yield key, "".join(lines), rest


def _mapping(meta: Mapping[str, Any], indent: int) -> Iterator[str]:
    if indent > 2 * DEPTH - 2:
        raise Invalid(f"The front matter is nested deeper than {DEPTH}; flatten it.")
    for key, value in meta.items():
        if not isinstance(key, str):
            raise Invalid(f"The front matter key {key!r} is not text; quote it.")
        name = _text(key)
        if len(name) > _KEY_LIMIT:
            raise Invalid("A front matter key is too long; shorten it.")
        yield from _entry(" " * indent + name + ":", value, indent)


def _entry(head: str, value: Any, indent: int) -> Iterator[str]:
    """``head`` (a key or a dash) followed by ``value``, on its line if that is short, else on the lines below."""
    if isinstance(value, Mapping) and value:
        inner = _mapping(value, indent + 2)
        yield f"{head} {next(inner).lstrip()}" if head.endswith("-") else head
        yield from inner
    elif isinstance(value, list | tuple) and value:
        flow = _flow(value)
        if flow:
            yield f"{head} {flow}"
            return
        yield head
        if indent > 2 * DEPTH - 2:
            raise Invalid(f"The front matter is nested deeper than {DEPTH}; flatten it.")
        for item in value:
            yield from _entry(" " * (indent + 2) + "-", item, indent + 2)
    else:
        yield f"{head} {_single(value)}"


def _flow(values: list[Any] | tuple[Any, ...]) -> str:
    if any(isinstance(item, Mapping | list | tuple) for item in values):
        return ""
    line = "[" + ", ".join(_single(item) for item in values) + "]"
    return line if len(line) <= _WIDE else ""


def _single(value: Any) -> str:
    """A scalar, or an empty collection, on one line."""
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and abs(value) < 10**40:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise Invalid(f"The front matter holds {value!r:.40}, which is not text, a number, a list or a mapping.")


def _text(text: str) -> str:
    """``text`` plain where no YAML reader could take it for something else, in double quotes elsewhere."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and len(text) < 400:
        return text
    if _IDENTITY.fullmatch(text) or _ACTOR.fullmatch(text):
        return text
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    code = ord(letter)
    if 0xD800 <= code <= 0xDFFF:
        raise Invalid("The front matter holds half a character (a lone surrogate); remove it.")
    if letter == "\n":
        return "\\n"
    if letter == " " or (letter.isprintable() and code not in (0xFEFF, 0xFFFE, 0xFFFF)):
        return letter
    return f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}" if code < 65536 else f"\\U{code:08X}"
