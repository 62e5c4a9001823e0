"""The baton: offered, claimed once, returned, cancelled, aimed."""

from __future__ import annotations

from pathlib import Path

from .conftest import Served


def claim(server: Served, agent: str, session: str) -> dict:
    return dict(server.ask("POST", "/handoff/claim", {"agent": agent, "session": session})[1])


def states(server: Served, at: Path) -> list[str]:
    return [b["state"] for b in server.ask("GET", "/api/v1/handoffs?state=all", at=at)[1]["handoffs"]]


def test_a_session_that_ends_is_written_up_and_offered_once(server: Served, here: Path) -> None:
    server.session(here, "one", "Please mend the heron feeder.", "The valve is mended; the lid is open.")
    told = server.start(here, "codex", "two")
    assert "heron feeder" in told["text"] and "the lid is open" in told["text"]
    assert told["text"].startswith("<ai-memory-context")
    assert claim(server, "codex", "two")["state"] == "claimed"
    assert claim(server, "codex", "two")["state"] == "claimed"
    assert server.start(here, "codex", "three")["text"] == ""
    rows = server.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]
    page = next(row["page"] for row in rows if row["native"] == "one")
    assert "heron feeder" in server.ask("GET", f"/api/v1/pages/{page}", at=here)[1]["body"]


def test_two_sessions_see_the_offer_and_one_gets_it(server: Served, here: Path) -> None:
    server.session(here, "a", "Count the herons.")
    assert server.start(here, "codex", "left")["offer"] == server.start(here, "claude-code", "right")["offer"] != ""
    assert claim(server, "codex", "left")["state"] == "claimed"
    lost = claim(server, "claude-code", "right")
    assert lost["state"] == "taken"
    assert "went to" in lost["text"]
    assert claim(server, "claude-code", "right")["text"] == "", "told once"


def test_a_session_is_never_offered_its_own(server: Served, here: Path) -> None:
    server.session(here, "own", "Count the herons.")
    assert server.start(here, "claude-code", "own", "resume")["text"] == ""
    assert server.start(here, "claude-code", "fresh", "clear")["text"] == ""
    assert server.start(here, "claude-code", "fresh", "compact")["text"] == ""
    assert server.start(here, "claude-code", "fresh")["text"] != ""


def test_what_was_claimed_and_not_used_goes_back(server: Served, here: Path) -> None:
    server.session(here, "giver", "Count the herons.")
    server.event(here, "session-start", "idle", agent="codex", source="startup")
    server.start(here, "codex", "idle")
    server.event(here, "user-prompt", "idle", agent="codex", prompt="go on")
    claim(server, "codex", "idle")
    server.event(here, "session-end", "idle", agent="codex", reason="exit")
    server.settled()
    told = server.start(here, "claude-code", "next")
    assert "herons" in told["text"]


def test_the_prompt_itself_claims_if_the_hook_could_not(server: Served, here: Path) -> None:
    server.session(here, "generous", "Count the herons.")
    server.event(here, "session-start", "slow", agent="codex", source="startup")
    server.start(here, "codex", "slow")
    server.event(here, "user-prompt", "slow", agent="codex", prompt="go on")
    server.settled()
    assert states(server, here)[0] == "claimed"


def test_a_handoff_made_on_purpose_comes_first_and_can_be_aimed(server: Served, here: Path) -> None:
    server.session(here, "rule", "Count the herons.")
    for said in ({"summary": "Only for codex", "to_agent": "codex"}, {"summary": "On another branch", "to_branch": "other"}):
        assert server.ask("POST", "/api/v1/handoffs", said, here)[0] == 200
    assert "Count the herons" in server.start(here, "claude-code", "x")["text"]
    assert "Only for codex" in server.start(here, "codex", "y")["text"]


def test_a_handoff_is_taken_or_withdrawn_once(server: Served, here: Path) -> None:
    made = server.ask("POST", "/api/v1/handoffs", {"summary": "Take me"}, here)[1]["handoff"]["id"]
    head = {"X_AI_Memory_Agent": "codex", "X_AI_Memory_Session": "taker"}
    assert server.ask("POST", f"/api/v1/handoffs/{made}/accept", {}, here, **head)[1]["state"] == "claimed"
    other = {"X_AI_Memory_Agent": "codex", "X_AI_Memory_Session": "late"}
    assert server.ask("POST", f"/api/v1/handoffs/{made}/accept", {}, here, **other)[0] == 409
    assert server.ask("POST", f"/api/v1/handoffs/{made}/cancel", {}, here)[0] == 409
    assert server.ask("POST", "/api/v1/handoffs/none/accept", {}, here)[0] == 404


def test_a_handoff_of_another_project_cannot_be_touched(server: Served, here: Path) -> None:
    made = server.ask("POST", "/api/v1/handoffs", {"summary": "Mine"}, here)[1]["handoff"]["id"]
    elsewhere = server.checkout("elsewhere")
    server.session(elsewhere, "e", "Something else.")
    for verb in ("accept", "cancel"):
        assert server.ask("POST", f"/api/v1/handoffs/{made}/{verb}", {}, elsewhere)[0] == 404
    assert states(server, here) == ["open"]


def test_a_session_with_nothing_in_it_leaves_nothing(server: Served, here: Path) -> None:
    server.event(here, "session-start", "empty", source="startup")
    server.event(here, "session-end", "empty", reason="exit")
    server.settled()
    rows = server.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]
    assert [(row["page"], bool(row["ended"])) for row in rows] == [("", True)]
    assert states(server, here) == []


def test_a_resumed_session_is_written_up_again(server: Served, here: Path) -> None:
    server.session(here, "again", "Count the herons.")
    server.settled()
    server.event(here, "user-prompt", "again", prompt="Now the egrets, please.")
    server.event(here, "session-end", "again", reason="exit")
    server.settled()
    row = server.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"][0]
    body = server.ask("GET", f"/api/v1/pages/{row['page']}", at=here)[1]["body"]
    assert "herons" in body and "egrets" in body
    assert states(server, here).count("open") == 1


def test_the_loser_is_told_even_if_its_prompt_was_taken_in_first(server: Served, here: Path) -> None:
    server.session(here, "donor", "Count the herons.")
    server.event(here, "session-start", "winner", agent="codex", source="startup")
    server.event(here, "session-start", "loser", agent="codex", source="startup")
    server.start(here, "codex", "winner")
    server.start(here, "codex", "loser")
    assert claim(server, "codex", "winner")["state"] == "claimed"
    server.event(here, "user-prompt", "loser", agent="codex", prompt="go on")
    server.settled()
    lost = claim(server, "codex", "loser")
    assert lost["state"] == "taken" and "went to" in lost["text"]
