"""Tables of what was measured, their place in a document, and receipts a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.recall import metrics
from bench.recall.measure import OURS, WORDS, Measured
from bench.recall.values import Question, Run
from bench.table import quantile

_FROM_SERVER = (OURS, WORDS)
_COMPARED = ("any@1", "any@5", "all@5")


def figures(measured: Measured, among: Callable[[Question], bool] = lambda question: bool(question.gold), brief: bool = False) -> str:
    """One row an arm over the questions ``among`` picks; unless ``brief``, how far ours lies from the others."""
    chosen = [at for at, question in enumerate(measured.corpus.questions) if among(question)]
    ran = [run for run in measured.runs if not run.skipped]
    lines = [
        f"| arm ({len(chosen)} questions) | {' | '.join(metrics.METRICS)} | p50 / p95 ms | CPU ms | tokens an agent gets |",
        f"|---|{'--:|' * (len(metrics.METRICS) + 3)}",
    ]
    for run in measured.runs:
        if run.skipped:
            lines.append(f"| {run.arm} | skipped: {run.skipped} |{' |' * (len(metrics.METRICS) + 2)}")
            continue
        values = [f"{metrics.mean(_values(measured, run, name, chosen)):.3f}" for name in metrics.METRICS]
        lines.append(f"| {run.arm} | {' | '.join(values)} | {_cost(run, chosen)} |")
    ours = next((run for run in ran if run.arm in _FROM_SERVER), None)
    if ours is not None and chosen and not brief:
        lines += ["", f"| {ours.arm} less | {' | '.join(_COMPARED)} |", f"|---|{'--:|' * len(_COMPARED)}"]
        lines += [_gaps(measured, ours, run, chosen) for run in ran if run is not ours]
    return "\n".join(lines) + "\n"


def kinds(measured: Measured) -> str:
    """any@1 / any@5 / all@5 of every arm, one row a kind of question."""
    ran = [run for run in measured.runs if not run.skipped]
    named = list(dict.fromkeys(question.kind for question in measured.corpus.questions if question.gold))
    lines = [f"| kind: any@1 / any@5 / all@5 | n | {' | '.join(run.arm for run in ran)} |", f"|---|--:|{'--:|' * len(ran)}"]
    for kind in named:
        chosen = [at for at, question in enumerate(measured.corpus.questions) if question.kind == kind and question.gold]
        cells = [" / ".join(f"{metrics.mean(_values(measured, run, name, chosen)):.3f}" for name in _COMPARED) for run in ran]
        lines.append(f"| {kind} | {len(chosen)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def refusals(measured: Measured) -> str:
    """What is said to questions that nothing answers, what is wrongly said first, and what comes from elsewhere."""
    questions = measured.corpus.questions
    unanswered = [at for at, question in enumerate(questions) if not question.gold]
    watched = [at for at, question in enumerate(questions) if question.wrong and question.gold]
    lines = [
        f"| arm | nothing said where nothing is known ({len(unanswered)}) | outdated above current ({len(watched)}) | "
        f"nothing said though it is known ({len(questions) - len(unanswered)}) | hits of another project |",
        "|---|--:|--:|--:|--:|",
    ]
    for run in (run for run in measured.runs if not run.skipped):
        silent = [not answer.order for answer in run.answers]
        quiet = metrics.mean([float(silent[at]) for at in unanswered])
        wrong = sum(_misled(run.answers[at].order, questions[at]) for at in watched)
        mute = sum(silent) - sum(silent[at] for at in unanswered)
        strangers = sum(answer.strangers for answer in run.answers) if run.arm in _FROM_SERVER else "–"
        lines.append(f"| {run.arm} | {quiet:.3f} | {wrong} | {mute} | {strangers} |")
    return "\n".join(lines) + "\n"


def ingest(measured: Measured) -> str:
    poured = measured.poured
    if not poured.events:
        return "The store was filled before.\n"
    rate = poured.events / max(1e-9, poured.seconds)
    said = f"{poured.events:,} events went in at {rate:,.0f} a second"
    if poured.pages:
        said += f", and {poured.pages:,} pages"
    said += f"; all could be found by word after {poured.searchable:.1f} s"
    waited = next((run.notes["embedding"] for run in measured.runs if "embedding" in run.notes), None)
    return f"{said}{f', by meaning {waited:.0f} s later' if waited is not None else ''}.\n"


def receipts(measured: Measured) -> dict[str, Any]:
    """Ranks of every question by its number; nothing of its text."""
    rows = []
    for at, question in enumerate(measured.corpus.questions):
        found = {
            run.arm: {"ranks": metrics.ranks(run.answers[at].order, question.gold), "answered": len(run.answers[at].order)}
            for run in measured.runs
            if not run.skipped
        }
        rows.append({"number": at, "kind": question.kind, "gold": list(question.gold), "arms": found})
    return {"set": measured.corpus.name, "sha256": measured.corpus.source, "questions": rows}


def put(file: Path, section: str, text: str) -> None:
    """Replace the text between the marks of ``section`` in ``file``, or add it at the end."""
    begin, end = f"<!-- measured: {section} -->", f"<!-- end: {section} -->"
    block = f"{begin}\n\n{text.strip()}\n\n{end}"
    had = file.read_text(encoding="utf-8") if file.exists() else "# Recall\n"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    new = pattern.sub(lambda _: block, had) if pattern.search(had) else f"{had.rstrip()}\n\n{block}\n"
    file.write_text(new, encoding="utf-8")


def _values(measured: Measured, run: Run, name: str, chosen: Sequence[int]) -> list[float]:
    metric = metrics.METRICS[name]
    return [metric(run.answers[at].order, measured.corpus.questions[at].gold) for at in chosen]


def _cost(run: Run, chosen: Sequence[int]) -> str:
    times = [run.answers[at].milliseconds for at in chosen] or [0.0]
    sizes = [run.answers[at].size / 4 for at in chosen if run.answers[at].size]
    cpu = f"{run.notes['cpu']:.1f}" if "cpu" in run.notes else ""
    return f"{quantile(times, 0.5):.1f} / {quantile(times, 0.95):.1f} | {cpu} | {f'{metrics.mean(sizes):.0f}' if sizes else ''}"


def _gaps(measured: Measured, ours: Run, other: Run, chosen: Sequence[int]) -> str:
    cells = []
    for name in _COMPARED:
        gap, low, high = metrics.interval(_values(measured, ours, name, chosen), _values(measured, other, name, chosen))
        cells.append(f"{gap:+.3f} [{low:+.3f}, {high:+.3f}]")
    return f"| {other.arm} | {' | '.join(cells)} |"


def _misled(order: Sequence[str], question: Question) -> bool:
    """Whether something wrong stands above all that is right."""
    right = next((at for at, key in enumerate(order) if key in question.gold), len(order))
    return any(key in question.wrong for key in order[:right])


