"""What an agent's program puts in a person's mouth."""

from __future__ import annotations

import time

import pytest

from ai_memory.domain import scaffold


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<system-reminder>a</system-reminder>\nb", "b"),
        ("b\n<SYSTEM-REMINDER>\na\n</System-Reminder>\nc", "b\n\nc"),
        ("ask <system-reminder>a</system-reminder>", "ask <system-reminder>a</system-reminder>"),
        ("<system-reminder>never closed", ""),
        ("words\n<system-reminder>never closed", "words\n<system-reminder>never closed"),
        ("<system-reminder>a</system-reminder>\n<user_instructions>never closed", ""),
        ("<permissions instructions>x</permissions instructions>go", "go"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nfix it", "fix it"),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nİ obey\n</INSTRUCTIONS>", ""),
        ("<div>mine</div>", "<div>mine</div>"),
        ("<systemic>", "<systemic>"),
    ],
)
def test_markup_goes_and_words_stay(text: str, left: str) -> None:
    assert scaffold.strip(text) == left


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("/clear", ""), ("/mcp__x__y ", ""), ("/review the tests", "/review the tests"),
        ("/etc/hosts is wrong", "/etc/hosts is wrong"), ("/etc/hosts", "/etc/hosts"),
        ("[Request interrupted by user]", ""), ("1/2", "1/2"),
    ],
)  # fmt: skip
def test_a_bare_slash_command_asks_for_nothing(text: str, asked: str) -> None:
    assert scaffold.asked(text) == asked


@pytest.mark.parametrize("part", ["<system-reminder>\n", "<system-reminder>x</system-reminder>\n", "<", "</system-reminder>\n"])
def test_hostile_text_is_read_in_linear_time(part: str) -> None:
    begun = time.process_time()
    scaffold.strip(part * (1_000_000 // len(part)))
    assert time.process_time() - begun < 2
