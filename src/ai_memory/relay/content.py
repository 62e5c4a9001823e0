"""What a handoff made by rule says: the goal, what was done, where it stopped, what is next. No model, no clock."""

from __future__ import annotations

from collections.abc import Iterable

from ai_memory.domain import excerpt, wording
from ai_memory.domain.digest import Digest, File
from ai_memory.domain.handoff import Baton
from ai_memory.domain.observation import Session

# Bytes; a list says how many items it leaves out.
SUMMARY, ITEM, FILE, TEXTS, FILES, ITEMS = 3_000, 1_500, 512, 6_000, 4_096, 20
_FIRST, _BETWEEN, _LAST, _DONE, _SAID = 450, 220, 600, 400, 900


def baton_from(session: Session, digest: Digest, id: str, now: str, expires: str) -> Baton | None:
    """The baton that ``session`` leaves behind, or None if nothing happened in it. Times are RFC 3339 in UTC."""
    if digest.empty:
        return None
    return Baton(
        id=id,
        workspace=session.workspace,
        project=session.project,
        summary=excerpt.block("\n\n".join(_summary(digest)), SUMMARY),
        questions=_within(_questions(digest), ITEM, TEXTS // 3),
        steps=_within(_steps(digest), ITEM, TEXTS - TEXTS // 3),
        files=_within(_files(digest), FILE, FILES, digest.file_count - len(digest.files)),
        agent=session.agent,
        session=session.id,
        cwd=session.cwd,
        branch=session.branch,
        origin="session-end",
        created=now,
        expires=expires,
    )


def _summary(digest: Digest) -> Iterable[str]:
    if digest.prompts:
        yield f"Asked first: {excerpt.block(digest.prompts[0].text, _FIRST)}"
    for prompt in digest.prompts[1:-1][-3:]:
        yield f"Asked then: {excerpt.line(prompt.text, _BETWEEN)}"
    if len(digest.prompts) > 1:
        yield f"Asked last: {excerpt.block(digest.prompts[-1].text, _LAST)}"
    yield f"Done: {excerpt.cut(_done(digest), _DONE)}"
    if digest.said:
        yield f"The agent said last: {excerpt.block(digest.said, _SAID)}"
    elif digest.summary:
        yield f"The agent's own summary: {excerpt.block(digest.summary, _SAID)}"


def _done(digest: Digest) -> str:
    """What was done, in one line of counts and names."""
    told = []
    changed = [file for file in digest.files if file.how != "read"]
    if changed:
        names = excerpt.line(", ".join(file.path for file in changed[:4]), 200)
        more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
        told.append(f"changed {names}{more}")
    if digest.fix_count:
        fixed = excerpt.line(digest.fixes[-1].command, 120)
        told.append(f"got {wording.count(digest.fix_count, 'failing command')} to pass, last {fixed}")
    if digest.calls:
        failed = f" ({digest.failures} failed)" if digest.failures else ""
        told.append(f"{wording.count(digest.calls, 'tool call')}{failed} in {wording.length(digest.seconds)}")
    if digest.subagents:
        told.append(wording.count(sum(sub.runs for sub in digest.subagents), "subagent run"))
    told.append(f"last active {wording.moment(digest.ended)}")
    return "; ".join(told) + "."


def _questions(digest: Digest) -> Iterable[str]:
    if digest.question:
        yield f"The agent asked: {digest.question}"
    if digest.unanswered and digest.prompts and "?" in digest.prompts[-1].text[-300:]:
        yield f"The person asked, without an answer: {excerpt.line(digest.prompts[-1].text, _LAST)}"


def _steps(digest: Digest) -> Iterable[str]:
    if digest.unanswered and digest.prompts:
        yield f"Continue with: {excerpt.line(digest.prompts[-1].text, _LAST)}"
    if digest.broken is not None:
        error = f" (it last failed: {digest.broken.error})" if digest.broken.error else ""
        yield f"Run again: {digest.broken.text}{error}"
    yield from digest.unfinished


def _files(digest: Digest) -> Iterable[str]:
    """Changed files with the newest change first, then those that were only read."""
    changed = [file for file in digest.files if file.how != "read"]
    looked = [file for file in digest.files if file.how == "read"]
    return map(_file, [*reversed(changed), *reversed(looked)])


def _file(file: File) -> str:
    return file.path if file.how == "edited" else f"{file.path} ({file.how})"


def _within(items: Iterable[str], each: int, most: int, gone: int = 0) -> tuple[str, ...]:
    """The first of ``items`` within the bounds in bytes and number, then how many are left out, ``gone`` ones included."""
    lines = [line for item in items if (line := excerpt.line(item, each))]
    kept: list[str] = []
    spent = 0
    for line in lines[: ITEMS - 1]:
        spent += excerpt.size(line)
        if spent > most - 40:
            break
        kept.append(line)
    left = len(lines) - len(kept) + gone
    return (*kept, f"… and {left} more") if left else tuple(kept)
