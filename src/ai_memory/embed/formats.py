"""What servers of models want to be asked and how they answer: OpenAI's form and Google's. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

import msgspec

T = TypeVar("T")

# The words that models want before a text, by a part of their name: (before a question, before a passage).
PREFIXES = (
    ("nomic-embed", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("e5-", "query: ", "passage: "),
)


@dataclass(frozen=True, slots=True)
class Format:
    """``path`` (base path, model) → path; ``headers`` of a key; ``request`` (model, texts, query) → body.

    ``rows`` (body) → the vectors in the order of the texts; raises ValueError if that cannot be told.
    """

    path: Callable[[str, str], str]
    headers: Callable[[str], Mapping[str, str]]
    request: Callable[[str, Sequence[str], bool], bytes]
    rows: Callable[[bytes], list[list[float]]]


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _OpenAI(msgspec.Struct):
    data: list[_Row]


class _Values(msgspec.Struct):
    values: list[float]


class _Google(msgspec.Struct):
    embeddings: list[_Values]


def _openai_path(base: str, model: str) -> str:
    if base.endswith("/embeddings"):
        return base
    return f"{base or '/v1'}/embeddings"


def _openai_request(model: str, texts: Sequence[str], query: bool) -> bytes:
    body: dict[str, object] = {"model": model, "input": [_prefixed(model, text, query) for text in texts]}
    if model.startswith("voyage"):
        body["input_type"] = "query" if query else "document"
    return json.dumps(body).encode()


def _prefixed(model: str, text: str, query: bool) -> str:
    for part, question, passage in PREFIXES:
        if part in model.lower():
            return (question if query else passage) + text
    return text


def _openai_rows(body: bytes) -> list[list[float]]:
    rows = _decoded(body, _OpenAI).data
    order = [row.index for row in rows]
    if all(index is None for index in order):
        return [row.embedding for row in rows]
    placed = {row.index: row.embedding for row in rows}
    if set(placed) != set(range(len(rows))):
        raise ValueError("the vectors are not numbered from 0 on")
    return [placed[index] for index in range(len(rows))]


def _google_request(model: str, texts: Sequence[str], query: bool) -> bytes:
    task = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
    name = f"models/{model.removeprefix('models/')}"
    requests = [{"model": name, "content": {"parts": [{"text": text}]}, "taskType": task} for text in texts]
    return json.dumps({"requests": requests}).encode()


def _decoded(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise ValueError("it is not the JSON that was expected") from None


OPENAI = Format(
    path=_openai_path,
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    request=_openai_request,
    rows=_openai_rows,
)
GOOGLE = Format(
    path=lambda base, model: f"{base}/models/{quote(model.removeprefix('models/'), safe='')}:batchEmbedContents",
    headers=lambda key: {"x-goog-api-key": key},
    request=_google_request,
    rows=lambda body: [row.values for row in _decoded(body, _Google).embeddings],
)
