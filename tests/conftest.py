"""What holds for every test: examples may take their time on a busy machine, and no process is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("here")


@pytest.fixture(scope="session", autouse=True)
def no_drainer_stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A hook that met no server has started a drainer, which would try for ten minutes."""
    yield
    below = tmp_path_factory.getbasetemp().resolve()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"hook-drain" in (process / "cmdline").read_bytes() and Path(os.readlink(process / "cwd")).is_relative_to(below):
                os.kill(int(process.name), signal.SIGTERM)
