"""Shell commands as work: which only look, which are the same work again, and the telling line of a failure."""

from __future__ import annotations

import re

from ai_memory.domain import excerpt


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_LOOKS = _words(
    "ls cat head tail less more bat grep rg egrep fgrep ag find fd tree pwd cd wc stat file which type "
    "whereis env printenv date whoami id uname sed awk cut sort uniq diff jq sleep true false test [ ps df du nl "
    "readlink realpath basename dirname column xxd od hexdump history man"
)
_GIT_LOOKS = _words("status diff log show branch remote rev-parse ls-files blame describe grep")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_WRAPPERS = _words(
    "sudo env time nohup nice timeout command exec xvfb-run stdbuf uv poetry pipenv rye hatch run do then"
)
_NAMED = re.compile(r"\b\w*(?:Error|Exception)\b|\berror(?:\[\w+\])?:|\bfatal:|\bpanicked\b", re.ASCII)
_TELLING = re.compile(
    r"\berror\b|\bfatal\b|\bpanic(?:ked)?\b|\bFAILED\b|\bfailed\b|\bnot found\b|"
    r"\bNo such file\b|\bdenied\b|\bcannot\b|\bundefined\b|^E\s"
)
# Programs whose first plain word is a target already.
_WHOLE = _words("pytest py.test mypy ruff tsc eslint jest vitest mocha tox unittest black flake8 gcc clang rustc")
_STEP = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_WORST = 4_000


def steps(command: str) -> list[list[str]]:
    """The words of each step of ``command``, without assignments and wrappers; pipes count by their first part."""
    found = []
    for part in _STEP.split(command[:_WORST]):
        words = part.split("|", 1)[0].split()
        while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0] in _WRAPPERS):
            words = words[1:]
        if words:
            found.append(words)
    return found


def looks(command: str) -> bool:
    """Whether ``command`` only looks at things, so that neither its success nor its failure is news."""
    if ">" in command.replace("2>&1", "").replace("/dev/null", "").replace("2>", ""):
        return False
    return all(_looks(words) for words in steps(command))


def _looks(words: list[str]) -> bool:
    name = words[0].rsplit("/", 1)[-1]
    if name == "git":
        return len(words) > 1 and words[1] in _GIT_LOOKS
    return name in _LOOKS and not (name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words))


def work(command: str) -> tuple[str, tuple[str, ...]]:
    """What work ``command`` is, and its targets: the program with its first plain word, and the plain words after.

    Only the last telling step counts: ``cd api && python -m pytest tests/a.py -q`` is the work ``pytest`` on
    ``tests/a.py``; ``npm run build`` is the work ``npm build``.
    """
    told = [words for words in steps(command) if not _looks(words)] or steps(command)
    if not told:
        return command.strip()[:80], ()
    name = told[-1][0].rsplit("/", 1)[-1]
    plain = [word for word in told[-1][1:] if not word.startswith("-") and ">" not in word]
    if name.startswith("python") and "-m" in told[-1] and plain:
        name, plain = plain[0], plain[1:]
    if plain[:1] == ["run"]:
        plain = plain[1:]
    if name in _WHOLE or not plain:
        return name, tuple(plain)
    return f"{name} {plain[0]}", tuple(plain[1:])


def covers(passed: tuple[str, ...], failed: tuple[str, ...]) -> bool:
    """Whether a run of the same work on the targets ``passed`` says that ``failed`` is mended; no targets mean all."""
    return not passed or (bool(failed) and all(any(part.startswith(whole) for whole in passed) for part in failed))


def telling(output: str) -> str:
    """The line of ``output`` that says what went wrong: the last that names an error, else the last that tells of a
    failure, else the last with words.
    """
    lines = [line.strip() for line in output[-_WORST:].split("\n") if line.strip()]
    named = [line for line in lines if _NAMED.search(line[:400])]
    told = named or [line for line in lines if _TELLING.search(line[:400])] or lines
    return excerpt.line(told[-1], 240) if told else ""
