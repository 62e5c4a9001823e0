"""A value of the wrong type is refused with a sentence; no list is longer than its caller may ask for."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ai_memory.client import facts as facts_of

from .conftest import Served
from .test_mcp import call

NO_TEXT: list[Any] = [1, [], {}, True, ["x"]]
NO_LIST: list[Any] = [1, {}, True, "x", [1], [None], [["x"]]]
NO_FLAG: list[Any] = [1, "true", [], {}]
PAGE = [
    *(("PUT", "/api/v1/pages/a.md", {"body": "# A\n"}, name, value) for name in ("title", "description", "kind", "expected_version") for value in NO_TEXT),
    *(("PUT", "/api/v1/pages/a.md", {"body": "# A\n"}, "tags", value) for value in NO_LIST),
    *(("PUT", "/api/v1/pages/a.md", {"body": "# A\n"}, name, value) for name in ("pinned", "create_only") for value in NO_FLAG),
    *(("PUT", "/api/v1/pages/a.md", {"body": "# A\n"}, "meta", value) for value in (1, [], True, "x", {"x": 1e400})),
]  # fmt: skip
OTHERS = [
    *(("POST", "/api/v1/handoffs", {"summary": "S"}, name, value) for name in ("summary", "to_agent", "to_branch", "to_worktree") for value in NO_TEXT),
    *(("POST", "/api/v1/handoffs", {"summary": "S"}, name, value) for name in ("questions", "steps", "files") for value in NO_LIST),
    *(("POST", "/api/v1/handoffs", {"summary": "S"}, name, "x" * 5000) for name in ("to_agent", "to_branch", "to_worktree")),
    *(("POST", "/api/v1/sessions/finalize", {}, name, value) for name in ("session", "agent") for value in NO_TEXT),
    ("POST", "/api/v1/sessions/finalize", {}, "session", "x" * 100_000),
    *(("POST", "/api/v1/search", {"q": "x"}, "q", value) for value in NO_TEXT),
    *(("POST", "/api/v1/search", {"q": "x"}, "limit", value) for value in (-1, 0, 101, 10**30, True, 1.5, 1e400, [], {}, "x", "1e3")),
]  # fmt: skip


@pytest.fixture(scope="module")
def used(server: Served) -> Path:
    """A checkout whose project exists, so that nothing is refused for its absence."""
    place = server.checkout("used")
    server.session(place, "used-1", "Count the herons.")
    return place


@pytest.mark.parametrize(("method", "path", "body", "name", "value"), PAGE + OTHERS)
def test_a_value_of_the_wrong_type_is_refused(server: Served, used: Path, method: str, path: str, body: dict, name: str, value: Any) -> None:
    text = json.dumps(body | {name: value}).replace("Infinity", "1e400").encode()
    status, _, answer = server.raw(method, path, text, X_AI_Memory_Facts=facts_of.header(server.facts(used)))
    assert status == 400, answer
    assert json.loads(answer)["error"]["message"].endswith(".")


@pytest.mark.parametrize("limit", ["-1", "0", "501", "99999999999999999999999999", "nan", "1e3", "%00", ""])
@pytest.mark.parametrize("path", ["search?q=x&", "recent?", "sessions?", "handoffs?", "handoffs?state=all&"])
def test_a_limit_out_of_bounds_is_refused(server: Served, used: Path, path: str, limit: str) -> None:
    status, answer = server.ask("GET", f"/api/v1/{path}limit={limit}", at=used)
    assert (status, answer["error"]["code"]) == (400, "invalid")


@pytest.mark.parametrize("tool", ["memory_recent", "memory_briefing", "memory_handoff_list", "memory_query"])
@pytest.mark.parametrize("limit", [-1, 0, 10**30, True, 1.5])
def test_a_tool_refuses_a_limit_out_of_bounds(server: Served, used: Path, tool: str, limit: Any) -> None:
    text, failed = call(server, tool, used, limit=limit, **({"query": "x"} if tool == "memory_query" else {}))
    assert failed and "limit" in text


@pytest.mark.parametrize("name", ["%", "_", "\\", "%%", "used-_"])
def test_a_session_is_named_by_its_letters_not_by_a_pattern(server: Served, used: Path, name: str) -> None:
    assert server.ask("POST", "/api/v1/sessions/finalize", {"session": name}, used)[0] == 404
    assert server.ask("POST", "/api/v1/sessions/finalize", {"session": "used-1"}, used)[0] == 200


def test_every_answer_about_a_project_names_it_and_says_why(server: Served, used: Path) -> None:
    made = server.ask("POST", "/api/v1/handoffs", {"summary": "S"}, used)[1]
    id = made["handoff"]["id"]
    other = server.ask("POST", "/api/v1/handoffs", {"summary": "T"}, used)[1]["handoff"]["id"]
    answers = [
        made,
        server.ask("POST", f"/api/v1/handoffs/{id}/accept", {}, used)[1],
        server.ask("POST", f"/api/v1/handoffs/{other}/cancel", {}, used)[1],
        server.ask("PUT", "/api/v1/pages/s.md", {"body": "# S\n"}, used)[1],
        server.ask("POST", "/api/v1/sessions/finalize", {}, used)[1],
        server.ask("DELETE", "/api/v1/pages/s.md", at=used)[1],
        *(server.ask("GET", f"/api/v1/{path}", at=used)[1] for path in ("status", "search?q=x", "recent", "briefing", "handoffs", "sessions")),
    ]
    name = answers[3]["scope"]["project"]
    assert [answer["scope"] for answer in answers] == [{"workspace": "default", "project": name, "exists": True, "resolved_by": "directory"}] * len(answers)
    said = f"default/{name} (by directory)"
    for tool, arguments in (
        ("memory_query", {"query": "herons"}), ("memory_query", {"query": "nothing-like-it"}), ("memory_recent", {}),
        ("memory_write_page", {"path": "t.md", "body": "# T\n"}), ("memory_read_page", {"path": "t.md"}),
        ("memory_handoff_begin", {"summary": "S"}), ("memory_handoff_list", {}), ("memory_handoff_accept", {}),
    ):  # fmt: skip
        assert said in call(server, tool, used, **arguments)[0], tool


def test_an_old_event_that_comes_twice_is_stored_once_for_thirty_days(server: Served, used: Path) -> None:
    import sqlite3

    url = "/hook?event=user-prompt&agent=codex&ingest_key=old-1&occurred_at=2020-01-01T00:00:00Z"
    assert server.ask("POST", url, {"session_id": "old", "prompt": "Long ago"}, used)[1]["outcome"] == "stored"
    db = sqlite3.connect(f"file:{server.data / 'ledger.db'}?mode=ro", uri=True)
    try:
        at = db.execute("SELECT at FROM key WHERE key = 'old-1'").fetchone()[0]
    finally:
        db.close()
    assert at[:4] == time.strftime("%Y", time.gmtime()), "a key is forgotten by when it came, not by when its event happened"
