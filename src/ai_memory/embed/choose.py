"""The embedder that the settings ask for, or why there is none."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ai_memory.embed import call, weights
from ai_memory.embed.embedder import Embedder, Missing
from ai_memory.embed.formats import GOOGLE, OPENAI
from ai_memory.embed.local import Local
from ai_memory.embed.remote import Remote

PROVIDERS = ("local", "openai-compatible", "google", "none")
_USUAL = {"google": "gemini-embedding-001"}
_GOOGLE = "https://generativelanguage.googleapis.com/v1beta"


def choose(
    provider: str, model: str, path: str | Path, url: str, key: str, data: Path, pin: str = ""
) -> Embedder | Missing:
    """The embedder of ``provider``, one of ``PROVIDERS``. Loads no model and asks no server.

    ``path`` and ``pin`` are about local weights (see ``weights.find``), ``url`` and ``key`` about a server; what is not
    set is empty. ``data`` is the data directory. The first look at weights reads all of them, tens of milliseconds.
    """
    if provider == "none":
        return Missing("Vectors are off (embedding.provider is none); search is by text alone.")
    if provider == "local":
        return _local(model, path, data, pin)
    if provider in ("openai-compatible", "google"):
        return _remote(provider, model, url, key)
    return Missing(f"There is no embedding provider {provider[:80]!r}. Use one of {', '.join(PROVIDERS)}.")


def _local(model: str, path: str | Path, data: Path, pin: str) -> Embedder | Missing:
    if model not in ("", weights.MODEL):
        return Missing(f"The local model is {weights.MODEL}, not {model[:80]!r}. Leave embedding.model empty.")
    for name in ("numpy", "onnxruntime"):
        if importlib.util.find_spec(name) is None:
            return Missing(f"The Python package {name} is not installed, so there are no vectors. Install it.")
    found = weights.find(Path(path).expanduser() if str(path) else None, data, pin)
    return found if isinstance(found, Missing) else Local(found)


def _remote(provider: str, model: str, url: str, key: str) -> Embedder | Missing:
    if importlib.util.find_spec("numpy") is None:
        return Missing("The Python package numpy is not installed, so there are no vectors. Install it.")
    key = key.strip()
    model = model or _USUAL.get(provider, "")
    if not model:
        return Missing(f"embedding.model is empty: name the model that the {provider} server shall use.")
    if not url and provider == "openai-compatible":
        return Missing("embedding.url is empty: name the address of the server, as http://localhost:11434/v1.")
    if not key.isascii() or not key.isprintable():
        return Missing("embedding.key holds characters that a header cannot carry.")
    if provider == "google" and not key:
        return Missing("embedding.key is empty: Google wants one.")
    try:
        where = call.address(url or _GOOGLE)
    except ValueError as error:
        return Missing(str(error))
    return Remote(provider, model, where, GOOGLE if provider == "google" else OPENAI, key)
