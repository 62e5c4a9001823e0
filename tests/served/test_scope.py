"""One project never shows in another; nothing is guessed."""

from __future__ import annotations

import uuid
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import Served


def test_two_projects_of_one_name_never_meet(server: Served) -> None:
    a = server.checkout("twin", "https://github.com/acme/api.git")
    b = server.checkout("twin", "https://gitlab.com/acme/api.git")
    for place, word in ((a, "albatross"), (b, "bittern")):
        server.session(place, f"s-{word}", f"Please count every {word}.")
        server.ask("PUT", "/api/v1/pages/decisions/bird.md", {"body": f"# Bird\n\nThe {word} it is.\n"}, place)
    server.settled()
    for place, own, other in ((a, "albatross", "bittern"), (b, "bittern", "albatross")):
        for path in ("/api/v1/search?q=bird+albatross+bittern", "/api/v1/recent", "/api/v1/briefing", "/api/v1/sessions", "/api/v1/handoffs"):
            text = str(server.ask("GET", path, at=place)[1])
            assert other not in text, path
        assert own in str(server.ask("GET", "/api/v1/search?q=bird", at=place)[1])
        assert own in server.ask("GET", "/api/v1/pages/decisions/bird.md", at=place)[1]["body"]
        assert other not in server.start(place, "codex", f"x-{own}")["text"]


def test_the_same_remote_is_one_project_wherever_it_lies(server: Served) -> None:
    a = server.checkout("laptop", "git@github.com:acme/shared.git")
    b = server.checkout("desktop", "https://user:secret@github.com/Acme/shared")
    server.ask("PUT", "/api/v1/pages/a.md", {"body": "# Shared\n"}, a)
    assert server.ask("GET", "/api/v1/pages/a.md", at=b)[0] == 200


def test_reading_never_makes_a_project(server: Served, here: Path) -> None:
    before = server.ask("GET", "/api/v1/projects")[1]["projects"]
    for path in ("/api/v1/status", "/api/v1/search?q=x", "/api/v1/recent", "/api/v1/briefing", "/api/v1/sessions", "/api/v1/handoffs"):
        answer = server.ask("GET", path, at=here)[1]
        assert answer["scope"]["exists"] is False, path
        assert answer["scope"]["resolved_by"] == "directory"
    server.start(here, "codex", "reader")
    assert server.ask("GET", "/api/v1/projects")[1]["projects"] == before


def test_the_home_directory_is_no_project(server: Served) -> None:
    assert server.event(server.home, "user-prompt", "at-home", prompt="Hello") == "dropped_policy"
    status, answer = server.ask("PUT", "/api/v1/pages/a.md", {"body": "# A\n"}, server.home)
    assert (status, answer["error"]["code"]) == (400, "scope_required")


def test_a_marker_from_a_checkout_names_another_project_only_with_consent(server: Served, here: Path) -> None:
    server.ask("PUT", "/api/v1/pages/secret.md", {"body": "# Secret plans\n"}, here)
    name = server.ask("GET", "/api/v1/status", at=here)[1]["scope"]["project"]
    hostile = server.checkout("hostile")
    (hostile / ".ai-memory.toml").write_text(f'project = "{name}"\n', encoding="utf-8")
    answer = server.ask("GET", "/api/v1/status", at=hostile)[1]["scope"]
    assert answer["project"] != name and "trust-marker" in answer["note"]
    assert server.ask("GET", "/api/v1/pages/secret.md", at=hostile)[0] == 404
    assert server.ask("GET", "/api/v1/search?q=plans", at=hostile)[1]["hits"] == []
    server.event(hostile, "user-prompt", "h1", prompt="Poison the plans")
    assert server.ask("POST", "/api/v1/trust", {}, hostile)[0] == 200
    assert server.ask("GET", "/api/v1/pages/secret.md", at=hostile)[0] == 200


def test_a_session_stays_in_its_project_wherever_it_goes(server: Served, here: Path) -> None:
    elsewhere = server.checkout("elsewhere")
    server.event(here, "user-prompt", "wanderer", prompt="Start here")
    server.event(elsewhere, "user-prompt", "wanderer", prompt="Go there")
    rows = server.ask("GET", "/api/v1/sessions", at=here)[1]["sessions"]
    assert [row["lines"] for row in rows if row["native"] == "wanderer"] == [2]
    assert server.ask("GET", "/api/v1/sessions", at=elsewhere)[1]["sessions"] == []


def test_the_same_key_is_stored_once_a_session(server: Served, here: Path) -> None:
    first = [server.event(here, "user-prompt", "k1", key="same", prompt="Once") for _ in range(3)]
    assert first == ["stored", "replayed", "replayed"]
    assert server.event(here, "user-prompt", "k2", key="same", prompt="Once") == "stored"


_NAMES = ("api", "web")
_HOSTS = ("github.com", "gitlab.com")
_WORDS = ("albatross", "bittern", "curlew", "dunlin", "egret", "falcon", "godwit", "hobby")


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(_HOSTS), st.sampled_from(_NAMES), st.sampled_from(_WORDS)), min_size=2, max_size=6))
def test_what_a_place_tells_is_its_own_and_all_of_it(server: Served, steps: list[tuple[str, str, str]]) -> None:
    """Whatever is written where: every way of reading gives what was written there, and nothing else."""
    run = uuid.uuid4().hex[:8]
    places = {(host, name): server.checkout(name, f"https://{host}/{run}/{name}.git") for host, name, _ in steps}
    own: dict[tuple[str, str], set[str]] = {key: set() for key in places}
    for number, (host, name, word) in enumerate(steps):
        at = places[host, name]
        own[host, name].add(word)
        assert server.event(at, "user-prompt", f"{run}-{host}-{name}", prompt=f"Count the {word}.") == "stored"
        assert server.ask("PUT", f"/api/v1/pages/notes/{word}.md", {"body": f"# The {word}\n\nRound {number}.\n"}, at)[0] == 200
        assert server.ask("POST", "/api/v1/handoffs", {"summary": f"Go on with the {word}."}, at)[0] == 200
    server.settled()
    for key, at in places.items():
        found = "".join(str(server.ask("GET", f"/api/v1/search?limit=100&q={word}", at=at)[1]) for word in _WORDS)
        assert {word for word in _WORDS if word in found} == own[key]
        for path in ("recent?limit=100", "briefing?limit=100", "handoffs?state=all"):
            text = str(server.ask("GET", f"/api/v1/{path}", at=at)[1])
            assert {word for word in _WORDS if word in text} == own[key], path
        for word in _WORDS:
            assert server.ask("GET", f"/api/v1/pages/notes/{word}.md", at=at)[0] == (200 if word in own[key] else 404)
        told = server.start(at, "codex", f"{run}-{key}")["text"]
        assert {word for word in _WORDS if word in told} <= own[key]


def test_a_handoff_of_another_project_is_neither_taken_nor_withdrawn(server: Served, here: Path) -> None:
    other = server.checkout("other")
    server.event(other, "user-prompt", "o", prompt="Elsewhere")
    id = server.ask("POST", "/api/v1/handoffs", {"summary": "For here"}, here)[1]["handoff"]["id"]
    for verb in ("accept", "cancel"):
        assert server.ask("POST", f"/api/v1/handoffs/{id}/{verb}", {}, other)[0] == 404
    assert server.ask("POST", f"/api/v1/handoffs/{id}/accept", {}, here)[1]["state"] == "claimed"
    assert server.ask("POST", f"/api/v1/handoffs/{id}/accept", {}, here)[0] == 409
