"""The work that is recorded: two small checkouts, what the person says, what the model answers."""

from __future__ import annotations

import re
from pathlib import Path

from tests.acceptance.agents import World
from tests.acceptance.conversation import Conversation
from tests.acceptance.script import Asked, Call, Hold, Rule, Say, Script, Shell

MCP = Path(__file__).with_name("recorded_mcp.py")
GREETING = {"README.md": "# Greeter\n\nSays hello.\n", "greet.py": 'def greet(name):\n    return "hello " + name\n'}
PATCH = (
    "*** Begin Patch\n*** Update File: greet.py\n@@\n"
    '-    return "hello " + name\n+    return f"Hello, {name}!"\n*** End Patch\n'
)
FAILING = "python3 -c 'import greeter'"
HELD = Hold(Say("Never said."))

CLAUDE_TOOLS = "Look around and fix the greeting."
CODEX_TOOLS = "Look around and mend the greeting."
CODEX_OLDER = "Look around once more."
CLAUDE_DELEGATE = "Let a helper count the files."
CODEX_DELEGATE = "Let an agent count the files."
SUBTASK = "Count the files in the checkout"
WAIT = "Wait for me."
SUMMARY = "The greeting became an f-string. Open: the greeter package."


def _targets(asked: Asked) -> dict[str, list[str]]:
    return {"targets": re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", asked.results[-1])}


def greeting(project: Path) -> Script:
    """The rules of the contract recordings."""
    greet, missing = str(project / "greet.py"), str(project / "missing.py")
    edit = {"file_path": greet, "old_string": '"hello " + name', "new_string": 'f"Hello, {name}!"'}
    note = {"file_path": str(project / "NOTES.md"), "content": "Greetings are f-strings now.\n"}
    look, fail = Shell("cat greet.py && git status --short"), Shell(FAILING)
    ask = Call("memory_query", {"query": "greeting style"})
    stop = Say("Greetings are f-strings now; greeter is not there yet.")
    helper = {"description": "Count files", "prompt": SUBTASK, "subagent_type": "general-purpose"}
    return Script(
        Rule(CLAUDE_TOOLS, (look, fail, Call("Read", {"file_path": greet}), Call("Read", {"file_path": missing}),
                            Call("Edit", edit), Call("Write", note), Call("Grep", {"pattern": "greet"}), ask, stop)),
        Rule(CODEX_TOOLS, (look, fail, Call("apply_patch", {"input": PATCH}), ask, stop)),
        Rule(CODEX_OLDER, (look, fail, Shell(f"apply_patch <<'EOP'\n{PATCH}EOP\n"), ask, stop)),
        Rule(CLAUDE_DELEGATE, (Call("Agent", helper), Say("There are 2 files."))),
        Rule(CODEX_DELEGATE, (Call("spawn_agent", {"message": SUBTASK}), Call("wait_agent", _targets),
                              Say("There are 2 files."))),
        Rule(SUBTASK, (Shell("git ls-files | wc -l"), Say("2 files."))),
        Rule(WAIT, (HELD,)),
        Rule("Respond with TEXT ONLY", (Say(f"<summary>{SUMMARY}</summary>"),)),
        Rule("CONTEXT CHECKPOINT", (Say(SUMMARY),)),
    )  # fmt: skip


CART = '''"""A cart. Amounts are integers, in cents."""

from dataclasses import dataclass, field


@dataclass
class Cart:
    lines: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, name: str, price: int, count: int = 1) -> None:
        self.lines.append((name, price, count))

    def total(self) -> int:
        return sum(price * count for _, price, count in self.lines)
'''
CART_TEST = '''import unittest

from shop.cart import Cart


class TotalTest(unittest.TestCase):
    def test_sums_lines(self):
        cart = Cart()
        cart.add("pen", 199, 2)
        cart.add("ink", 1250)
        self.assertEqual(cart.total(), 1648)
'''
DISCOUNT_TEST = '''import unittest

from shop.cart import Cart


class DiscountTest(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()
        self.cart.add("pen", 199)

    def test_the_larger_discount_wins(self):
        self.cart.discounts += [5, 20]
        self.assertEqual(self.cart.total(), 159)

    def test_half_a_cent_is_rounded_up(self):
        self.cart.lines = [("pin", 5, 1)]
        self.cart.discounts.append(50)
        self.assertEqual(self.cart.total(), 3)
'''
TOTAL = "    def total(self) -> int:\n        return sum(price * count for _, price, count in self.lines)\n"
FIRST = (
    "    discounts: list[int] = field(default_factory=list)\n\n"
    "    def add(self, name: str, price: int, count: int = 1) -> None:\n"
    "        self.lines.append((name, price, count))\n\n"
    "    def total(self) -> int:\n"
    "        full = sum(price * count for _, price, count in self.lines)\n"
    "        percent = max(self.discounts, default=0)\n"
    "        return round(full * (100 - percent) / 100)\n"
)
CODES = '''"""Discount codes: one line a code in codes.txt, ``CODE PERCENT LAST-DAY``."""

from datetime import date
from pathlib import Path


def find(code: str, today: date, path: Path = Path("codes.txt")) -> int:
    """The percentage of ``code``. Raises KeyError."""
    for line in path.read_text(encoding="utf-8").splitlines():
        name, percent, _last = line.split()
        if name == code:
            return int(percent)
    raise KeyError(code)
'''
CODES_TEST = '''import tempfile
import unittest
from datetime import date
from pathlib import Path

from shop.codes import find


class CodesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "codes.txt")
        self.path.write_text("SPRING 20 2026-05-31\\n", encoding="utf-8")

    def test_a_code_is_found(self):
        self.assertEqual(find("SPRING", date(2026, 5, 1), self.path), 20)

    def test_an_expired_code_is_refused(self):
        with self.assertRaises(KeyError):
            find("SPRING", date(2026, 6, 1), self.path)
'''
SHOP = {
    "README.md": "# Shop\n\nA cart and its prices. Tests: `python3 -m unittest -q`\n",
    "shop/__init__.py": "", "shop/cart.py": CART, "tests/__init__.py": "", "tests/test_cart.py": CART_TEST,
    ".gitignore": "__pycache__/\n",
}  # fmt: skip
PROMPTS = (
    "Add percentage discounts to the cart. Two decisions: discounts never stack, the larger one wins; and amounts stay "
    "integers in cents, half a cent is rounded up.",
    "Good. Next: discount codes with a last day, read from codes.txt. Plain text on purpose, no database for this. "
    "Don't touch Cart.total any more.",
    "Yes, refuse expired codes. The last day itself still counts.",
)
PACE = {
    "SessionStart": 0, "UserPromptSubmit": 45_000, "PreToolUse": 4_000, "PostToolUse": 900, "PostToolUseFailure": 1_100,
    "Stop": 6_000, "SessionEnd": 8_000,
}  # fmt: skip


def shop(project: Path) -> Script:
    """The rules of the bundled recording: a red test is mended, a second feature stays unfinished."""
    HELD.held.clear()
    HELD.release.clear()
    cart, codes = str(project / "shop" / "cart.py"), str(project / "shop" / "codes.py")
    run = Shell("python3 -m unittest -q")
    before = CART[CART.index("\n    def add") :]
    rounding = {
        "old_string": "round(full * (100 - percent) / 100)",
        "new_string": "(full * (100 - percent) + 50) // 100",
    }
    return Script(
        Rule("Add percentage discounts", (
            Call("Read", {"file_path": cart}),
            run,
            Call("Edit", {"file_path": cart, "old_string": before, "new_string": FIRST}),
            Call("Write", {"file_path": str(project / "tests" / "test_discount.py"), "content": DISCOUNT_TEST}),
            run,
            Call("Edit", {"file_path": cart, **rounding}),
            run,
            Say("Discounts are in: the larger one wins and amounts stay integers. round() rounds half to even, so half "
                "a cent went down; integer arithmetic mended that. All 3 tests pass."),
        )),
        Rule("discount codes with a last day", (
            Call("Write", {"file_path": codes, "content": CODES}),
            Call("Write", {"file_path": str(project / "tests" / "test_codes.py"), "content": CODES_TEST}),
            run,
            Say("shop/codes.py reads codes.txt and finds a code. Not done: an expired code is still accepted, "
                "test_an_expired_code_is_refused fails. Next: compare today with the last day in find(), then say in "
                "the README what codes.txt looks like. Should the last day itself still count?"),
        )),
        Rule("refuse expired codes", (Call("Read", {"file_path": codes}), HELD)),
    )  # fmt: skip


def converse(world: World) -> None:
    """One Claude Code process, three prompts; it is asked to end while the third is under way."""
    with Conversation(world) as claude:
        for prompt in PROMPTS[:-1]:
            claude.ask(prompt)
        claude.send(PROMPTS[-1])
        HELD.held.wait(60)
    HELD.release.set()
