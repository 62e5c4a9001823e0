"""Whether a statement says that a thing is used no more, and another that it is used."""

from __future__ import annotations

import re

from ai_memory.domain.claim import claim, plain, stems
from ai_memory.domain.claim_words import VACUOUS
from ai_memory.domain.statement import Statement

_NAME = r"[`\w][\w`./+#-]*(?: [`\w][\w`./+#-]*){0,3}?"
_WHERE = rf"(?:\s(?:from|in|for|of|as)\s(?P<where>(?:the\s|our\s)?{_NAME}(?: \w+)?))?"
_LONGEST = 160
_DROPPED = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?:we\s)?(?:have\s)?(?:dropped|removed|abandoned|retired|ditched|"
        r"got rid of|stopped using|phased out|moved off|moved away from)"
        rf"\s(?P<what>{_NAME}){_WHERE}$",
        rf"^(?P<what>{_NAME})\s(?:was|were|has been|have been|is|got)\s(?:replaced|removed|dropped|"
        rf"superseded|retired|abandoned)(?:\s(?:by|with)\s{_NAME})?{_WHERE}$",
        rf"^(?:we\s)?(?:migrated|moved|switched|ported)\s(?:(?P<where>(?:the\s|our\s)?{_NAME})\s)?from\s(?P<what>{_NAME})\sto\s{_NAME}$",
        rf"^(?:we\s)?replaced\s(?P<what>{_NAME})\s(?:with|by)\s{_NAME}{_WHERE}$",
        rf"^(?:(?P<where>(?:the\s|our\s)?{_NAME})\s)not uses?\s(?P<what>{_NAME})$",
        rf"^we\snot use\s(?P<what>{_NAME}){_WHERE}$",
    )
)
_USED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:we\s)?use\s(?P<what>{_NAME}){_WHERE}$",
        rf"^(?P<where>(?:the\s|our\s)?{_NAME})\s(?:uses?|runs? on|relies on|"
        rf"is built (?:with|on)|is bundled with|is backed by)\s(?P<what>{_NAME})$",
    )
)


def gone(statement: Statement) -> re.Match[str] | None:
    """What ``statement`` says is used no more: ``what``, and ``where`` if it says so."""
    return None if len(statement.text) > _LONGEST or statement.text.rstrip().endswith("?") else _match(_DROPPED, statement)


def clash(dropped: Statement, used: Statement) -> str:
    """What ``dropped`` says is used no more and ``used`` says is used in the same place; empty if there is none."""
    before = gone(dropped)
    if before is None or len(used.text) > _LONGEST or claim(used) is None:
        return ""
    after = _match(_USED, used)
    if after is None or not stems(before["what"]) or stems(before["what"]) != stems(after["what"]):
        return ""
    return before["what"] if _where(before, dropped) == _where(after, used) else ""


def _match(patterns: tuple[re.Pattern[str], ...], statement: Statement) -> re.Match[str] | None:
    text = plain(statement.text)
    return next((m for pattern in patterns if (m := pattern.match(text))), None)


def _where(m: re.Match[str], statement: Statement) -> frozenset[str]:
    """The place that is named, else what the page is about."""
    return stems(m["where"] if m["where"] and m["where"] != "we" else statement.topic) - _VACUOUS


_VACUOUS = stems(" ".join(sorted(VACUOUS)))
