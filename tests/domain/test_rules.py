"""Each rule proves itself on its own samples."""

from __future__ import annotations

import pytest

from ai_memory.domain.redaction import Redactor
from ai_memory.domain.rule import MARK, Rule
from ai_memory.domain.rules import RULES

REDACTOR = Redactor()
CUTS = [pytest.param(rule, cut, id=f"{rule.id}-{n}") for rule in RULES for n, cut in enumerate(rule.cuts)]
KEEPS = [pytest.param(keep, id=f"{rule.id}-{n}") for rule in RULES for n, keep in enumerate(rule.keeps)]


@pytest.mark.parametrize(("rule", "cut"), CUTS)
def test_a_rule_cuts_its_secret_and_nothing_else(rule: Rule, cut: tuple[str, str, str]) -> None:
    before, secret, after = cut
    assert REDACTOR.text(before + secret + after) == before + MARK + after
    assert rule.id in [id for id, _, _ in REDACTOR.found(before + secret + after)]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_rule_leaves_its_negative_sample_alone(keep: str) -> None:
    assert REDACTOR.text(keep) == keep


def test_each_rule_has_a_name_of_its_own_and_samples_of_both_kinds() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.cuts and rule.keeps and rule.needles for rule in RULES)
    assert all(bool(rule.pattern) != bool(rule.scan) for rule in RULES)
