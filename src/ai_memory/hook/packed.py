"""The hook file as it is installed: the source as one string, and beside it, once run, what Python compiled from it.

Python compiles a script anew at each start, which for ``hook.py`` takes as long as starting Python. A plain copy of
``hook.py`` works as well, only slower.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_LOADER = '''"""The client that a coding agent's hook runs. Made by ai-memory from its hook/hook.py."""

import marshal
import sys

SUM = {sum!r}
KEPT = f"{{__file__[:-3]}}.{{sys.implementation.cache_tag}}-{{sys.hexversion:x}}"


def load():
    try:
        with open(KEPT, "rb") as file:
            kept = file.read()
        if kept.startswith(SUM):
            return marshal.loads(kept[len(SUM) :])
    except (OSError, ValueError, EOFError, TypeError):
        pass
    code = compile(SOURCE, __file__, "exec")
    try:
        keep(SUM + marshal.dumps(code))
    except OSError:
        pass
    return code


def keep(content):
    import os

    draft = f"{{KEPT}}.{{os.getpid()}}"
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, KEPT)
    except OSError:
        os.unlink(draft)


SOURCE = {source!r}

try:
    exec(load())
except BaseException:
    pass
'''


def text() -> str:
    """What to write to ``<data>/bin/hook.py``, mode 0600, by a rename so that a hook never reads half of it."""
    source = (Path(__file__).parent / "hook.py").read_text(encoding="utf-8")
    return _LOADER.format(sum=hashlib.sha256(source.encode()).hexdigest().encode(), source=source)
