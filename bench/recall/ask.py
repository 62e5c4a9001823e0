"""Questions put to a server over the API, and its hits as keys of the set."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from bench.process import Server
from bench.recall import feed
from bench.recall.values import Answer, Corpus, Question, Run

USUAL = 10  # hits a reader asks for
WIDEST = 100
_SIZED = 5  # of so many questions one is asked as an agent does, for the size of the answer


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
    answers = [_asked(server, question, names[question.project]) for question in corpus.questions]
    cpu = (server.cpu() - before) * 1000 / max(1, len(answers))
    for at in range(0, len(answers), _SIZED):
        answers[at] = replace(answers[at], size=len(reply(server, corpus.questions[at])))
    return Run(arm, tuple(answers), notes={"cpu": cpu})


def _asked(server: Server, question: Question, names: Known) -> Answer:
    began = time.perf_counter()
    hits = search(server, question, USUAL)
    took = (time.perf_counter() - began) * 1000
    order, strangers = _order(hits, names)
    if len(order) < USUAL and len(hits) == USUAL:
        order, strangers = _order(search(server, question, WIDEST), names)
    return Answer(tuple(order), took, strangers=strangers)


def search(server: Server, question: Question, limit: int) -> list[dict[str, Any]]:
    body: dict[str, Any] = {"q": question.text, "limit": limit}
    if question.at is not None:
        body["as_of"] = question.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    found: list[dict[str, Any]] = server.send("POST", "/api/v1/search", body, feed.header(question.project))["hits"]
    return found


def reply(server: Server, question: Question) -> str:
    """What an agent reads that calls ``memory_query`` with nothing but the question."""
    call = {"name": "memory_query", "arguments": {"query": question.text}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = feed.header(question.project) | {"Accept": "application/json, text/event-stream"}
    said: str = server.send("POST", "/mcp", body, headers)["result"]["content"][0]["text"]
    return said


def _order(hits: list[dict[str, Any]], names: Known) -> tuple[list[str], int]:
    """Keys in the order of their first hit, and how many hits are of none."""
    keys = [names.sessions.get(hit["session"]) or names.pages.get(hit["path"]) for hit in hits]
    return list(dict.fromkeys(key for key in keys if key)), sum(key is None for key in keys)
