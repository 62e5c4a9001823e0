from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_memory.index import store
from ai_memory.index.store import Index


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = store.open(tmp_path / "index.db")
    yield opened
    opened.close()
