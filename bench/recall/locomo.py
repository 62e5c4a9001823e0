"""LoCoMo: the reshaped file (sessions and questions) or the original one (session_1 …, qa). Its text stays where it is."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.recall.values import Corpus, Question, Session, Turn

KINDS = {1: "several sessions", 2: "time", 3: "inference", 4: "one session"}
_NUMBERED = re.compile(r"session_(\d+)\Z")
_PLACE = re.compile(r"D(\d+):\d+")


def load(file: Path, first: int = 0) -> Corpus:
    """Every conversation is a project of its own; questions of categories 1 to 4 with evidence; ``first`` > 0 takes so many."""
    data = file.read_bytes()
    sessions: list[Session] = []
    questions: list[Question] = []
    for number, given in enumerate(json.loads(data)[: first or None], 1):
        project = f"conversation-{number}"
        plain = given if "sessions" in given else _reshaped(given)
        known = {one["id"]: f"{project}/{one['id']}" for one in plain["sessions"]}
        sessions += [_session(one, project, known[one["id"]]) for one in plain["sessions"]]
        questions += _questions(plain["questions"], project, known)
    return Corpus("locomo", tuple(sessions), tuple(questions), source=hashlib.sha256(data).hexdigest())


def when(text: str) -> datetime:
    """The instant of ``1:56 pm on 8 May, 2023``."""
    return datetime.strptime(text.replace(",", "").strip(), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def _session(given: dict[str, Any], project: str, key: str) -> Session:
    first = given["turns"][0]["speaker"] if given["turns"] else ""
    turns = tuple(Turn("user" if one["speaker"] == first else "assistant", _said(one)) for one in given["turns"])
    return Session(key, project, when(given["when"]), turns)


def _said(turn: dict[str, Any]) -> str:
    image = turn.get("image")
    return f"{turn['speaker']}: {turn['text']}" + (f" [shared image: {image}]" if image else "")


def _questions(given: list[dict[str, Any]], project: str, known: dict[str, str]) -> Iterator[Question]:
    for one in given:
        gold = tuple(dict.fromkeys(known[id] for id in one["gold_sessions"] if id in known))
        if one["category"] in KINDS and gold:
            yield Question(project, KINDS[one["category"]], one["question"], gold)


def _reshaped(given: dict[str, Any]) -> dict[str, Any]:
    """The original form, with the same names as the reshaped one."""
    talk = given["conversation"]
    numbers = sorted(int(found[1]) for name in talk if (found := _NUMBERED.match(name)) and talk[name])
    sessions = [
        {
            "id": f"D{number}",
            "when": talk[f"session_{number}_date_time"],
            "turns": [{**turn, "image": turn.get("blip_caption")} for turn in talk[f"session_{number}"]],
        }
        for number in numbers
    ]
    questions = [
        {**one, "gold_sessions": [f"D{found}" for place in one.get("evidence") or () for found in _PLACE.findall(place)]}
        for one in given["qa"]
    ]
    return {"sessions": sessions, "questions": questions}
