"""Tiny invented conversations in the forms of the public sets."""

from __future__ import annotations

from typing import Any


def reshaped() -> list[dict[str, Any]]:
    return [
        {
            "conversation": "one",
            "sessions": [
                {"id": "D1", "when": "1:56 pm on 8 May, 2023", "turns": [
                    {"id": "D1:1", "speaker": "Ann", "text": "I planted tomatoes on the balcony.", "image": "a pot with a seedling"},
                    {"id": "D1:2", "speaker": "Bob", "text": "Mine all died in the frost."},
                    {"id": "D1:3", "speaker": "Bob", "text": "I will try beans."},
                ]},
                {"id": "D2", "when": "12:05 am on 20 January, 2024", "turns": [
                    {"id": "D2:1", "speaker": "Bob", "text": "We went skiing in Tyrol."},
                    {"id": "D2:2", "speaker": "Ann", "text": "I stayed at home and read."},
                ]},
            ],
            "questions": [
                {"question": "Where did Bob go skiing?", "answer": "Tyrol", "category": 4, "gold_sessions": ["D2"]},
                {"question": "Who grows vegetables?", "answer": "both", "category": 1, "gold_sessions": ["D1", "D2", "D9"]},
                {"question": "Did Ann ski?", "answer": "", "category": 5, "gold_sessions": ["D2"]},
                {"question": "What colour is the car?", "answer": "", "category": 2, "gold_sessions": []},
            ],
        }
    ]  # fmt: skip


def original() -> list[dict[str, Any]]:
    (given,) = reshaped()
    talk: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Bob", "session_3_date_time": "1:00 pm on 1 March, 2024", "session_3": []}
    for number, one in enumerate(given["sessions"], 1):
        talk[f"session_{number}_date_time"] = one["when"]
        talk[f"session_{number}"] = [
            {"speaker": turn["speaker"], "dia_id": turn["id"], "text": turn["text"]} | ({"blip_caption": turn["image"]} if "image" in turn else {})
            for turn in one["turns"]
        ]
    evidence = [["D2:1"], ["D1:1; D1:3", "D2:2", "D9:1"], ["D2:2"], []]
    asked = [
        {"question": one["question"], "answer": one["answer"], "category": one["category"], "evidence": places}
        for one, places in zip(given["questions"], evidence, strict=True)
    ]
    return [{"sample_id": "one", "conversation": talk, "qa": asked}]


def long_memory() -> list[dict[str, Any]]:
    stacks = [
        [{"role": "user", "content": "Which bike should I buy?"}, {"role": "assistant", "content": "A gravel bike would fit."}],
        [{"role": "user", "content": "My cousin is called Mira.", "has_answer": True}, {"role": "assistant", "content": "A fine name."}],
    ]
    plain = {
        "question_type": "single-session-user", "question": "What is my cousin called?", "answer": "Mira",
        "question_date": "2023/06/01 (Thu) 08:00", "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "answer_s2"], "haystack_sessions": stacks, "answer_session_ids": ["answer_s2"],
    }  # fmt: skip
    return [plain | {"question_id": "q1"}, plain | {"question_id": "q2_abs", "question": "What is my uncle called?"}]
