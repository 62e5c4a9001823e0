from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.errors import Invalid
from ai_memory.harness import toml_edit

OURS = ("mcp_servers", "ai-memory")
VALUES = {"command": "/a b/py\"thon", "args": ["-m", "x"], "env": {"AI_MEMORY_AGENT": "codex"}}
CONFIG = '''# mine
model = "gpt-5"   # fast
notes = """
[mcp_servers.ai-memory]
not a table
"""
list = [
  [1],
  [2]
]

[mcp_servers.other]
command = "x"
# about the projects
[projects."/home/ana/work"]
trust_level = "trusted"
'''


def test_a_table_is_added_at_the_end_and_taken_out_again():
    done = toml_edit.put(CONFIG, OURS, VALUES)
    assert done.startswith(CONFIG + "\n[mcp_servers.ai-memory]\n")
    assert tomllib.loads(done)["mcp_servers"]["ai-memory"] == VALUES
    assert toml_edit.drop(done, OURS) == CONFIG


def test_to_put_the_same_twice_changes_nothing():
    done = toml_edit.put(CONFIG, OURS, VALUES)
    assert toml_edit.put(done, OURS, VALUES) == done


def test_a_table_between_others_is_replaced_in_its_place():
    rest = "\n# next\n[other]\nx = 1\n"
    text = '[mcp_servers.ai-memory]\ncommand = "old"\n\n[mcp_servers.ai-memory.env]\nA = "b"\n' + rest
    done = toml_edit.put(text, OURS, {"command": "new"})
    assert done == '[mcp_servers.ai-memory]\ncommand = "new"\n' + rest
    assert toml_edit.drop(text, OURS) == rest


def test_a_quoted_key_with_dots_is_one_step():
    key = ("hooks", "state", "/home/a.b/hooks.json:stop:0:0")
    done = toml_edit.put("", key, {"trusted_hash": "sha256:00"})
    assert done == '[hooks.state."/home/a.b/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n'
    assert toml_edit.has(done, key) == {"trusted_hash": "sha256:00"}
    assert toml_edit.drop(done, key) == ""


def test_line_ends_stay():
    text = 'a = 1\r\n[b]\r\nc = 2\r\n'
    done = toml_edit.put(text, OURS, {"command": "x"})
    assert "\n" not in done.replace("\r\n", "") and toml_edit.drop(done, OURS) == text


@pytest.mark.parametrize(
    "text", ['mcp_servers = { ai-memory = { command = "x" } }\n', '[mcp_servers]\nai-memory.command = "x"\n']
)
def test_a_form_that_cannot_be_edited_safely_is_refused(text):
    with pytest.raises(Invalid, match=r"by hand|TOML"):
        toml_edit.put(text, OURS, VALUES)


def test_what_is_not_toml_is_refused():
    with pytest.raises(Invalid, match="not valid TOML"):
        toml_edit.put("a = \n", OURS, VALUES)


PIECES = st.lists(
    st.sampled_from(
        ["# c\n", "\n", 's{n} = """\n[x]\n"""\n', "l{n} = [\n  [1]\n]\n", "[t{n}]\nv = 1\n", "[[many]]\nv = '[q]'\n",
         '[t{n}."a.b]"] # end\nv = "\\""\n', "i{n} = '''a\n[mcp_servers.ai-memory]'''\n", "d{n} = {{ a = [1] }}\n"]
    ),
    max_size=7,
)
VALUE = st.text(max_size=8) | st.booleans() | st.integers(-9, 9)


@given(PIECES, st.booleans(), st.dictionaries(st.text(max_size=4), VALUE, max_size=3))
def test_to_add_and_then_remove_gives_the_same_bytes(pieces, windows, values):
    text = "".join(piece.format(n=n) for n, piece in enumerate(pieces))
    text = text.replace("\n", "\r\n") if windows else text
    done = toml_edit.put(text, OURS, {"command": "x", **values})
    assert toml_edit.has(done, OURS) == {"command": "x", **values}
    if text.strip():
        assert toml_edit.drop(done, OURS) == text
