"""Questions put to a server over the API, and its hits as keys of the set."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.process import Server
from bench.recall import feed
from bench.recall.values import Answer, Corpus, Question, Run

USUAL = 10  # hits a reader asks for
WIDEST = 100


@dataclass(frozen=True)
class Known:
    """The keys of one project's sessions, by their ids in the store, and of its pages, by path."""

    sessions: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)


def known(server: Server, corpus: Corpus) -> dict[str, Known]:
    """For every project what its hits stand for. The page of a session stands for the session."""
    keys = {native: key for key, native in feed.natives(corpus).items()}
    found: dict[str, Known] = {}
    for project in corpus.projects:
        one = Known(pages={page.path: page.key for page in corpus.pages if page.project == project})
        for row in feed.sessions(server, project):
            one.sessions[row["id"]] = keys[row["native"]]
            if row["page"]:
                one.pages.setdefault(row["page"], keys[row["native"]])
        found[project] = one
    return found


def run(server: Server, corpus: Corpus, arm: str) -> Run:
    """All questions of ``corpus``, one after the other."""
    names = known(server, corpus)
    before = server.cpu()
    answers = tuple(_asked(server, question, names[question.project]) for question in corpus.questions)
    return Run(arm, answers, notes={"cpu": (server.cpu() - before) * 1000 / max(1, len(answers))})


def _asked(server: Server, question: Question, names: Known) -> Answer:
    began = time.perf_counter()
    hits = search(server, question, USUAL)
    took = (time.perf_counter() - began) * 1000
    order, strangers = _order(hits, names)
    size = len(json.dumps([_shown(hit) for hit in hits[:5]], ensure_ascii=False))
    if len(order) < USUAL and len(hits) == USUAL:
        order, strangers = _order(search(server, question, WIDEST), names)
    return Answer(tuple(order), took, size, strangers)


def search(server: Server, question: Question, limit: int) -> list[dict[str, Any]]:
    body: dict[str, Any] = {"q": question.text, "limit": limit}
    if question.at is not None:
        body["as_of"] = question.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    found: list[dict[str, Any]] = server.send("POST", "/api/v1/search", body, feed.header(question.project))["hits"]
    return found


def _order(hits: list[dict[str, Any]], names: Known) -> tuple[list[str], int]:
    """Keys in the order of their first hit, and how many hits are of none."""
    keys = [names.sessions.get(hit["session"]) or names.pages.get(hit["path"]) for hit in hits]
    return list(dict.fromkeys(key for key in keys if key)), sum(key is None for key in keys)


def _shown(hit: Mapping[str, Any]) -> list[Any]:
    """What a reader gets of a hit."""
    return [hit[name] for name in ("path", "session", "title", "kind", "at", "snippet") if hit.get(name)]
