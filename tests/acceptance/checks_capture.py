"""What happened in a session is kept, once, and its page tells it."""

from __future__ import annotations

import json
from typing import Any

from tests.acceptance.conversation import Conversation
from tests.acceptance.product import wait_for
from tests.acceptance.script import Call, Say, Shell
from tests.acceptance.stage import ANY, Stage, check

PROMPT = "Please count the kestrels in the shop."


def _lines(stage: Stage) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stage.product.evidence().splitlines()]


def _asked(stage: Stage, words: str) -> list[dict[str, Any]]:
    """The prompts of the person that hold ``words``."""
    prompts = [x for x in _lines(stage) if x.get("kind") == "user-prompt" and not x.get("subagent")]
    return [x for x in prompts if words in json.dumps(x)]


def _captured(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    stage.teach(PROMPT, Shell("echo kestrel-count-17"), Say("There are seventeen kestrels."))
    stage.run(agent, PROMPT)
    path = stage.product.page_with("kestrel-count-17")
    shown = stage.product.page(path)
    assert PROMPT.rstrip(".") in shown, f"the page does not say what was asked:\n{shown}"
    assert "seventeen kestrels" in shown, f"the page does not say where it stopped:\n{shown}"
    sessions = stage.product.sessions()
    assert [s["agent"] for s in sessions] == [agent], sessions
    told = [line for line in stage.product.evidence().splitlines() if PROMPT in line and '"user-prompt"' in line]
    assert len(told) == 1, f"the prompt is kept {len(told)} times"
    hits = wait_for("a search finds the page", lambda: stage.product.search("kestrels"))
    assert any(path in json.dumps(hit) for hit in hits), hits


@check("claude-code", "a session that runs a command is captured and its page says so")
def claude_captured(stage: Stage) -> None:
    _captured(stage, "claude-code")


@check("codex", "a session that runs a command is captured and its page says so")
def codex_captured(stage: Stage) -> None:
    _captured(stage, "codex")


def _no_extra_turns(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    stage.teach(PROMPT, Shell("echo one"), Shell("echo two"), Say("Seventeen."))
    stage.run(agent, PROMPT)
    turns = len(stage.requests(PROMPT))
    assert turns == 3, f"the hooks made the agent take {turns} turns where 3 were scripted"


@check("claude-code", "hooks cause no extra turns")
def claude_no_extra_turns(stage: Stage) -> None:
    _no_extra_turns(stage, "claude-code")


@check("codex", "hooks cause no extra turns")
def codex_no_extra_turns(stage: Stage) -> None:
    _no_extra_turns(stage, "codex")


@check("claude-code", "a failing command is told as failed")
def claude_failure(stage: Stage) -> None:
    stage.ready("claude-code")
    stage.teach(PROMPT, Shell("echo no kestrels here >&2; exit 4"), Say("It failed."))
    stage.run("claude-code", PROMPT)
    path = stage.product.page_with("exit 4")
    page = stage.product.pages()[path]
    line = next(line for line in page.splitlines() if "exit 4" in line)
    assert "fail" in line.lower() or "error" in line.lower(), f"not told as failed: {line}"


@check("codex", "a file changed by apply_patch is told as changed")
def codex_patch(stage: Stage) -> None:
    stage.ready("codex")
    patch = "*** Begin Patch\n*** Update File: README.md\n@@\n-A small shop.\n+A big shop.\n*** End Patch\n"
    stage.teach(PROMPT, Call("apply_patch", {"input": patch}), Say("Changed."))
    stage.run("codex", PROMPT)
    assert "A big shop" in (stage.world.project / "README.md").read_text(encoding="utf-8")
    stage.product.page_with("README.md")


@check("claude-code", "the summary of a compaction is kept")
def claude_compaction(stage: Stage) -> None:
    stage.ready("claude-code")
    stage.teach(PROMPT, Shell("echo one"), Say("Seventeen."))
    stage.teach("Respond with TEXT ONLY", Say("<summary>Of the kestrels, GANNET-9 is still to be done.</summary>"))
    with Conversation(stage.world) as claude:
        claude.ask(PROMPT)
        claude.ask("/compact")
        wait_for("the summary is kept", lambda: "GANNET-9" in stage.product.evidence())


@check("claude-code", "a subagent's work is marked as such and its prompt is not the person's")
def claude_subagent(stage: Stage) -> None:
    stage.ready("claude-code")
    helper = {"description": "Look", "prompt": "PELICAN errand: look around", "subagent_type": "general-purpose"}
    stage.teach(PROMPT, Call("Agent", helper), Say("Seventeen."))
    stage.teach("PELICAN errand", Shell("echo from-the-helper"), Say("Looked."))
    stage.run("claude-code", PROMPT)
    stage.product.page_with("Seventeen")
    assert not _asked(stage, "PELICAN"), "the errand counts as a prompt of the person"
    made = [x for x in _lines(stage) if "from-the-helper" in json.dumps(x)]
    assert made and all(x.get("subagent") for x in made), made


@check("codex", "a subagent's prompt is not the person's")
def codex_subagent(stage: Stage) -> None:
    stage.ready("codex")
    spawn = Call("spawn_agent", {"message": "PELICAN errand: look around"})
    stage.teach(PROMPT, spawn, Shell("sleep 1"), Say("Seventeen."))
    stage.teach("PELICAN errand", Shell("echo from-the-helper"), Say("Looked."))
    stage.run("codex", PROMPT, extra=("-m", "unknown-model"))
    stage.product.page_with(PROMPT.rstrip("."))
    assert not _asked(stage, "PELICAN"), "the errand counts as a prompt of the person"


@check("codex", "text that was injected is not captured again")
def not_captured_again(stage: Stage) -> None:
    stage.ready("claude-code", "codex")
    stage.teach(PROMPT, Shell("echo one"), Say("Seventeen kestrels; the OSPREY is open."))
    stage.run("claude-code", PROMPT)
    stage.product.page_with("OSPREY")
    stage.teach("go on", Shell("cat ~/.codex/sessions/*/*/*/*.jsonl | tail -c 4000"), Say("Went on."))
    stage.run("codex", "Please go on.")
    assert ANY in stage.requests("go on")[0].text, "nothing was injected, so nothing is proved"
    stage.product.page_with("Went on")
    echoed = [line for line in stage.product.evidence().splitlines() if ANY in line]
    assert not echoed, f"injected text is kept as evidence: {echoed[0][:300]}"


