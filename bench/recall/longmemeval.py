"""LongMemEval (S, M or oracle) from a file that the user has: a fresh project a question, all turns of both sides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.recall.values import Corpus, Question, Session, Turn

ABSTAIN = "_abs"  # the ids of questions that nothing answers end so


def load(file: Path, first: int = 0) -> Iterator[Corpus]:
    """One set a question, so that each can be asked of what it needs only; ``first`` > 0 takes only so many.

    A question is asked as of its date.
    """
    data = file.read_bytes()
    source = hashlib.sha256(data).hexdigest()
    given = json.loads(data)
    del data
    for number, one in enumerate(given[: first or None], 1):
        yield _corpus(one, f"question-{number}", source)


def answerable(one: Question) -> bool:
    """Whether it is among the 470 whose answer is somewhere."""
    return not one.kind.endswith(ABSTAIN)


def when(text: str) -> datetime:
    """The instant of ``2023/05/20 (Sat) 02:21``."""
    day, _, rest = text.partition(" ")
    clock = rest.split(")")[-1].strip() or "00:00"
    return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def _corpus(given: dict[str, Any], project: str, source: str) -> Corpus:
    ids, dates, stacks = given["haystack_session_ids"], given["haystack_dates"], given["haystack_sessions"]
    # The same id may stand in a haystack more than once; a key is a place in it.
    keys = [f"{project}/{at}" for at in range(len(ids))]
    sessions = tuple(
        Session(key, project, when(date), tuple(Turn(_role(turn), turn["content"]) for turn in stack if turn["content"].strip()))
        for key, date, stack in zip(keys, dates, stacks, strict=True)
    )
    wanted = set(given["answer_session_ids"])
    gold = tuple(key for key, id in zip(keys, ids, strict=True) if id in wanted)
    absent = str(given["question_id"]).endswith(ABSTAIN)
    kind = given["question_type"] + (ABSTAIN if absent else "")
    question = Question(project, kind, given["question"], gold, at=when(given["question_date"]))
    return Corpus("longmemeval", sessions, (question,), source=source)


def _role(turn: dict[str, Any]) -> Any:
    return "assistant" if turn["role"] == "assistant" else "user"
