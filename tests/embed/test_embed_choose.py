"""Which embedder the settings give, and the line that says why there is none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ai_memory.embed import choose as embedders
from ai_memory.embed import weights
from ai_memory.embed.embedder import Embedder, Missing
from ai_memory.embed.local import Local
from ai_memory.embed.remote import Remote


def choose(provider: str, data: Path = Path("unused"), **given: Any) -> Embedder | Missing:
    return embedders.choose(provider, **{"model": "", "path": "", "url": "", "key": "", "data": data, **given})


HTTPS = "https://api.example.com/v1"


@pytest.mark.parametrize(
    ("provider", "given", "said"),
    [
        ("none", {}, "Vectors are off"),
        ("oracle", {}, "There is no embedding provider 'oracle'"),
        ("local", {"model": "bge-small"}, "The local model is"),
        ("openai-compatible", {"url": HTTPS}, "embedding.model is empty"),
        ("openai-compatible", {"model": "m"}, "embedding.url is empty"),
        ("openai-compatible", {"model": "m", "url": "http://api.example.com"}, "must be https"),
        ("openai-compatible", {"model": "m", "url": HTTPS, "key": "a\nb"}, "a header cannot carry"),
        ("openai-compatible", {"model": "m", "url": HTTPS, "key": "clé"}, "a header cannot carry"),
        ("google", {"model": "m"}, "embedding.key is empty"),
    ],
)
def test_settings_that_give_no_embedder_say_why(provider: str, given: dict[str, Any], said: str) -> None:
    found = choose(provider, **given)
    assert isinstance(found, Missing) and said in found.reason and "\n" not in found.reason
    assert given.get("key", "?") not in found.reason


def test_servers_are_chosen_without_asking_them() -> None:
    found = choose("openai-compatible", model="m", url="http://localhost:1/v1", key=" k \n")
    assert isinstance(found, Remote) and (found.key, found.dimension) == ("k", 0)
    google = choose("google", key="k")
    assert isinstance(google, Remote) and google.model == "gemini-embedding-001"
    assert google.address.secure and google.address.path == "/v1beta"


def test_the_local_model_is_chosen_without_loading_it(tmp_path: Path) -> None:
    found = choose("local", tmp_path, model=weights.MODEL)
    if isinstance(found, Missing):
        pytest.skip(found.reason)
    assert isinstance(found, Local) and found._loaded is None


@pytest.mark.parametrize("name", ["numpy", "onnxruntime"])
def test_a_package_that_is_not_installed_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda asked: None if asked == name else known(asked))
    found = choose("local", tmp_path)
    assert isinstance(found, Missing) and f"package {name} is not installed" in found.reason


def test_a_path_may_be_text_and_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = choose("local", tmp_path, path="~/gone.onnx")
    assert isinstance(found, Missing)
    assert str(tmp_path / "gone.onnx") in found.reason or "is not installed" in found.reason


def test_the_providers_are_all_known(tmp_path: Path) -> None:
    for one in embedders.PROVIDERS:
        assert "There is no embedding provider" not in getattr(choose(one, tmp_path), "reason", "")
