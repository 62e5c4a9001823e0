"""Both agents reach the memory over MCP, and land in the project they stand in."""

from __future__ import annotations

from tests.acceptance.script import Call, Say, Shell
from tests.acceptance.stage import Stage, check

CORE = (
    "memory_query", "memory_recent", "memory_read_page", "memory_write_page", "memory_briefing", "memory_handoff_begin",
    "memory_handoff_accept", "memory_handoff_list", "memory_handoff_cancel", "memory_status",
)  # fmt: skip


def _queries(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    stage.teach("Please look at the lights.", Shell("echo lights"), Say("The lighthouse keeper is called Wren-55."))
    stage.run(agent, "Please look at the lights.")
    stage.product.page_with("Wren-55")
    stage.teach("Who keeps them?", Call("memory_query", {"query": "lighthouse keeper"}), Say("Somebody."))
    stage.run(agent, "Who keeps them?")
    asked = stage.requests("Who keeps them?")[-1].asked
    assert asked and asked.results, "the tool was not called"
    assert "Wren-55" in asked.results[-1], f"memory_query answered: {asked.results[-1][:400]}"


@check("claude-code", "reaches memory_query over MCP")
def claude_queries(stage: Stage) -> None:
    _queries(stage, "claude-code")


@check("codex", "reaches memory_query over MCP")
def codex_queries(stage: Stage) -> None:
    _queries(stage, "codex")


@check("codex", "reaches memory_query over MCP with an older model's tools")
def codex_queries_classic(stage: Stage) -> None:
    config = stage.world.codex_dir / "config.toml"
    config.write_text(config.read_text(encoding="utf-8").replace("gpt-6.2-sol", "unknown-model"), encoding="utf-8")
    _queries(stage, "codex")


def _writes(stage: Stage, agent: str) -> None:
    stage.ready(agent)
    page = {"path": "decisions/lamps.md", "title": "Lamps", "body": "We chose PUFFIN lamps, because they last."}
    stage.teach("Please note it.", Call("memory_write_page", page), Say("Noted."))
    stage.run(agent, "Please note it.")
    asked = stage.requests("Please note it.")[-1].asked
    assert asked and asked.results, "the tool was not called"
    told = stage.product.call("read-page", "decisions/lamps.md", check=False).stdout
    assert "PUFFIN" in told, f"the page is not in this project; the tool answered: {asked.results[-1][:400]}"


@check("claude-code", "writes a page over MCP into the project it stands in")
def claude_writes(stage: Stage) -> None:
    _writes(stage, "claude-code")


@check("codex", "writes a page over MCP into the project it stands in")
def codex_writes(stage: Stage) -> None:
    _writes(stage, "codex")


@check("claude-code", "is offered every core tool")
def claude_tools(stage: Stage) -> None:
    stage.ready("claude-code")
    stage.teach("Which tools?", Say("Many."))
    stage.run("claude-code", "Which tools?")
    tools = [tool["name"] for r in stage.requests("Which tools?") for tool in r.body["tools"]]
    missing = [name for name in CORE if f"mcp__ai-memory__{name}" not in tools]
    assert not missing, f"not offered: {missing}; offered: {[t for t in tools if 'memory' in t]}"
