"""Measure recall.    python -m bench.recall locomo|coding|longmemeval|neighbours|known|hostile|all [options]

Each set goes through real hooks into a fresh store of a real server; plain rankers answer the same questions beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.recall import coding, locomo, longmemeval, measure, notes, report
from bench.recall.measure import NAMES, Measured, Options, say

_ROOT = Path(__file__).resolve().parents[2]
_LOCOMO = _ROOT.parent / "shared" / "data" / "locomo-dev" / "locomo-dev.json"
_WITH_VECTORS = 1_000  # notes
Part = Callable[[argparse.Namespace, Options], "tuple[str, dict[str, Any]]"]


def main() -> int:
    given = _parser().parse_args()
    options = Options(tuple(filter(None, given.arms.split(","))), Path(given.store) if given.store else None)
    chosen = list(PARTS) if given.set == "all" else [given.set]
    kept: dict[str, Any] = {}
    for name in chosen:
        text, receipts = PARTS[name](given, options)
        print(f"## {name}\n\n{text}", flush=True)
        if receipts:
            kept[name] = receipts
        if given.write and receipts:
            report.put(Path(given.write), name, text)
    if given.json:
        Path(given.json).write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=[*PARTS, "all"])
    parser.add_argument("--locomo", default=os.environ.get("LOCOMO", str(_LOCOMO)), help="LoCoMo's file, reshaped or original ($LOCOMO)")
    parser.add_argument("--longmemeval", default=os.environ.get("LONGMEMEVAL", ""), help="LongMemEval's file: S, M or oracle ($LONGMEMEVAL)")
    parser.add_argument("--arms", default=",".join(NAMES), help=f"which arms, of {','.join(NAMES)}")
    parser.add_argument("--first", type=int, default=0, help="only so many conversations or questions")
    parser.add_argument("--sizes", default="1000,10000", help="notes in the stores of known items")
    parser.add_argument("--store", default="", help="keep filled stores here, and ask one that is there again")
    parser.add_argument("--write", default="", help="put the tables into this document")
    parser.add_argument("--json", default="", help="write ranks a question to this file")
    return parser


def _locomo(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    file = Path(given.locomo)
    if not file.is_file():
        return f"skipped: {file.name} is not there; give it with --locomo or LOCOMO.\n", {}
    return _said(measure.measure(locomo.load(file, given.first), options))


def _coding(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    found = measure.measure(coding.make(), options)
    text, receipts = _said(found)
    return f"{text}\n{report.refusals(found)}", receipts


def _longmemeval(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    file = Path(given.longmemeval)
    if not given.longmemeval or not file.is_file():
        return "skipped: not run, no figure; give the file with --longmemeval or LONGMEMEVAL.\n", {}
    found = measure.in_parts(longmemeval.load(file, given.first), options)
    text = f"Answerable questions:\n\n{report.figures(found, longmemeval.answerable)}\nAll questions:\n\n{report.figures(found)}"
    return f"{text}\n{report.kinds(found)}\n{report.ingest(found)}", report.receipts(found)


def _neighbours(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    found = measure.measure(notes.near(), options)
    return f"{notes.twins_table(found)}\n{report.ingest(found)}", report.receipts(found)


def _known(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    """Vectors for small stores only: thousands of pages take their time."""
    text, kept = "", {}
    for size in (int(size) for size in given.sizes.split(",")):
        arms = tuple(arm for arm in options.arms if size <= _WITH_VECTORS or arm not in ("vectors", "zsum"))
        found = measure.measure(notes.known(size), replace(options, arms=arms))
        text += f"{size:,} notes:\n\n{report.figures(found, brief=True)}\n{report.kinds(found)}\n"
        kept[str(size)] = report.receipts(found)
    return text, kept


def _hostile(given: argparse.Namespace, options: Options) -> tuple[str, dict[str, Any]]:
    found = notes.hostile()
    return notes.hostile_table(found), {"errors": [one.name for one in found if one.error]}


def _said(found: Measured) -> tuple[str, dict[str, Any]]:
    say("")
    text = f"{report.figures(found)}\n{report.kinds(found)}\n{report.ingest(found)}"
    return text, report.receipts(found)


PARTS: dict[str, Part] = {"locomo": _locomo, "coding": _coding, "longmemeval": _longmemeval, "neighbours": _neighbours, "known": _known, "hostile": _hostile}


if __name__ == "__main__":
    sys.exit(main())
