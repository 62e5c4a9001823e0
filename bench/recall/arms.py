"""Plain rankers that are asked the same questions over the same texts, one project at a time."""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.recall import text
from bench.recall.values import Answer, Corpus, Run

Embed = Callable[[Sequence[str]], Any]  # a matrix, one unit row a text
Rank = Callable[[str], list[str]]


@dataclass(frozen=True)
class Document:
    """A session or page: its parts are turns or paragraphs, ``head`` is its date or title."""

    key: str
    head: str
    parts: tuple[str, ...]

    @property
    def whole(self) -> str:
        return "\n".join([self.head, *self.parts])

    @property
    def windows(self) -> list[str]:
        """Three parts at a time, two on."""
        return ["\n".join(self.parts[at : at + 3]) for at in range(0, max(1, len(self.parts) - 1), 2)]


def documents(corpus: Corpus, project: str) -> list[Document]:
    sessions = [
        Document(s.key, s.at.strftime("%d %B %Y").lstrip("0"), tuple(turn.words for turn in s.turns))
        for s in corpus.sessions
        if s.project == project
    ]
    pages = [Document(p.key, p.title, tuple(p.body.split("\n\n"))) for p in corpus.pages if p.project == project]
    return sessions + pages


class Bm25:
    """BM25 with k1 1.2 and b 0.75 over ``texts``."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(text.stems(one)) for one in texts]
        self._lengths = [counts.total() for counts in self._counts]
        self._usual = max(1e-9, statistics.fmean(self._lengths)) if texts else 1.0
        self._held = Counter(word for counts in self._counts for word in counts)

    def scores(self, question: str) -> list[float]:
        words = dict.fromkeys(text.stems(question))
        weights = {word: self._weight(word) for word in words if word in self._held}
        return [self._score(at, weights) for at in range(len(self._counts))]

    def _weight(self, word: str) -> float:
        held = self._held[word]
        return math.log(1 + (len(self._counts) - held + 0.5) / (held + 0.5))

    def _score(self, at: int, weights: dict[str, float]) -> float:
        counts, share = self._counts[at], 1.2 * (0.25 + 0.75 * self._lengths[at] / self._usual)
        return sum(weight * counts[word] * 2.2 / (counts[word] + share) for word, weight in weights.items() if counts[word])


def grep(found: Sequence[Document]) -> Rank:
    """By how many different words of the question a document holds, then by how often."""
    texts = [(one.key, one.whole.lower()) for one in found]

    def rank(question: str) -> list[str]:
        words = list(dict.fromkeys(text.plain(question)))
        hits = [(key, [body.count(word) for word in words]) for key, body in texts]
        order = sorted(hits, key=lambda hit: (-sum(n > 0 for n in hit[1]), -sum(hit[1])))
        return [key for key, counts in order if any(counts)]

    return rank


def bm25(found: Sequence[Document]) -> Rank:
    """BM25 over whole documents."""
    index, keys = Bm25([one.whole for one in found]), [one.key for one in found]
    return lambda question: _ordered(keys, index.scores(question), floor=0.0)


def summed(found: Sequence[Document], embed: Embed) -> Rank:
    """z(BM25 of the whole) + z(BM25 of the best window) + z(likeness of the best window)."""
    keys = [one.key for one in found]
    windows = [(at, window) for at, one in enumerate(found) for window in one.windows]
    owners, texts = [at for at, _ in windows], [window for _, window in windows]
    whole, part, vectors = Bm25([one.whole for one in found]), Bm25(texts), embed(texts)

    def rank(question: str) -> list[str]:
        asked = embed([question])[0]
        near = (vectors @ asked).tolist()
        streams = [whole.scores(question), _best(owners, part.scores(question), len(keys)), _best(owners, near, len(keys))]
        return _ordered(keys, [sum(values) for values in zip(*map(_z, streams), strict=True)])

    return rank


def run(corpus: Corpus, arm: str, make: Callable[[list[Document]], Rank]) -> Run:
    """All questions of ``corpus`` to one arm."""
    answers: dict[int, Answer] = {}
    for project in corpus.projects:
        rank = make(documents(corpus, project))
        for number, question in enumerate(corpus.questions):
            if question.project == project:
                began = time.perf_counter()
                order = rank(question.text)
                answers[number] = Answer(tuple(order), (time.perf_counter() - began) * 1000)
    return Run(arm, tuple(answers[number] for number in range(len(corpus.questions))))


def _ordered(keys: Sequence[str], scores: Sequence[float], floor: float = -math.inf) -> list[str]:
    order = sorted(range(len(keys)), key=lambda at: -scores[at])
    return [keys[at] for at in order if scores[at] > floor]


def _best(owners: Sequence[int], scores: Sequence[float], count: int) -> list[float]:
    best = [-math.inf] * count
    for owner, score in zip(owners, scores, strict=True):
        best[owner] = max(best[owner], score)
    return best


def _z(values: Sequence[float]) -> list[float]:
    spread = statistics.pstdev(values)
    middle = statistics.fmean(values)
    return [(value - middle) / spread if spread > 1e-9 else 0.0 for value in values]
