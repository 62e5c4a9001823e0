from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.errors import Conflict, Invalid
from ai_memory.harness import claude_code, codex, edits, hooktree, instructions, trust
from ai_memory.harness.adapter import Part, Wiring
from ai_memory.harness.registry import AGENTS

WIRING = Wiring(python="/opt/my python/bin/python3", data=Path("/home/me/.local/share/ai-memory"), home=Path("/home/me"))


def machine(tmp_path: Path) -> Wiring:
    return Wiring(python="/usr/bin/python3", data=tmp_path / "data", home=tmp_path)


def part(path: Path) -> Part:
    return Part(path, instructions.put, instructions.drop)


def test_a_plan_changes_nothing_until_it_is_applied(tmp_path: Path) -> None:
    to, file = machine(tmp_path), tmp_path / "new" / "AGENTS.md"
    (plan,) = edits.installing([part(file)], to)
    assert plan.changes and "+## Memory" in plan.diff and not file.parent.exists()
    assert edits.apply([plan], to, remember=True) == []
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not edits.installing([part(file)], to)[0].changes


def test_the_backup_is_the_old_text_and_for_the_owner_alone(tmp_path: Path) -> None:
    to, file = machine(tmp_path), tmp_path / "AGENTS.md"
    file.write_text("secret\n", encoding="utf-8")
    (backup,) = edits.apply(edits.installing([part(file)], to), to, remember=True)
    assert backup.read_text(encoding="utf-8") == "secret\n" and stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE((to.data / "installed.json").stat().st_mode) == 0o600


def test_the_first_text_comes_back_after_two_edits_of_ours(tmp_path: Path) -> None:
    to, file = machine(tmp_path), tmp_path / "AGENTS.md"
    file.write_bytes(b"mine, no end of line")
    edits.apply(edits.installing([part(file)], to), to, remember=True)
    more = Part(file, lambda text, w: text + "more\n", instructions.drop)
    edits.apply(edits.installing([more], to), to, remember=True)
    assert edits.apply(edits.removing([part(file)], to), to, remember=False) == [], "nothing of a person's goes, so no backup"
    assert file.read_bytes() == b"mine, no end of line"


def test_an_edit_by_a_person_in_between_makes_a_backup_and_stays(tmp_path: Path) -> None:
    to, file = machine(tmp_path), tmp_path / "AGENTS.md"
    file.write_bytes(b"mine\n")
    edits.apply(edits.installing([part(file)], to), to, remember=True)
    file.write_bytes(file.read_bytes() + b"later\n")
    assert len(edits.apply(edits.removing([part(file)], to), to, remember=False)) == 1
    assert file.read_bytes() == b"mine\nlater\n"


def test_what_was_remembered_may_be_lost(tmp_path: Path) -> None:
    to, file = machine(tmp_path), tmp_path / "AGENTS.md"
    edits.apply(edits.installing([part(file)], to), to, remember=True)
    (to.data / "installed.json").write_text("{torn", encoding="utf-8")
    edits.apply(edits.removing([part(file)], to), to, remember=False)
    assert file.read_bytes() == b""


def test_a_directory_in_the_place_of_a_file_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").mkdir()
    with pytest.raises(Invalid, match="cannot be read"):
        edits.installing([part(tmp_path / "AGENTS.md")], machine(tmp_path))


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda a: a.name)
def test_every_part_of_every_agent_comes_out_of_an_empty_file(agent: Any) -> None:
    for one in [*agent.hooks(WIRING), *agent.tools(WIRING)]:
        done = one.put("", WIRING)
        assert one.put(done, WIRING) == done
        assert one.drop(done, WIRING).strip() in ("", "{}")


def test_tools_of_others_and_a_dropped_parent() -> None:
    (tools,) = claude_code.AGENT.tools(WIRING)
    text = '{"mcpServers": {"x": {"command": "y"}}}'
    assert tools.drop(tools.put(text, WIRING), WIRING) == text
    (table,) = codex.AGENT.tools(WIRING)
    assert table.drop(table.put('model = "m"\n', WIRING), WIRING) == 'model = "m"\n'


EVENTS = st.sampled_from(["SessionStart", "Stop", "PostToolUse", "Notification"])
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"command": st.sampled_from(["say x", "bin/hook.py", "é", "a/bin/hook.py x"])}), min_size=1)},
    optional={"matcher": st.sampled_from(["*", "Bash|Edit"])},
)
TREES = st.fixed_dictionaries(
    {},
    optional={"theme": st.text(max_size=5), "hooks": st.dictionaries(EVENTS, st.lists(GROUP, min_size=1, max_size=3), min_size=1)},
)
LAYOUT = st.sampled_from([None, 1, 2, 3, 4, "\t"])


@pytest.mark.parametrize("agent, events", [("claude-code", claude_code.EVENTS), ("codex", codex.EVENTS)])
@settings(deadline=None, max_examples=50)
@given(tree=TREES, indent=LAYOUT, crlf=st.booleans(), bom=st.booleans())
def test_hooks_put_and_dropped_leave_every_byte(agent: str, events: Any, tree: Any, indent: Any, crlf: bool, bom: bool) -> None:
    text = json.dumps(tree, ensure_ascii=False, indent=indent) + "\n"
    text = ("\ufeff" if bom else "") + (text.replace("\n", "\r\n") if crlf else text)
    done = hooktree.put(text, WIRING, agent, events)
    assert hooktree.put(done, WIRING, agent, events) == done
    for event, groups in tree.get("hooks", {}).items():
        assert json.loads(done.removeprefix("\ufeff"))["hooks"][event][: len(groups)] == groups
    back = hooktree.drop(done, WIRING)
    assert json.loads(back.removeprefix("\ufeff")) == tree
    if tree:
        assert back == text


OTHER = {"type": "command", "command": "say done"}


def test_a_handler_that_shares_our_group_stays_and_ours_is_mended_and_goes() -> None:
    old = Wiring(python="/old/python3", data=WIRING.data, home=WIRING.home)
    tree = json.loads(hooktree.put("{}", old, "claude-code", claude_code.EVENTS))
    tree["hooks"]["Stop"][0]["hooks"].append(OTHER)
    done = hooktree.put(json.dumps(tree), WIRING, "claude-code", claude_code.EVENTS)
    (group,) = json.loads(done)["hooks"]["Stop"]
    assert [one["command"] for one in group["hooks"]] == [WIRING.hook("stop", "claude-code"), "say done"]
    assert "/old/" not in done
    assert json.loads(hooktree.drop(done, WIRING)) == {"hooks": {"Stop": [{"hooks": [OTHER]}]}}


def test_of_two_of_ours_one_stays_and_one_for_an_event_no_longer_told_goes() -> None:
    group = {"hooks": [{"type": "command", "command": WIRING.hook("stop", "codex"), "timeout": 5}]}
    text = json.dumps({"hooks": {"Stop": [group, {"hooks": [OTHER]}, group], "PreToolUse": [group]}})
    hooks = json.loads(hooktree.put(text, WIRING, "codex", codex.EVENTS))["hooks"]
    assert hooks["Stop"] == [group, {"hooks": [OTHER]}] and "PreToolUse" not in hooks


@pytest.mark.parametrize("command", ["python3 ~/bin/hook.py stop now", "bin/hook.py stop codex", "x -I -S bin/hook.py stop codex; y"])
def test_a_script_of_a_person_that_has_our_name_is_not_ours(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}})
    assert hooktree.drop(text, WIRING) == text


def test_tools_of_the_same_name_that_are_not_ours_are_not_taken_out() -> None:
    (tools,) = claude_code.AGENT.tools(WIRING)
    for text in ('{"mcpServers": {"ai-memory": {"command": "/usr/bin/other"}}}', "[]", '{"mcpServers": []}'):
        assert tools.drop(text, WIRING) == text
    (table,) = codex.AGENT.tools(WIRING)
    assert table.drop('[mcp_servers.ai-memory]\ncommand = "other"\n', WIRING) == '[mcp_servers.ai-memory]\ncommand = "other"\n'


def test_what_a_person_added_to_our_entry_stays() -> None:
    (table,) = codex.AGENT.tools(WIRING)
    text = table.put("", WIRING).replace('= "approve"', '= "prompt"\ntool_timeout_sec = 5') + 'PROXY = "p"\n'
    assert table.put(text, WIRING) == text
    moved = table.put(text, Wiring(python="/new/python3", data=WIRING.data, home=WIRING.home))
    assert "/new/python3" in moved and moved == text.replace(WIRING.python, "/new/python3")
    (tools,) = claude_code.AGENT.tools(WIRING)
    tree = json.loads(tools.put("{}", WIRING))
    tree["mcpServers"]["ai-memory"] |= {"timeout": 9}
    assert tools.put(json.dumps(tree), WIRING) == json.dumps(tree)


def test_a_file_that_changed_since_the_plan_is_not_written_over(tmp_path: Path) -> None:
    to, file, other = machine(tmp_path), tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    file.write_text("one\n", encoding="utf-8")
    plan = edits.installing([part(other), part(file)], to)
    file.write_text("two\n", encoding="utf-8")
    with pytest.raises(Conflict, match="changed meanwhile"):
        edits.apply(plan, to, remember=True)
    assert file.read_text(encoding="utf-8") == "two\n" and not other.exists()


def test_a_file_with_our_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    to = Wiring(python="p", data=tmp_path / "data", home=tmp_path, http=True, url="http://127.0.0.1:1", token="tok-1")
    file = tmp_path / ".claude.json"
    file.write_text("{}", encoding="utf-8")
    file.chmod(0o644)
    edits.apply(edits.installing(claude_code.AGENT.tools(to), to), to, remember=True)
    assert b"tok-1" in file.read_bytes() and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_only_trust_in_our_own_hooks_goes(tmp_path: Path) -> None:
    groups = [{"hooks": [OTHER]}, {"hooks": [{"command": WIRING.hook("subagent-stop", "codex")}]}]
    file = tmp_path / "hooks.json"
    file.write_text(json.dumps({"hooks": {"SubagentStop": groups}}), encoding="utf-8")
    theirs = f'[hooks.state."{file}:subagent_stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    ours = f'\n[hooks.state."{file}:subagent_stop:1:0"]\ntrusted_hash = "sha256:2"\n'
    odd = '\n[hooks.state."elsewhere:subagent_stop:1:0"]\ntrusted_hash = "sha256:3"\n\n[hooks.state.odd]\nx = 1\n'
    assert trust.drop(theirs + ours + odd, file) == theirs + odd
    assert trust.drop(theirs, tmp_path / "none.json") == theirs
