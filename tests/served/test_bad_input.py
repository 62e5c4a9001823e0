"""Whatever is sent gets a clear answer, and nothing stored is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Served

BROKEN = [
    b"", b"{", b"[1,", b"\xff\xfe", b'{"a":' + b"[" * 100_000, b"nul", b'{"session_id":"a",}', b"\x00", b'"text"', b"[]", b"3", b"null",
]  # fmt: skip


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("path", ["/hook?event=stop&agent=codex", "/handoff", "/handoff/claim", "/api/v1/sessions/finalize"])
def test_a_body_that_is_no_object_is_refused_with_a_sentence(server: Served, path: str, body: bytes) -> None:
    status, _, answer = server.raw("POST", path, body)
    assert status == 400
    assert json.loads(answer)["error"]["message"].endswith(".")


@pytest.mark.parametrize("body", BROKEN[:9], ids=range(9))
def test_a_batch_that_is_no_list_is_refused(server: Served, body: bytes) -> None:
    assert server.raw("POST", "/hook/batch", body)[0] == 400


def test_a_batch_keeps_the_good_and_names_the_bad(server: Served, here: Path) -> None:
    facts = {"cwd": str(here), "machine": "machine1", "root": str(here), "home": str(server.home)}
    url = "/hook?event=user-prompt&agent=codex&ingest_key="
    good = {"url": url + "b1", "body": {"session_id": "batch", "prompt": "A good one"}, "facts": facts}
    bad: list[Any] = [None, 3, {}, {"url": 5}, {"url": "/hook"}, {"url": url, "body": []}, {"url": url, "body": {}}]
    status, answer = server.ask("POST", "/hook/batch", [good, *bad, good])
    assert status == 200
    outcomes = [result["outcome"] for result in answer["results"]]
    assert outcomes == ["stored", *["dropped_invalid"] * len(bad), "replayed"]


def test_a_batch_over_its_size_is_refused(server: Served) -> None:
    status, answer = server.ask("POST", "/hook/batch", [{}] * 257)
    assert (status, "256" in answer["error"]["message"]) == (400, True)


@pytest.mark.parametrize("value", [None, 1, [], {}, True, "x" * 100_000, "\ud800", "\x00", "a\nb", "../../x"])
@pytest.mark.parametrize("name", ["session_id", "prompt", "cwd", "transcript_path"])
def test_a_strange_field_never_fails_the_server(server: Served, here: Path, name: str, value: Any) -> None:
    payload = {"session_id": "strange", "prompt": "words", "cwd": str(here)} | {name: value}
    status, answer = server.ask("POST", "/hook?event=user-prompt&agent=codex", payload, here)
    assert status == 202
    assert answer["outcome"] in ("stored", "replayed", "dropped_invalid", "dropped_empty", "dropped_policy")


@pytest.mark.parametrize("event", ["nonsense", "x" * 10_000, "../..", "%00", "SESSION_START"])
def test_an_unknown_event_is_no_error(server: Served, here: Path, event: str) -> None:
    assert server.ask("POST", f"/hook?event={event}&agent=codex", {"session_id": "u"}, here)[0] == 202


@pytest.mark.parametrize("agent", ["A B", "../x", "x" * 100, "%00", "-x"])
def test_an_agent_that_is_no_name_is_refused(server: Served, here: Path, agent: str) -> None:
    from urllib.parse import quote

    status, answer = server.ask("POST", f"/hook?event=stop&agent={quote(agent)}", {"session_id": "u"}, here)
    assert (status, answer["outcome"]) == (202, "dropped_invalid")


@pytest.mark.parametrize("header", ["!!!", "e30", "bm90IGpzb24", "W10", "A" * 70_000])
def test_a_broken_facts_header_is_refused_or_empty(server: Served, header: str) -> None:
    status, _, _ = server.raw("GET", "/api/v1/status", X_AI_Memory_Facts=header)
    assert status in (200, 400, 431)


@pytest.mark.parametrize("at", ["", "tomorrow", "2026-01-01", "9999-12-31T23:59:59Z", "1200-01-01T00:00:00Z", "2020-05-01T12:00:00+02:00"])
def test_a_strange_time_is_now_and_a_good_one_is_honoured(server: Served, here: Path, at: str) -> None:
    from urllib.parse import quote

    session = f"time-{at}"
    _, answer = server.ask("POST", f"/hook?event=user-prompt&agent=codex&occurred_at={quote(at)}", {"session_id": session, "prompt": "When?"}, here)
    assert answer["outcome"] == "stored"
    rows = server.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]
    started = next(row["started"] for row in rows if row["native"] == session)
    assert started.startswith("2020-05-01T10:00") if at.startswith("2020") else not started.startswith(("9999", "1200"))


@pytest.mark.parametrize("query", ['"', "AND OR", "NEAR(", "*", "a/b", "C++", "\x00", "", "x" * 10_000, "(((", "a:b", "-", "日本"])
def test_a_hostile_query_is_never_an_error(server: Served, here: Path, query: str) -> None:
    status, answer = server.ask("POST", "/api/v1/search", {"q": query}, here)
    assert status == 200, answer
