"""The bundled recording can be replayed anywhere and tells a whole story."""

from __future__ import annotations

import json

from ai_memory.demo import recording


def test_every_line_is_placed_in_the_given_directories() -> None:
    session = recording.read("/w/shop", "/home/ann")
    text = json.dumps([r.payload for r in session])
    assert "{cwd}" not in text and "{home}" not in text
    assert all(r.payload["cwd"] == "/w/shop" for r in session)


def test_it_begins_works_fails_mends_and_stops_unfinished() -> None:
    events = [r.event for r in recording.read("/w/shop", "/home/ann")]
    assert events[0] == "session-start" and events[-1] == "session-end"
    assert events.count("user-prompt-submit") == 3 and events.count("stop") == 2
    assert events.count("post-tool-use-failure") == 2 and events.count("post-tool-use") >= 8


def test_time_goes_forward() -> None:
    offsets = [r.offset for r in recording.read("/w/shop", "/home/ann")]
    assert offsets == sorted(offsets)
