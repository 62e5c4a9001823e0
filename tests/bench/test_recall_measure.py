from __future__ import annotations

import json
from pathlib import Path

import recall_sets

from bench.recall import locomo, longmemeval, measure
from bench.recall.measure import WORDS, Options
from bench.recall.values import Corpus, Page, Question


def test_a_set_goes_through_a_real_server_and_comes_back_as_keys(tmp_path: Path) -> None:
    file = tmp_path / "given.json"
    file.write_text(json.dumps(recall_sets.reshaped()), encoding="utf-8")
    talks = locomo.load(file)
    page = Page("conversation-1", "decisions/garden.md", "Garden", "We water the marigolds at dawn.\n")
    asked = Question("conversation-1", "page", "when are the marigolds watered?", (page.key,))
    corpus = Corpus("tiny", talks.sessions, (*talks.questions, asked), (page,), talks.source)
    options = Options(("words", "grep"), tmp_path / "stores")
    found = measure.measure(corpus, options)
    ours = next(run for run in found.runs if run.arm == WORDS)
    assert ours.answers[0].order[0] == "conversation-1/D2"
    assert ours.answers[-1].order[0] == page.key
    assert ours.answers[0].size > 0
    assert sum(answer.strangers for answer in ours.answers) == 0
    assert found.poured.events == 9
    again = measure.measure(corpus, options)
    assert again.poured.events == 0
    assert [one.order for one in again.runs[0].answers] == [one.order for one in ours.answers]


def test_parts_of_a_set_have_stores_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "given.json"
    file.write_text(json.dumps(recall_sets.long_memory()), encoding="utf-8")
    found = measure.in_parts(longmemeval.load(file), Options(("words", "grep"), tmp_path / "stores"), size=1)
    assert found.poured.events == 2 * 8
    assert [run.answers[0].order[0] for run in found.runs] == ["question-1/1"] * 2
    assert [len(run.answers) for run in found.runs] == [2, 2]
