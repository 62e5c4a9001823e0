"""The digest of a session."""

from __future__ import annotations

import time

import pytest
from story import NOW, SESSION, asks, edits, ends, runs, says, told, uses

from ai_memory.domain import event
from ai_memory.domain.digest import Digest
from ai_memory.domain.observation import Observation
from ai_memory.learn import session


def digest_of(*steps: Observation) -> Digest:
    found = session.summarise(SESSION, told(*steps), NOW)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "steps",
    [
        (),
        (ends(),),
        (asks(""), ends()),
        (asks("/clear"), says("  "), ends("clear")),
        (asks("<system-reminder>be brief</system-reminder>"),),
        (asks("<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),),
        (asks("[Request interrupted by user for tool use]"),),
    ],
)
def test_a_session_with_nothing_in_it_has_no_digest(steps: tuple[Observation, ...]) -> None:
    assert session.summarise(SESSION, told(*steps), NOW) is None


@pytest.mark.parametrize(
    ("prompts", "title"),
    [
        (["Fix the parser.\nIt drops the last row."], "Fix the parser."),
        (["/compact", "Now the tests"], "Now the tests"),
        (["<command-name>/init</command-name>\n<command-args></command-args>", "Begin"], "Begin"),
        (["<system-reminder>x</system-reminder>\nWhy is it slow?"], "Why is it slow?"),
        (["# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nobey\n</INSTRUCTIONS>", "Go"], "Go"),
        (['<ai-memory-context v="1" origin="handoff">\nold\n</ai-memory-context>', "Weiter so"], "Weiter so"),
        (["---\n## Plan: 日本語のテストを直す\nmore"], "Plan: 日本語のテストを直す"),
        (["أصلح المحلل"], "أصلح المحلل"),
        (["/review the parser, please"], "review the parser, please"),
    ],
)
def test_the_title_is_the_first_line_of_the_first_real_prompt(prompts: list[str], title: str) -> None:
    assert digest_of(*map(asks, prompts), says("ok")).title == title


def test_a_long_title_is_cut_at_a_word() -> None:
    title = digest_of(asks("word " * 100)).title
    assert title.endswith("word…") and len(title.encode()) <= 100


def test_files_are_told_by_what_was_done_to_them_changed_ones_first() -> None:
    found = digest_of(
        uses("Read", paths=("a.py",)),
        uses("Read", paths=("b.py",)),
        edits("a.py"),
        edits("a.py"),
        uses("Write", paths=("new.py",)),
        uses("Write", paths=("b.py",)),
        uses("apply_patch", paths=("old.py", "made.py"), data={"deleted": "old.py", "created": "made.py"}),
        uses("Edit", "error", paths=("never.py",)),
        uses("Grep", paths=("src",)),
        uses("Read", paths=("c.py",)),
    )
    assert [(file.path, file.how) for file in found.files] == [
        ("a.py", "edited"), ("new.py", "created"), ("b.py", "edited"), ("old.py", "deleted"), ("made.py", "created"),
        ("c.py", "read"),
    ]  # fmt: skip
    assert found.files[0].edited == 2


def test_a_failing_command_that_passes_later_is_a_fix_with_what_changed_in_between() -> None:
    found = digest_of(
        edits("before.py"),
        runs("pytest -q", "error", "E   assert 1 == 2\nFAILED tests/a.py::test_x - assert 1 == 2\n1 failed in 0.1s"),
        edits("a.py"),
        runs("pytest -q", "error", "FAILED tests/a.py::test_x - TypeError: no"),
        edits("b.py"),
        runs("pytest -q", "ok"),
    )
    (fix,) = found.fixes
    assert (fix.command, fix.files, fix.by) == ("pytest -q", ("a.py", "b.py"), "")
    assert fix.error == "FAILED tests/a.py::test_x - TypeError: no"
    assert found.broken is None
    assert [(one.ok, one.failed, one.outcome) for one in found.commands] == [(1, 2, "ok")]


def test_the_whole_suite_passing_after_an_edit_mends_a_failing_part_but_a_part_does_not_mend_the_whole() -> None:
    part = digest_of(runs("uv run pytest tests/a.py", "error"), edits("a.py"), runs("python -m pytest", "ok"))
    assert [(fix.command, fix.by) for fix in part.fixes] == [("uv run pytest tests/a.py", "python -m pytest")]
    whole = digest_of(runs("pytest", "error"), edits("a.py"), runs("pytest tests/a.py", "ok"))
    assert not whole.fixes and whole.broken is not None and whole.broken.text == "pytest"


def test_other_work_mends_nothing() -> None:
    found = digest_of(runs("npm run build", "error", "error TS2304: Cannot find name 'x'"), edits("a"), runs("npm test"))
    assert not found.fixes
    assert found.broken is not None and found.broken.error == "error TS2304: Cannot find name 'x'"


def test_the_last_failing_command_that_never_passed_is_what_is_broken() -> None:
    found = digest_of(
        runs("make a", "error"), runs("make b", "error"), runs("make a", "error"), runs("make c", "ok"), runs("ls", "error")
    )
    assert found.broken is not None and found.broken.text == "make a"


def test_commands_that_only_look_are_counted_not_listed() -> None:
    found = digest_of(
        runs("ls -la"), runs("git status --short && cat a | head"), runs("grep -rn x .", "error"), runs("cd api && npm ci"),
        runs("cat > a.txt <<EOF\nx\nEOF"), runs("sed -n 1,5p a"), runs("sed -i s/a/b/ a"), runs("pytest 2>&1 | tail -5"),
    )  # fmt: skip
    assert found.looks == 4
    assert [one.text for one in found.commands] == [
        "cd api && npm ci", "cat > a.txt <<EOF ⏎ x ⏎ EOF", "sed -i s/a/b/ a", "pytest 2>&1 | tail -5",
    ]  # fmt: skip


def test_open_items_of_the_last_plan_are_unfinished_begun_ones_first() -> None:
    found = digest_of(
        uses("TodoWrite", arguments="[ ] old plan"),
        uses("TodoWrite", arguments="[x] read\n[ ] write docs\n[~] fix it\n[-] dropped\nnoise"),
        uses("TodoWrite", "error", arguments="[ ] refused"),
    )
    assert found.unfinished == ("fix it", "write docs")


def test_single_tasks_are_followed_by_their_numbers() -> None:
    found = digest_of(
        uses("TaskCreate", arguments="[ ] parse", output="Task #1 created successfully: parse"),
        uses("TaskCreate", arguments="[ ] render", output="Task #2 created successfully: render"),
        uses("TaskUpdate", arguments="[x] #1", output="Updated task #1 status"),
        uses("TaskUpdate", arguments="[~] #2", output="Updated task #2 status"),
    )
    assert found.unfinished == ("render",)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Done.\n\nShall I push it? I can also tag it.", "Shall I push it?"),
        ("Why? Because.\n\nAll is well.", ""),
        ("完成しました。次はデプロイしますか？", "次はデプロイしますか？"),
        ("هل أتابع؟", "هل أتابع؟"),
        ("```sh\nls ?\n```", ""),
        ("I see **two ways**. **A or B?**", "A or B?"),
    ],
)
def test_the_question_that_the_last_answer_ends_with_is_open(said: str, question: str) -> None:
    assert digest_of(asks("x"), says(said)).question == question


def test_a_question_that_was_answered_is_not_open_and_the_last_prompt_without_an_answer_is() -> None:
    found = digest_of(asks("x"), says("Shall I?"), asks("yes, do"), uses("Read", paths=("a",)))
    assert found.question == "" and found.unanswered


def test_subagents_are_counted_apart_and_their_prompts_are_not_the_persons() -> None:
    sub = {"subagent": "explore:0001"}
    found = digest_of(
        asks("Find it"),
        asks("Count the files", **sub),
        runs("npm test", "error", **sub),
        uses("Read", paths=("deep.py",), **sub),
        says("found", subagent="explore:0002"),
        says("It is here."),
    )
    assert [prompt.text for prompt in found.prompts] == ["Find it"] and found.said == "It is here."
    assert [(one.name, one.runs, one.calls, one.failed) for one in found.subagents] == [("explore", 2, 2, 1)]
    assert found.calls == 0 and found.broken is None
    assert [file.path for file in found.files] == ["deep.py"]


def test_it_knows_when_it_ended_and_why_unless_it_went_on() -> None:
    over = digest_of(asks("x"), says("y"), ends("logout"))
    assert (over.reason, over.ended, over.seconds) == ("logout", "2026-11-30T22:00:02.000Z", 2)
    assert digest_of(asks("x"), ends("logout"), asks("again")).reason == ""


def test_a_compaction_summary_is_kept_without_its_wrapping() -> None:
    summary = Observation(
        id="", key="", session="", at="", kind=event.POST_COMPACT, role="system", text="<summary>So far</summary>"
    )
    assert digest_of(asks("x"), summary).summary == "So far"


def test_a_huge_session_stays_bounded_and_quick() -> None:
    steps = told(
        *[asks(f"prompt {number} " + "x" * 3_000) for number in range(500)],
        *[runs(f"make t{number}", "error" if number % 3 else "ok", "Error: x" * 700) for number in range(5_000)],
        *[edits(f"src/f{number}.py") for number in range(5_000)],
        says("y" * 16_000),
    )
    begun = time.process_time()
    found = session.summarise(SESSION, steps, NOW)
    assert time.process_time() - begun < 5
    assert found is not None
    assert (found.prompt_count, found.calls, found.file_count, found.command_count) == (500, 10_000, 5_000, 5_000)
    assert found.prompts[0].text.startswith("prompt 0 ") and found.prompts[-1].text.startswith("prompt 499 ")
    assert len(repr(found)) < 300_000
