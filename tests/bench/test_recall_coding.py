from __future__ import annotations

from collections import Counter

import pytest

from bench.recall import coding, notes
from bench.recall.arms import documents
from bench.recall.text import stems
from bench.recall.values import Corpus


@pytest.fixture(scope="module")
def made() -> Corpus:
    return coding.make()


def test_it_is_as_large_as_it_claims(made: Corpus) -> None:
    assert len(made.projects) >= 6
    assert len(made.sessions) >= 300
    assert len(made.pages) >= 150
    assert len(made.questions) >= 250
    counts = Counter(question.kind for question in made.questions)
    assert counts["why"] >= 40 and counts["none"] >= 60
    assert all(counts[kind] >= 8 for kind in ("pt", "es", "ja", "en-pt", "en-es", "en-ja"))
    folders = {page.path.split("/")[0] for page in made.pages}
    assert folders == {"decisions", "gotchas", "procedures", "concepts", "_rules"}


def test_it_is_the_same_every_time(made: Corpus) -> None:
    assert coding.make() == made


def test_every_key_is_one_document_of_the_project_that_is_asked(made: Corpus) -> None:
    keys = [*(one.key for one in made.sessions), *(one.key for one in made.pages)]
    assert len(keys) == len(set(keys))
    for question in made.questions:
        assert {*question.gold, *question.wrong} <= {key for key in keys if key.startswith(f"{question.project}:")}
        assert (question.kind == "none") == (not question.gold)


def test_twins_have_the_same_path_in_every_project(made: Corpus) -> None:
    twins = Counter(question.gold[0].split(":")[1] for question in made.questions if question.kind == "twins")
    assert set(twins.values()) == {len(made.projects)}


def test_a_paraphrased_question_shares_few_words_with_what_answers_it(made: Corpus) -> None:
    texts = {one.key: set(stems(one.whole)) for project in made.projects for one in documents(made, project)}
    shares = []
    for question in made.questions:
        if question.kind == "why":
            words = set(stems(question.text))
            shares.append(len(words & texts[question.gold[0]]) / len(words))
    assert sum(shares) / len(shares) < 0.25


def test_families_of_near_twins_have_thirty_each() -> None:
    counts = Counter((question.project, question.kind) for question in notes.near().questions)
    assert set(counts.values()) == {30, 12}
    assert len(notes.HOSTILE) == 13
