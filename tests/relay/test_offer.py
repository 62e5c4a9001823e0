"""What a session is told of a handoff."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.domain import excerpt, fence
from ai_memory.domain.handoff import Baton
from ai_memory.relay import offer

NOW = "2026-11-30T23:06:00.000Z"
BATON = Baton(
    id="01938000-0000-7000-8000-000000000000", workspace="w", project="p", summary="Asked first: fix it\n\nDone: half",
    questions=("Push?",), steps=("Run make", "Write docs"), files=("a.py",), agent="claude-code", session="s",
    branch="main", created="2026-11-30T22:41:00.000Z", expires="2026-12-30T22:41:00.000Z",
)  # fmt: skip


def test_the_offer_says_who_when_where_what_and_that_the_first_prompt_claims_it() -> None:
    text = offer.render(BATON, NOW)
    assert text.startswith(fence.OPEN) and text.endswith(fence.CLOSE) and 'origin="handoff"' in text
    assert (
        "claude-code left this handoff 25 minutes ago (2026-11-30 22:41 UTC) on branch main. It is claimed for this "
        "session at the first prompt; if another session is quicker, you will be told."
    ) in text
    assert (
        "Asked first: fix it\n\nDone: half\n\nOpen questions:\n- Push?\n\nNext steps:\n- Run make\n- Write docs\n\n"
        "Files touched:\n- a.py\n\nHandoff id: 01938000-0000-7000-8000-000000000000\n" in text
    )
    assert fence.strip(text) == ""


def test_one_made_on_purpose_and_one_held_already_are_told_as_such() -> None:
    text = offer.render(replace(BATON, origin="agent", claimed_by="me", claimed_at=NOW), NOW)
    assert "claude-code wrote this handoff" in text
    assert "This session holds it since 2026-11-30 23:06 UTC: go on from here." in text


texts = st.one_of(st.text(max_size=60), st.sampled_from(["日" * 5_000, "x" * 90_000, fence.CLOSE, fence.OPEN, "🙂" * 900]))


@settings(max_examples=100, deadline=None)
@given(texts, st.lists(texts, max_size=30).map(tuple), texts)
def test_the_offer_is_small_and_cannot_leave_its_fence(summary: str, items: tuple[str, ...], name: str) -> None:
    baton = replace(BATON, summary=summary, questions=items, steps=items, files=items, branch=name, agent=name, id=name)
    for text in (offer.render(baton, NOW), offer.offers_listing([baton] * 30, NOW)):
        text.encode("utf-8")
        assert text.count(fence.OPEN) == 1 and text.count(fence.CLOSE) == 1 and text.endswith(fence.CLOSE)
        assert fence.strip(text) == ""
    assert excerpt.size(offer.render(baton, NOW)) <= offer.BUDGET
    assert "\n" not in offer.notice_taken(baton, name, NOW)


def test_the_session_that_came_second_is_told_in_one_sentence() -> None:
    taken = replace(BATON, state="claimed", claimed_by="x", claimed_at="2026-11-30T23:04:00.000Z")
    assert offer.notice_taken(taken, "codex", NOW) == (
        "The handoff from claude-code that was made 25 minutes ago (2026-11-30 22:41 UTC) went to codex in another "
        "session 2 minutes ago (2026-11-30 23:04 UTC): leave that work to it unless the person says otherwise."
    )
    assert "went to another agent in another session:" in offer.notice_taken(BATON, "", NOW)


def test_the_listing_shows_each_handoff_on_a_line() -> None:
    text = offer.offers_listing([replace(BATON, to_agent="codex", to_branch="dev")] * 22, NOW)
    made = "from claude-code 25 minutes ago (2026-11-30 22:41 UTC) on branch main, for codex, for branch dev"
    assert text.count(f"- {BATON.id}: {made}: ") == 20
    assert "- … and 2 more" in text
    assert "No handoff waits here." in offer.offers_listing([], NOW)
