"""Secrets and excluded paths leave no trace."""

from __future__ import annotations

import secrets
import string

from tests.acceptance.script import Call, Say, Shell
from tests.acceptance.stage import Stage, check

PROMPT = "Please check the gulls."
PRIVATE = {
    "README.md": "# Shop\n", ".ai-memory.toml": '[capture]\nignore_paths = ["private/**"]\n',
    "private/plan.txt": "The CORMORANT plan is not for others.\n",
}  # fmt: skip


def _letters(count: int) -> str:
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(count))


def _secret(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    typed, printed, password = f"sk-ant-api03-{_letters(95)}", f"ghp_{_letters(36)}", _letters(18)
    steps = (Shell(f"echo GITHUB_TOKEN={printed}"), Shell(f"DB_PASSWORD={password} sh -c 'echo gull-1'"))
    stage.teach(PROMPT, *steps, Say(f"The key {typed} works."))
    stage.run(agent, f"{PROMPT} My key is {typed}.")
    stage.product.page_with("gull-1")
    assert typed in stage.requests(PROMPT)[0].text, "the key never reached the agent, so nothing is proved"
    found = stage.product.traces(typed, printed, password)
    stage.product.stop()
    found += stage.product.traces(typed, printed, password)
    assert not found, f"a secret is in the data directory: {[f[:80] for f in found[:5]]}"
    log = (stage.root / "server.log").read_text(encoding="utf-8")
    assert not [s for s in (typed, printed, password) if s in log], "a secret is in the server's log"


@check("claude-code", "a secret typed in a prompt or printed by a command is nowhere in the data directory")
def claude_secret(stage: Stage) -> None:
    _secret(stage, "claude-code")


@check("codex", "a secret typed in a prompt or printed by a command is nowhere in the data directory")
def codex_secret(stage: Stage) -> None:
    _secret(stage, "codex")


def _excluded(stage: Stage, agent: str, *steps: Shell | Call) -> None:
    stage.ready(agent)
    stage.teach(PROMPT, *steps, Shell("echo gull-2"), Say("Checked."))
    stage.run(agent, PROMPT)
    stage.product.page_with("gull-2")
    assert "CORMORANT" in stage.requests(PROMPT)[-1].text, "the agent never read the file, so nothing is proved"
    found = stage.product.traces("CORMORANT", "private/plan")
    stage.product.stop()
    found += stage.product.traces("CORMORANT", "private/plan")
    assert not found, f"an excluded file left a trace: {found[:5]}"


@check("claude-code", "a file under an excluded path leaves no trace", PRIVATE)
def claude_excluded(stage: Stage) -> None:
    path = str(stage.world.project / "private" / "plan.txt")
    edit = {"file_path": path, "old_string": "others", "new_string": "others yet"}
    read = Call("Read", {"file_path": path})
    _excluded(stage, "claude-code", read, Call("Edit", edit), Shell("cat private/plan.txt"))


@check("codex", "a file under an excluded path leaves no trace", PRIVATE)
def codex_excluded(stage: Stage) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: private/plan.txt\n@@\n-The CORMORANT plan is not for others.\n"
        "+The CORMORANT plan is secret.\n*** End Patch\n"
    )
    _excluded(stage, "codex", Shell("cat private/plan.txt"), Call("apply_patch", {"input": patch}))
