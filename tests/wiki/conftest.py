"""A bundle to write to."""

from __future__ import annotations

from pathlib import Path

import pytest
from wiki_writer import Writer


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "wiki")
