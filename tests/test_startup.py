"""What starting costs, in modules: the number that does not depend on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"mcp", "pydantic", "starlette", "uvicorn", "numpy", "asyncio", "watchfiles"}
PROBE = """
import sys
before = set(sys.modules)
sys.argv = ["ai-memory", *{words!r}]
import contextlib, io
from ai_memory.__main__ import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    try:
        main()
    except SystemExit:
        pass
print(" ".join(sorted(set(sys.modules) - before)), file=sys.__stdout__)
"""


def loaded(tmp_path: Path, *words: str) -> set[str]:
    environ = {**os.environ, "HOME": str(tmp_path), "AI_MEMORY_DATA_DIR": str(tmp_path / "data")}
    environ["AI_MEMORY_SERVER_URL"] = "http://127.0.0.1:9"
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(words=list(words))], env=environ, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(("words", "most"), [(("--help",), 100), (("status", "--json"), 160), (("search", "x"), 160)])
def test_a_command_loads_no_more_than_its_budget(tmp_path: Path, words: tuple[str, ...], most: int) -> None:
    found = loaded(tmp_path, *words)
    assert len(found) <= most, f"{len(found)} modules"
    assert not {name.split(".")[0] for name in found} & HEAVY
