from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_memory.errors import Invalid
from ai_memory.harness import claude_code, codex, edits, hooktree, instructions
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


def test_a_group_shared_with_another_program_is_not_ours() -> None:
    ours = {"command": WIRING.hook("stop", "codex")}
    assert hooktree.owned({"hooks": [ours]})
    assert not hooktree.owned({"hooks": [ours, {"command": "say x"}]})
    assert not hooktree.owned({"hooks": []}) and not hooktree.owned(3)
