"""Sets of single notes: near twins, known items, and questions that are no questions."""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import search
from bench.process import Server
from bench.recall import ask, feed
from bench.recall.measure import Measured
from bench.recall.values import Corpus, Page, Question, Session, Turn
from tests.index import neighbours

PARAPHRASED = (
    ("The kernel shot the process because memory ran out.", "server died from insufficient RAM"),
    ("Customers could not sign in after their password was changed.", "users locked out following a credential reset"),
    ("The nightly copy of the database did not finish.", "scheduled backup was incomplete"),
    ("Pictures are shrunk before they are uploaded.", "images get resized prior to sending"),
    ("Two threads wrote the same file and garbled it.", "concurrent writes corrupted data"),
    ("We moved to the cheaper mail provider.", "switched email vendor to save money"),
    ("The page loads slowly on old phones.", "poor performance on outdated mobile devices"),
    ("The clock of the machine was wrong, so tokens were refused.", "authentication failed due to time drift"),
    ("New colleagues get a laptop on the first day.", "onboarding hardware for employees"),
    ("The disk filled up with old log files.", "no space left because of accumulated logs"),
    ("We agreed to write tests before code.", "team decided on test-driven development"),
    ("Refunds are paid out within three days.", "how long until money is returned to the buyer"),
)
FORMS, MISSPELT, MEANT = "other forms of a word", "misspelt words", "paraphrases"
_PAGES, _TALKS = "notebook", "talks"
_BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOSTILE = {
    "a quote": '"', "AND OR": "AND OR", "NEAR(": "NEAR(", "a star": "*", "a/b": "a/b", "C++": "C++", "NUL": "a\0b", "empty": "",
    "10,000 characters": "cache " * 1_666 + "cach", "a column filter": "title: cache", "brackets": "((((", "half a character": "\ud83d cache",
    "SQL": "'; DROP TABLE pages; --",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What became of one hostile query: the error, or hits, milliseconds and characters of the agent's answer to it."""

    name: str
    error: str
    hits: int
    milliseconds: float
    size: int


def near() -> Corpus:
    """Thirty near twins a family, as pages of one project and as sessions of another; words bent, misspelt, and meant."""
    pages: list[Page] = []
    sessions: list[Session] = []
    questions: list[Question] = []
    for family, things in neighbours.families().items():
        for i, (thing, wanted) in enumerate(things):
            text = neighbours.note(thing, i)
            pages.append(Page(_PAGES, f"notes/{family.replace(' ', '-')}-{i}.md", f"Note {i}", text))
            key = f"{_TALKS}/{family}-{i}"
            turns = (Turn("user", "Write down what we saw."), Turn("assistant", text))
            sessions.append(Session(key, _TALKS, _BEGAN + timedelta(hours=len(sessions)), turns))
            questions += [Question(_PAGES, family, wanted, (pages[-1].key,)), Question(_TALKS, family, wanted, (key,))]
    single = [(FORMS, text, wanted) for _, text, wanted in neighbours.FORMS]
    single += [(MISSPELT, word, wanted) for word, wanted in neighbours.MISSPELT]
    single += [(MEANT, text, wanted) for text, wanted in PARAPHRASED]
    for i, (kind, text, wanted) in enumerate(single):
        pages.append(Page(_PAGES, f"notes/single-{i}.md", f"Single {i}", text + "\n" if kind == MEANT else neighbours.note(text, i)))
        questions.append(Question(_PAGES, kind, wanted, (pages[-1].key,)))
    return Corpus("neighbours", tuple(sessions), tuple(questions), tuple(pages), "2")


def known(size: int) -> Corpus:
    """Synthetic notes and two hundred questions that want one of them each, fifty of a kind."""
    notes = [search.note(i) for i in range(size)]
    pages = tuple(Page(_PAGES, one.path, one.title, one.body) for one in notes)
    kinds = ("title words", "exact id", "error + component", "why did we")
    chosen = random.Random(size).sample(range(size), min(200, size))
    questions = tuple(
        Question(_PAGES, kinds[k % 4], search.ask(notes[i], k % 4), (pages[i].key,)) for k, i in enumerate(chosen)
    )
    return Corpus(f"known-{size}", (), questions, pages, "1")


def twins_table(measured: Measured) -> str:
    """How many came first (for paraphrases: among five), pages and sessions apart."""
    questions = measured.corpus.questions
    ran = [run for run in measured.runs if not run.skipped]
    lines = [f"| first: pages / sessions | {' | '.join(run.arm for run in ran)} |", f"|---|{'--:|' * len(ran)}"]
    for kind in dict.fromkeys(question.kind for question in questions):
        depth = 5 if kind == MEANT else 1
        cells = []
        for run in ran:
            counts = []
            for project in (_PAGES, _TALKS):
                at = [i for i, question in enumerate(questions) if question.kind == kind and question.project == project]
                good = sum(any(key in questions[i].gold for key in run.answers[i].order[:depth]) for i in at)
                counts.append(f"{good}/{len(at)}" if at else "")
            cells.append(" · ".join(filter(None, counts)))
        lines.append(f"| {kind}{' (among five)' if depth == 5 else ''} | {' | '.join(cells)} |")
    return "\n".join([*lines, *(f"\n{run.arm}: skipped: {run.skipped}" for run in measured.runs if run.skipped)]) + "\n"


def hostile() -> list[Asked]:
    """Every hostile query to a server with a few hundred notes, over the API and as a tool call."""
    corpus = near()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        server = Server(data, settings={})
        try:
            for page in corpus.pages:
                feed.put(server, page)
            server.caught_up()
            feed.embedded(server)
            return [_hostile(server, name, text) for name, text in HOSTILE.items()]
        finally:
            server.stop()


def _hostile(server: Server, name: str, text: str) -> Asked:
    question = Question(_PAGES, name, text, ())
    errors: list[str] = []
    hits, said = 0, ""
    began = time.perf_counter()
    try:
        hits = len(ask.search(server, question, 5))
    except (RuntimeError, OSError, ValueError) as error:
        errors.append(str(error)[:160])
    took = (time.perf_counter() - began) * 1000
    try:
        said = ask.reply(server, question)
    except (RuntimeError, OSError, ValueError) as error:
        errors.append(str(error)[:160])
    return Asked(name, "; ".join(errors).replace("|", "/"), hits, took, len(said))


def hostile_table(found: list[Asked]) -> str:
    lines = ["| query | error | hits | ms | characters of five hits as an agent gets them |", "|---|---|--:|--:|--:|"]
    lines += [f"| {one.name} | {one.error or 'none'} | {one.hits} | {one.milliseconds:.1f} | {one.size} |" for one in found]
    return "\n".join(lines) + "\n"
