"""No server, no harm: the agents work and nothing is lost."""

from __future__ import annotations

from tests.acceptance.product import wait_for
from tests.acceptance.script import Say, Shell
from tests.acceptance.stage import Stage, check

PROMPT = "Please look after the terns."


def _outage(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    stage.teach(PROMPT, Shell("echo tern-31"), Say("The terns are well."))
    stage.product.stop()
    done = stage.run(agent, PROMPT)
    assert len(stage.requests(PROMPT)) == 2, "the agent did not do its work"
    assert done.seconds < 15, f"with the server down the agent took {done.seconds:.1f} s"
    stage.product.serve()
    stage.product.page_with("tern-31", 15)
    lines = [line for line in stage.product.evidence().splitlines() if PROMPT in line and '"user-prompt"' in line]
    assert len(lines) == 1, f"the prompt is kept {len(lines)} times"
    spool = stage.product.data / "spool"
    wait_for("the spool is empty", lambda: not list(spool.glob("[0-9]*.json")))


@check("claude-code", "works with the server down and its events arrive when it is back")
def claude_outage(stage: Stage) -> None:
    _outage(stage, "claude-code")


@check("codex", "works with the server down and its events arrive when it is back")
def codex_outage(stage: Stage) -> None:
    _outage(stage, "codex")


@check("claude-code", "the server is restarted in the middle of a session and nothing is lost or doubled")
def restart(stage: Stage) -> None:
    stage.ready("claude-code")
    steps = [Shell(f"echo tern-{n}; sleep 0.3") for n in range(8)]
    stage.teach(PROMPT, *steps, Say("The terns are well."))
    claude = stage.world.start("claude-code", PROMPT)
    wait_for("the third command", lambda: len(stage.model.asked_with(PROMPT)) >= 4, 30)
    stage.product.stop()
    stage.product.serve()
    assert claude.wait(60).code == 0
    stage.product.page_with("tern-7")
    kept = [line for line in stage.product.evidence().splitlines() if '"post-tool-use"' in line]
    assert len(kept) == 8, f"8 commands ran, {len(kept)} are kept"
