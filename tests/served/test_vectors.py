"""With the model of the default installation: ready late, asked early, found by meaning."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_memory.embed import weights
from ai_memory.embed.weights import Weights

from .conftest import Served, launch


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Served]:
    found = weights.find(None, tmp_path)
    if not isinstance(found, Weights):
        pytest.skip(found.reason)
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    served = launch(tmp_path, AI_MEMORY_EMBEDDING__PROVIDER="local")
    yield served
    served.stop()


def test_a_page_is_found_by_what_it_means(local: Served) -> None:
    at = local.checkout("shop")
    notes = {"deploy": "# Releasing the service\n\nTag it, push the tag, wait for the pipeline.\n",
             "lunch": "# Menu\n\nPasta on Mondays.\n", "colours": "# Palette\n\nBlue for links.\n"}  # fmt: skip
    for name, body in notes.items():
        assert local.ask("PUT", f"/api/v1/pages/notes/{name}.md", {"body": body}, at)[0] == 200
    local.settled()
    end = time.monotonic() + 30
    while (said := local.ask("GET", "/api/v1/status", at=at)[1])["embedding_pending"] or not said["embedding"]["model"]:
        assert time.monotonic() < end, said
        time.sleep(0.1)
    found: list[str] = []
    while not found and time.monotonic() < end:  # the last page may just be on its way to its vector
        found = [hit["path"] for hit in local.ask("GET", "/api/v1/search?q=how+do+we+ship+a+new+release", at=at)[1]["hits"]]
        time.sleep(0.1)
    assert found[:1] == ["notes/deploy.md"]


def test_without_the_weights_search_goes_on_and_status_says_so(tmp_path: Path) -> None:
    served = launch(tmp_path, AI_MEMORY_EMBEDDING__PROVIDER="local", AI_MEMORY_EMBEDDING__PATH=str(tmp_path / "nowhere"))
    try:
        at = served.checkout("shop")
        assert served.ask("PUT", "/api/v1/pages/notes/a.md", {"body": "# The pelican\n\nIt flies.\n"}, at)[0] == 200
        served.settled()
        assert [hit["path"] for hit in served.ask("GET", "/api/v1/search?q=pelican", at=at)[1]["hits"]] == ["notes/a.md"]
        note = served.ask("GET", "/api/v1/status", at=at)[1]["embedding"]["note"]
        assert "nowhere" in note and note.endswith(".")
    finally:
        served.stop()
