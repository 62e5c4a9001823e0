from __future__ import annotations

import json
from pathlib import Path

from bench.recall import report
from bench.recall.feed import Poured
from bench.recall.measure import OURS, SUMMED, Measured
from bench.recall.values import Answer, Corpus, Question, Run


def measured() -> Measured:
    questions = (
        Question("p", "plain", "first?", ("a",)),
        Question("p", "changed", "second?", ("b",), wrong=("old",)),
        Question("p", "none", "third?", ()),
    )
    ours = Run(OURS, (Answer(("a",), 5.0, 400), Answer(("old", "b"), 7.0), Answer((), 1.0)), notes={"cpu": 4.2})
    grep = Run("grep", (Answer(("x", "a")), Answer(("b",)), Answer(("a",))))
    runs = (ours, Run(SUMMED, skipped="no model"), grep)
    return Measured(Corpus("set", (), questions), runs, Poured(10, 0, 2.0, 3.0))


def test_a_table_has_a_row_an_arm_and_says_what_was_skipped() -> None:
    table = report.figures(measured())
    assert "| ai-memory | 0.500 | 1.000 | 1.000 | 1.000 | 1.000 | 0.750 | 7.0 / 7.0 | 4.2 | 100 |" in table
    assert "skipped: no model" in table
    assert "| grep | +0.000 [" in table


def test_what_nothing_answers_and_what_is_outdated_is_counted() -> None:
    table = report.refusals(measured())
    assert "| ai-memory | 1.000 | 1 | 0 | 0 |" in table
    assert "| grep | 0.000 | 0 | 0 | – |" in table


def test_receipts_hold_ranks_and_no_text() -> None:
    kept = json.dumps(report.receipts(measured()))
    assert "second?" not in kept
    assert '"ranks": [2]' in kept


def test_a_section_of_a_document_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "recall.md"
    file.write_text("# Recall\n\nBefore.\n", encoding="utf-8")
    report.put(file, "set", "| old \\1 |")
    file.write_text(file.read_text(encoding="utf-8") + "\nAfter.\n", encoding="utf-8")
    report.put(file, "set", "| new |")
    text = file.read_text(encoding="utf-8")
    assert "Before." in text and "After." in text and "| new |" in text and "old" not in text
