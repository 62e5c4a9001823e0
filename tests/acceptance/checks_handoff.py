"""Where one session stopped reaches the next one, once, and nobody else."""

from __future__ import annotations

import time

from tests.acceptance.agents import claude_session
from tests.acceptance.conversation import Conversation
from tests.acceptance.product import wait_for
from tests.acceptance.script import Call, Hold, Say, Shell
from tests.acceptance.stage import OFFER, Stage, check

WORK = "Please mend the invoice rounding."
STOPPED = "The rounding is half mended; the OSPREY case is still open."
NEXT = "What is left to do here?"
CLAIMED = "claimed"


def _work(stage: Stage, agent: str) -> None:
    stage.teach(WORK, Shell("echo rounding-looked-at"), Say(STOPPED))
    stage.run(agent, WORK)


def _states(stage: Stage) -> list[str]:
    return sorted(h["state"] for h in stage.product.handoffs())


def _passes(stage: Stage, first: str, second: str) -> None:
    stage.ready(first, second)
    _work(stage, first)
    stage.teach(NEXT, Shell("echo carried-on"), Say("The OSPREY case."))
    stage.run(second, NEXT)
    for request in stage.requests(NEXT):
        assert request.text.count(OFFER) == 1, f"the handoff stands {request.text.count(OFFER)} times in a request"
        assert "OSPREY case is still open" in request.text, "the handoff does not say where the work stopped"
    taken = [h for h in stage.product.handoffs() if h["state"] == CLAIMED]
    assert len(taken) == 1, stage.product.handoffs()
    stage.run(second, "And hello again.")
    for request in stage.requests("hello again"):
        assert "OSPREY case is still open" not in request.text.split("hello again")[0] or OFFER in request.text
        assert WORK.rstrip(".") not in _offered(request.text), "a handoff that was claimed is offered again"


def _offered(text: str) -> str:
    return text[text.index(OFFER) :].split("</ai-memory-context>")[0] if OFFER in text else ""


@check("codex", "gets Claude's handoff in the request that reaches the model, once")
def claude_to_codex(stage: Stage) -> None:
    _passes(stage, "claude-code", "codex")


@check("claude-code", "gets Codex's handoff in the request that reaches the model, once")
def codex_to_claude(stage: Stage) -> None:
    _passes(stage, "codex", "claude-code")


@check("codex", "opened at once after Claude is killed with -9, still gets the handoff")
def killed(stage: Stage) -> None:
    stage.ready("claude-code", "codex")
    held = Hold(Say("never said"), seconds=60)
    stage.teach(WORK, Shell("echo OSPREY-case-seen"), held)
    stage.teach(NEXT, Say("The OSPREY case."))
    claude = stage.world.start("claude-code", WORK)
    assert held.held.wait(30), "claude did not get to its second turn"
    claude.kill()
    stage.run("codex", NEXT)
    held.release.set()
    claude.end()
    text = stage.requests(NEXT)[0].text
    assert text.count(OFFER) == 1, "no handoff in Codex's first request"
    assert "invoice rounding" in text, "the handoff does not say what was asked"


@check("codex", "killed with -9, hands over to Claude opened at once")
def codex_killed(stage: Stage) -> None:
    stage.ready("claude-code", "codex")
    held = Hold(Say("never said"), seconds=60)
    stage.teach(WORK, Shell("echo OSPREY-case-seen"), held)
    stage.teach(NEXT, Say("The OSPREY case."))
    codex = stage.world.start("codex", WORK)
    assert held.held.wait(30), "codex did not get to its second turn"
    codex.kill()
    stage.run("claude-code", NEXT)
    held.release.set()
    codex.end()
    assert stage.requests(NEXT)[0].text.count(OFFER) == 1, "no handoff in Claude's first request"


@check("claude-code", "two sessions see the offer, one claims it, the other is told")
def one_claims(stage: Stage) -> None:
    stage.ready("claude-code", "codex")
    _work(stage, "codex")
    stage.product.page_with("OSPREY")
    stage.teach(NEXT, Shell("echo carried-on"), Say("The OSPREY case."))
    with Conversation(stage.world) as slow, Conversation(stage.world) as quick:
        shown = stage.product.data / "offers"
        wait_for("both were shown the offer", lambda: shown.is_dir() and len(list(shown.iterdir())) == 2, 20)
        quick.ask(NEXT + " Quickly.")
        slow.ask(NEXT + " Slowly.")
    first, second = stage.requests("Quickly.")[0].text, stage.requests("Slowly.")[0].text
    assert OFFER in first and OFFER in second, "both must have been shown the offer"
    assert "went to" in second and "went to" not in first, "the second must be told who has it, the first must not"
    states = _states(stage)
    assert states.count(CLAIMED) == 1, states


@check("claude-code", "a session is never offered its own handoff: resume, clear, compact")
def never_its_own(stage: Stage) -> None:
    stage.ready("claude-code")
    stage.teach("TEXT ONLY", Say("<summary>Rounding half mended.</summary>"))
    stage.teach(WORK, Shell("echo rounding-looked-at"), Say(STOPPED))
    session = claude_session(stage.run("claude-code", WORK))
    stage.product.page_with("OSPREY")
    with Conversation(stage.world, resume=session) as claude:
        claude.ask("Resumed?")
        claude.ask("/compact")
        claude.ask("Compacted?")
        claude.ask("/clear")
        claude.ask("Cleared?")
    for word in ("Resumed?", "Compacted?", "Cleared?"):
        assert OFFER not in stage.requests(word)[0].text, f"its own handoff is offered to it: {word}"


@check("codex", "claims and dies before doing anything: the handoff goes back")
def goes_back(stage: Stage) -> None:
    stage.ready("claude-code", "codex")
    _work(stage, "claude-code")
    held = Hold(Say("never said"), seconds=60)
    stage.teach(NEXT, held)
    codex = stage.world.start("codex", NEXT)
    assert held.held.wait(30), "codex did not ask the model"
    wait_for("codex has the handoff", lambda: CLAIMED in _states(stage))
    codex.kill()
    stage.teach("Once more.", Say("The OSPREY case."))
    stage.run("claude-code", "Once more.")
    held.release.set()
    codex.end()
    assert OFFER in stage.requests("Once more.")[0].text, "the handoff did not come back"


def _begins(stage: Stage, agent: str, other: str) -> None:
    stage.ready(agent, other)
    given = {"summary": "HERON plan: move the rounding into its own module", "next_steps": ["write rounding.py"]}
    stage.teach(WORK, Call("memory_handoff_begin", given), Say("Handed over."))
    stage.teach(NEXT, Say("The HERON plan."))
    stage.run(agent, WORK)
    time.sleep(0.5)
    stage.run(other, NEXT)
    text = stage.requests(NEXT)[0].text
    assert "HERON plan" in _offered(text), "the handoff made on purpose is not the one that is offered"


@check("claude-code", "hands over on purpose with memory_handoff_begin")
def claude_begins(stage: Stage) -> None:
    _begins(stage, "claude-code", "codex")


@check("codex", "hands over on purpose with memory_handoff_begin")
def codex_begins(stage: Stage) -> None:
    _begins(stage, "codex", "claude-code")
