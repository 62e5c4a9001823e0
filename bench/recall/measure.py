"""A set put to the product, with and without vectors, and to the plain arms."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.process import Server
from bench.recall import arms, ask, embedding, feed
from bench.recall.feed import Poured
from bench.recall.values import Corpus, Run

OURS, WORDS, GREP, BM25, SUMMED = "ai-memory", "ai-memory, words only", "grep", "BM25 of the whole", "z-sum with MiniLM"
NAMES = {"vectors": OURS, "words": WORDS, "zsum": SUMMED, "bm25": BM25, "grep": GREP}


@dataclass(frozen=True)
class Options:
    """Which arms run (keys of ``NAMES``), and where stores stay that are to be asked again; None keeps none."""

    arms: tuple[str, ...] = tuple(NAMES)
    store: Path | None = None


@dataclass(frozen=True)
class Measured:
    """A set, the runs of the arms, and how it went in."""

    corpus: Corpus
    runs: tuple[Run, ...]
    poured: Poured


def measure(corpus: Corpus, options: Options) -> Measured:
    """Fresh store, real capture, real search; then the plain arms."""
    runs: list[Run] = []
    poured = Poured(0, 0, 0.0, 0.0)
    if {"vectors", "words"} & set(options.arms):
        with _place(options.store, corpus) as data:
            poured, runs = _product(data, corpus, options)
    runs += _plain(corpus, options)
    order = list(NAMES.values())
    return Measured(corpus, tuple(sorted(runs, key=lambda run: order.index(run.arm))), poured)


def in_parts(parts: Iterable[Corpus], options: Options, size: int = 20) -> Measured:
    """As ``measure`` for a set that comes in many small parts, some in a store at a time."""
    whole: list[Measured] = []
    waiting: list[Corpus] = []
    for part in parts:
        waiting.append(part)
        if len(waiting) == size:
            whole.append(measure(_joined(waiting), options))
            say(f"{len(whole) * size} parts done")
            waiting = []
    if waiting:
        whole.append(measure(_joined(waiting), options))
    corpus = replace(_joined([one.corpus for one in whole]), sessions=())
    runs = tuple(_end_to_end([one.runs[at] for one in whole]) for at in range(len(whole[0].runs)))
    poured = Poured(*(sum(getattr(one.poured, name) for one in whole) for name in ("events", "pages", "seconds", "searchable")))
    return Measured(corpus, runs, poured)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _place(store: Path | None, corpus: Corpus) -> Iterator[Path]:
    """A data directory, empty unless ``store`` has one of this very set."""
    if store is None:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            data.mkdir()
            yield data
        return
    data = store / f"{corpus.name}-{_digest(corpus)}" / "data"
    if not _filled(data).exists():
        shutil.rmtree(data.parent, ignore_errors=True)
    data.mkdir(parents=True, exist_ok=True)
    yield data


def _digest(corpus: Corpus) -> str:
    """Tells sets apart that were read from one file in parts."""
    keys = [corpus.source, *(one.key for one in corpus.sessions), *(one.key for one in corpus.pages)]
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:12]


def _filled(data: Path) -> Path:
    return data.parent / "filled"


def _product(data: Path, corpus: Corpus, options: Options) -> tuple[Poured, list[Run]]:
    runs: list[Run] = []
    poured = Poured(0, 0, 0.0, 0.0)
    if "words" in options.arms or not _filled(data).exists():
        server = Server(data)
        try:
            if not _filled(data).exists():
                poured = feed.pour(server, corpus)
                _filled(data).touch()
                say(f"{corpus.name}: {poured.events} events in {poured.seconds:.1f} s, searchable after {poured.searchable:.1f} s")
            server.caught_up()
            if "words" in options.arms:
                runs.append(ask.run(server, corpus, WORDS))
        finally:
            server.stop()
    if "vectors" in options.arms:
        runs.append(_with_vectors(data, corpus))
    return poured, runs


def _with_vectors(data: Path, corpus: Corpus) -> Run:
    server = Server(data, settings={})
    try:
        server.caught_up()
        began = time.perf_counter()
        missing = feed.embedded(server)
        if missing:
            return Run(OURS, skipped=missing)
        waited = time.perf_counter() - began
        say(f"{corpus.name}: vectors after {waited:.0f} s")
        run = ask.run(server, corpus, OURS)
        return replace(run, notes=run.notes | {"embedding": waited})
    finally:
        server.stop()


def _plain(corpus: Corpus, options: Options) -> list[Run]:
    runs: list[Run] = []
    if "grep" in options.arms:
        runs.append(arms.run(corpus, GREP, arms.grep))
    if "bm25" in options.arms:
        runs.append(arms.run(corpus, BM25, arms.bm25))
    if "zsum" in options.arms:
        made = embedding.vectors()
        if isinstance(made, str):
            runs.append(Run(SUMMED, skipped=made))
        else:
            runs.append(arms.run(corpus, SUMMED, lambda found: arms.summed(found, made)))
            made.keep()
    return runs


def _joined(parts: Sequence[Corpus]) -> Corpus:
    return Corpus(
        parts[0].name, tuple(s for part in parts for s in part.sessions), tuple(q for part in parts for q in part.questions),
        tuple(p for part in parts for p in part.pages), parts[0].source,
    )  # fmt: skip


def _end_to_end(runs: Sequence[Run]) -> Run:
    """The runs of one arm over the parts, as one."""
    skipped = next((run.skipped for run in runs if run.skipped), "")
    if skipped:
        return Run(runs[0].arm, skipped=skipped)
    count = sum(len(run.answers) for run in runs)
    cpu = sum(run.notes.get("cpu", 0.0) * len(run.answers) for run in runs) / max(1, count)
    return Run(runs[0].arm, tuple(answer for run in runs for answer in run.answers), notes={"cpu": cpu})
