"""Shell commands as work."""

from __future__ import annotations

import pytest

from ai_memory.learn import command


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("pytest -q tests/a.py", ("pytest", ("tests/a.py",))),
        ("cd api && PYTHONPATH=src python -m pytest tests/a.py -q 2>&1 | tail -5", ("pytest", ("tests/a.py",))),
        ("uv run pytest", ("pytest", ())),
        ("npm run build", ("npm build", ())),
        ("npm test", ("npm test", ())),
        ("cargo test parser", ("cargo test", ("parser",))),
        ("python3 -m unittest -q", ("unittest", ())),
        ("./scripts/check.sh all", ("check.sh all", ())),
        ("git diff", ("git diff", ())),
        ("", ("", ())),
        ("&& ;", ("&& ;", ())),
    ],
)
def test_work_is_the_program_with_its_first_word_and_the_targets(text: str, work: tuple[str, tuple[str, ...]]) -> None:
    assert command.work(text) == work


@pytest.mark.parametrize(
    ("passed", "failed", "covers"),
    [
        ((), (), True), ((), ("tests/a.py",), True), (("tests/a.py",), (), False), (("tests",), ("tests/a.py",), True),
        (("tests/a.py",), ("tests/a.py::test_x",), True), (("tests/a.py",), ("tests/b.py",), False),
        (("a",), ("a", "b"), False),
    ],
)  # fmt: skip
def test_a_run_covers_what_it_ran_on(passed: tuple[str, ...], failed: tuple[str, ...], covers: bool) -> None:
    assert command.covers(passed, failed) is covers


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'\n", "KeyError: 'a'"),
        ("AssertionError: 2 != 3\n\nRan 5 tests\n\nFAILED (failures=1)", "AssertionError: 2 != 3"),
        ("a.ts(3,1): error TS2304: Cannot find name 'x'.\nbye", "a.ts(3,1): error TS2304: Cannot find name 'x'."),
        ("make: *** No rule to make target 'x'.  Stop.", "make: *** No rule to make target 'x'. Stop."),
        ("bash: foo: command not found\nbye", "bash: foo: command not found"),
        ("構文が違います", "構文が違います"),
        ("\n \n", ""),
    ],
)
def test_the_telling_line_names_the_error(output: str, line: str) -> None:
    assert command.telling(output) == line


@pytest.mark.parametrize("text", ["a && " * 300_000, "| " * 500_000, "A=1 " * 300_000, "\n" * 1_000_000, "Error" * 200_000])
def test_hostile_commands_cost_little(text: str) -> None:
    command.looks(text)
    command.work(text)
    command.telling(text)
