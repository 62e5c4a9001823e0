from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import recall_sets

from bench.recall import feed, locomo, longmemeval
from bench.recall.values import Corpus


def kept(place: Path, value: Any) -> Path:
    file = place / "given.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


@pytest.fixture(params=["reshaped", "original"])
def talks(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    return locomo.load(kept(tmp_path, getattr(recall_sets, request.param)()))


def test_a_conversation_is_a_project_and_its_first_speaker_the_user(talks: Corpus) -> None:
    assert talks.projects == ("conversation-1",)
    first, second = talks.sessions
    assert [turn.role for turn in first.turns] == ["user", "assistant", "assistant"]
    assert first.turns[0].text == "Ann: I planted tomatoes on the balcony. [shared image: a pot with a seedling]"
    assert [turn.role for turn in second.turns] == ["user", "assistant"]
    assert (first.at, second.at) == (datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2024, 1, 20, 0, 5, tzinfo=UTC))


def test_questions_with_evidence_of_the_four_categories_remain(talks: Corpus) -> None:
    assert [(one.kind, one.gold) for one in talks.questions] == [
        ("one session", ("conversation-1/D2",)),
        ("several sessions", ("conversation-1/D1", "conversation-1/D2")),
    ]


def test_what_is_sent_holds_no_label(talks: Corpus) -> None:
    named = feed.natives(talks)
    sent = json.dumps([item for one in talks.sessions for item in feed.events(one, named[one.key])])
    for label in ("D1", "D2", "gold", "Who grows vegetables?", "Where did Bob"):
        assert label not in sent
    assert "occurred_at=2023-05-08T13%3A57%3A00Z" in sent


def test_a_long_memory_question_has_a_project_of_its_own_and_turns_of_both_sides(tmp_path: Path) -> None:
    one, other = longmemeval.load(kept(tmp_path, recall_sets.long_memory()))
    assert one.projects != other.projects
    assert [turn.role for turn in one.sessions[0].turns] == ["user", "assistant"]
    assert one.sessions[0].at == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    (asked,) = one.questions
    assert asked.gold == (one.sessions[1].key,)
    assert asked.at == datetime(2023, 6, 1, 8, 0, tzinfo=UTC)
    assert "answer" not in json.dumps(list(feed.natives(one).values()))


def test_questions_that_nothing_answers_are_told_apart(tmp_path: Path) -> None:
    both = [part.questions[0] for part in longmemeval.load(kept(tmp_path, recall_sets.long_memory()))]
    assert [longmemeval.answerable(one) for one in both] == [True, False]
