"""All redaction rules, in the order in which they are reported."""

from __future__ import annotations

from ai_memory.domain.rule import Rule
from ai_memory.domain.rules_named import NAMED
from ai_memory.domain.rules_vendor import VENDOR
from ai_memory.domain.rules_wire import WIRE

RULES: tuple[Rule, ...] = VENDOR + WIRE + NAMED
