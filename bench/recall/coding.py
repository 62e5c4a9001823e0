"""The coding-memory set: six projects, their sessions and pages, and questions about them. The same in every run.

What is written by hand stands in ``written/``; renamings, floods of near neighbours and everyday work are made here.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bench.recall import records
from bench.recall.floods import flooded
from bench.recall.values import Corpus, Page, Question, Session, Turn

PROJECTS = ("orchard", "lantern", "quarry", "harbor", "kestrel", "mosaic")
_WRITTEN = ("why.txt", "languages.txt", "changed.txt", "twins.txt", "errors.txt", "dated.txt", "absent.txt")
_EVERYDAY = 22  # sessions of a project in which nothing is asked about
_BEGAN = datetime(2026, 1, 5, 8, tzinfo=UTC)
_THINGS = {
    "orchard": ("the basket", "the voucher form", "order export", "the stock sync", "invoice numbering", "the price import", "shipping labels"),
    "lantern": ("the catalog grid", "the language switch", "the drawer", "image zoom", "the toast", "form validation", "the wish list"),
    "quarry": ("the margin model", "the till loader", "receipt parsing", "the visit table", "partition pruning", "the lag chart", "the country join"),
    "harbor": ("the ingress chart", "the preview reaper", "node draining", "the audit log", "the registry mirror", "the vpn", "log rotation"),
    "kestrel": ("the refund path", "webhook delivery", "the router", "settlement files", "key rotation", "the sandbox", "the card form"),
    "mosaic": ("the crack detector", "the viewer", "mask export", "the camera trigger", "augmentation", "the report page", "shadow traffic"),
}
_FILES = {
    "orchard": "src/shop/{}.py", "lantern": "src/ui/{}.tsx", "quarry": "jobs/{}.sql", "harbor": "modules/{}/main.tf",
    "kestrel": "internal/{}/{}.go", "mosaic": "vision/{}.py",
}  # fmt: skip
_CHECKS = {
    "orchard": "pytest -q", "lantern": "pnpm test", "quarry": "dbt build --select state:modified", "harbor": "terraform validate",
    "kestrel": "go test ./...", "mosaic": "pytest vision",
}  # fmt: skip
_RENAME = (
    "{old} is a bad name, {why}. Call it {new} everywhere.",
    "Rename {old} to {new}: {why}.",
    "Nobody understands {old}. Since {why}, {new} would be better, please change it.",
)
_RENAMED = (
    "{old} is {new} now, {n} places in {m} files. Nothing outside the repository used it.",
    "Done, {n} occurrences. The old name stays as an alias until the next release and warns.",
    "Changed in {m} files; {new} is what the tests import as well.",
)
_OLD_NAME = (
    "where did {old} go?", "what is {old} called these days?", "I can't find {old} any more", "{old} is undefined after my rebase, what replaced it?",
    "an old branch calls {old}, what should it call?",
)  # fmt: skip


def make() -> Corpus:
    """The whole set; ``source`` is the digest of what it says."""
    draw = random.Random(1903)
    written = [record for name in _WRITTEN for record in records.read(name)]
    everyday = records.exchanges("routine.txt")
    sessions = [_around(record, everyday, draw) for record in written if record.is_session]
    pages = [record.page() for record in written if not record.is_session and record.name != records.NONE]
    questions = [question for record in written for question in record.questions()]
    for part in (_renamed(draw), flooded()):
        sessions += part[0]
        pages += part[1]
        questions += part[2]
    sessions += [_work(project, number, everyday, draw) for project in PROJECTS for number in range(_EVERYDAY)]
    digest = hashlib.sha256(repr((sessions, pages, questions)).encode()).hexdigest()
    return Corpus("coding", tuple(sessions), tuple(questions), tuple(pages), digest)


def _around(record: records.Record, everyday: list[tuple[str, str]], draw: random.Random) -> Session:
    """What the record says, in the middle of everyday work."""
    before = tuple(turn for _ in range(draw.randint(0, 2)) for turn in _exchange(record.project, everyday, draw))
    after = tuple(turn for _ in range(draw.randint(0, 2)) for turn in _exchange(record.project, everyday, draw))
    return record.session(before, after)


def _work(project: str, number: int, everyday: list[tuple[str, str]], draw: random.Random) -> Session:
    at = _BEGAN + timedelta(days=draw.randint(0, 320), hours=draw.randint(0, 9))
    turns = tuple(turn for _ in range(draw.randint(2, 5)) for turn in _exchange(project, everyday, draw))
    return Session(f"{project}:everyday-{number}", project, at, turns)


def _exchange(project: str, everyday: list[tuple[str, str]], draw: random.Random) -> Iterator[Turn]:
    """A prompt, a few tool calls and the answer."""
    prompt, answer = draw.choice(everyday)
    thing = draw.choice(_THINGS[project])
    stem = thing.rpartition(" ")[2].replace(" ", "_")
    file = _FILES[project].format(stem, stem)
    yield Turn("user", prompt.format(thing=thing, file=file))
    yield Turn("tool", f"1\t{draw.choice(('import', 'use', '// ', '# '))} {stem}\n2\t", "Read", (("file_path", file),))
    if draw.random() < 0.6:
        yield Turn("tool", f"{draw.randint(12, 900)} passed in {draw.randint(1, 70)}s", "Bash", (("command", _CHECKS[project]),))
    yield Turn("assistant", answer.format(thing=thing, file=file))


def _renamed(draw: random.Random) -> tuple[list[Session], list[Page], list[Question]]:
    """Symbols with a new name, asked for by the old one; every other one has a page that tells of both."""
    sessions: list[Session] = []
    pages: list[Page] = []
    questions: list[Question] = []
    for number, (project, old, new, why) in enumerate(records.rows("renamed.txt")):
        said = {"old": old, "new": new, "why": why, "n": draw.randint(4, 60), "m": draw.randint(2, 19)}
        turns = (
            Turn("user", _RENAME[number % 3].format(**said)),
            Turn("tool", f"{said['n']} matches in {said['m']} files", "Grep", (("pattern", old),)),
            Turn("assistant", _RENAMED[number // 2 % 3].format(**said)),
        )
        key = f"{project}:renamed-{new}"
        sessions.append(Session(key, project, _BEGAN + timedelta(days=9 * number + 3), turns))
        gold = [key]
        if number % 2:
            page = Page(project, f"concepts/{new.replace('.', '-').lower()}.md", new, f"`{new}` has its name because {why}. Until this year it was `{old}`.\n")
            pages.append(page)
            gold.append(page.key)
        questions.append(Question(project, "renamed", _OLD_NAME[number % 5].format(old=old), tuple(gold)))
    return sessions, pages, questions
