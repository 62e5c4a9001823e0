"""What a handoff made by rule says."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.domain import excerpt
from ai_memory.domain.digest import Command, Digest, File, Fix, Prompt, Subagent
from ai_memory.domain.observation import Session
from ai_memory.relay import content

SESSION = Session("s", "claude-code", "n", "w", "p", "2026-11-30T22:00:00.000Z", "/code/app", "main", "m")
NOW, LATER = "2026-11-30T23:00:00.000Z", "2026-12-30T23:00:00.000Z"
EMPTY = Digest("s", "claude-code", "", SESSION.started, "2026-11-30T22:30:00.000Z", 1_800)
FULL = replace(
    EMPTY,
    title="Fix the parser",
    prompts=(Prompt("Fix the parser", ""), Prompt("Now the docs?", "")),
    prompt_count=2,
    files=(File("a.py", edited=2), File("b.py", created=True, edited=1), File("c.py", read=1)),
    file_count=3,
    fixes=(Fix("pytest", "KeyError", ("a.py",)),),
    fix_count=1,
    said="The parser is fixed. Shall I push?",
    question="Shall I push?",
    unfinished=("changelog",),
    broken=Command("make docs", failed=1, outcome="error", error="No rule"),
    calls=7,
    failures=2,
    subagents=(Subagent("explore", 2, 9, 0),),
)


def test_an_empty_session_leaves_no_baton() -> None:
    assert content.baton_from(SESSION, EMPTY, "b", NOW, LATER) is None


def test_a_baton_says_the_goal_what_was_done_and_where_it_stopped() -> None:
    baton = content.baton_from(SESSION, FULL, "b", NOW, LATER)
    assert baton is not None
    assert baton.summary == (
        "Asked first: Fix the parser\n\nAsked last: Now the docs?\n\n"
        "Done: changed a.py, b.py; got 1 failing command to pass, last pytest; 7 tool calls (2 failed) in 30 minutes; "
        "2 subagent runs; last active 2026-11-30 22:30 UTC.\n\n"
        "The agent said last: The parser is fixed. Shall I push?"
    )
    assert baton.questions == ("The agent asked: Shall I push?",)
    assert baton.steps == ("Run again: make docs (it last failed: No rule)", "changelog")
    assert baton.files == ("b.py (created)", "a.py", "c.py (read)")
    assert (baton.agent, baton.session, baton.cwd, baton.branch) == ("claude-code", "s", "/code/app", "main")
    assert (baton.workspace, baton.project, baton.origin, baton.state) == ("w", "p", "session-end", "open")
    assert (baton.created, baton.expires) == (NOW, LATER)


def test_a_prompt_without_an_answer_is_what_to_continue_with() -> None:
    baton = content.baton_from(SESSION, replace(FULL, unanswered=True, question="", broken=None), "b", NOW, LATER)
    assert baton is not None
    assert baton.steps == ("Continue with: Now the docs?", "changelog")
    assert baton.questions == ("The person asked, without an answer: Now the docs?",)


def test_the_prompts_before_the_last_are_told_in_short() -> None:
    prompts = tuple(Prompt(f"step {number} " + "x" * 400, "") for number in range(9))
    baton = content.baton_from(SESSION, replace(FULL, prompts=prompts, prompt_count=9), "b", NOW, LATER)
    assert baton is not None
    told = [part.split(" x")[0] for part in baton.summary.split("\n\n")[:5]]
    assert told == ["Asked first: step 0", "Asked then: step 5", "Asked then: step 6", "Asked then: step 7", "Asked last: step 8"]


texts = st.one_of(st.text(max_size=50), st.sampled_from(["日" * 5_000, "x" * 90_000, "\n" * 500, "\x00\ud800"]))


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, max_size=60), texts, st.booleans())
def test_the_caps_hold_whatever_the_session(parts: list[str], said: str, unanswered: bool) -> None:
    digest = replace(
        FULL,
        prompts=tuple(Prompt(part, "") for part in parts),
        files=tuple(File(part, edited=1) for part in parts),
        file_count=5_000,
        unfinished=tuple(parts),
        said=said,
        question=said,
        broken=Command(said, failed=1, error=said),
        unanswered=unanswered,
    )
    baton = content.baton_from(SESSION, digest, "b", NOW, LATER)
    assert baton is not None and excerpt.size(baton.summary) <= content.SUMMARY
    for items, each, most in (
        (baton.questions, content.ITEM, content.TEXTS),
        (baton.steps, content.ITEM, content.TEXTS),
        (baton.files, content.FILE, content.FILES),
    ):
        assert len(items) <= content.ITEMS and sum(map(excerpt.size, items)) <= most
        assert all(item and "\n" not in item and excerpt.size(item) <= each for item in items)
    assert sum(map(excerpt.size, baton.questions + baton.steps)) <= content.TEXTS


def test_omissions_are_marked() -> None:
    digest = replace(FULL, files=tuple(File(f"f{n}.py", edited=1) for n in range(60)), file_count=90)
    baton = content.baton_from(SESSION, digest, "b", NOW, LATER)
    assert baton is not None and len(baton.files) == content.ITEMS
    assert baton.files[0] == "f59.py" and baton.files[-1] == "… and 71 more"
