"""An event whose path can be read as excluded leaves no trace."""

from __future__ import annotations

import json
import os
import unicodedata
from typing import Any

import pytest

from ai_memory.hook import hook

EDITS = {"file_path": "src/a.py", "old_string": "secret/x", "new_string": "y"}
PATCH = "*** Begin Patch\n*** Update File: {0}\n@@\n-a\n+b\n*** End Patch\n"


def tool(name: str, **given: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given}


def shell(command: Any) -> dict[str, Any]:
    return tool("Bash", command=command)


# Under the patterns secret/**, *.pem, build/*.log, ~/private, "quoted secret/file", Größe/**, /opt/vault.
DROPPED = [
    tool("Read", file_path="secret/x"),
    tool("Read", file_path="{repo}/secret/deep/er/x"),
    tool("Read", file_path="./a/../secret//x"),
    tool("Read", file_path="../repo/secret/x"),
    tool("Read", file_path="SECRET/X"),
    tool("Read", file_path="link/x"),
    tool("Read", file_path="inner.txt"),
    tool("Read", file_path="~/private/diary"),
    tool("Read", file_path="{home}/private"),
    tool("Read", file_path="/opt/vault/key"),
    tool("Read", file_path="file://{repo}/secret/x"),
    tool("Read", file_path="/proc/self/cwd/secret/x"),
    tool("Read", file_path=unicodedata.normalize("NFD", "Größe/x")),
    tool("Read", file_path=unicodedata.normalize("NFC", "GRÖSSE/x")),
    tool("Write", file_path="keys/deep/server.pem", content="k"),
    tool("Edit", file_path="build/today.log", old_string="a", new_string="b"),
    tool("MultiEdit", file_path="secret/x", edits=[]),
    tool("NotebookEdit", notebook_path="secret/n.ipynb"),
    tool("apply_patch", command=PATCH.format("secret/x")),
    tool("apply_patch", input="*** Begin Patch\n*** Add File: a\n+x\n*** Move to: secret/b\n*** End Patch"),
    {"tool_name": "apply_patch", "tool_input": PATCH.format("secret/x")},
    tool("patch", patch="diff --git a/secret/x b/secret/x\n--- a/secret/x\n+++ b/secret/x\n"),
    tool("patch", patch="--- a/ok\n+++ b/secret/new name\t2026-11-30\n"),
    tool("patch", patch="diff --git a/ok b/ok2\nrename from ok\nrename to secret/x\n"),
    tool("mcp__filesystem__read_file", path="secret/x"),
    tool("mcp__filesystem__move_file", source="a", destination="secret/x"),
    tool("mcp__files__read_many", arguments={"paths": ["a", "secret/x"]}),
    tool("SomeNewTool", nested=[{"targetFile": "secret/x"}]),
    {"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_response": {"file": {"filePath": "{repo}/secret/x"}}},
    {"file_path": "{repo}/secret/x", "content": "x"},
    {"command": "cat secret/x"},
    {"tool_calls": [tool("Read", file_path="a"), tool("Read", file_path="secret/x")]},
    tool("Grep", pattern="x"),
    tool("Glob", pattern="*"),
    tool("LS", path="."),
    tool("mcp__fs__search_files", query="x"),
    shell("cat secret/x"),
    shell("cat ./secret/x | head"),
    shell("cat ../repo/secret/x"),
    shell("cat '{repo}/secret/x'"),
    shell('cat "quoted secret/file"'),
    shell("cat 'quoted secret/file'"),
    shell("cat quoted\\ secret/file"),
    shell('cat "quoted secret"/file'),
    shell("cat sec\"re\"t/x"),
    shell("cat se\\cret/x"),
    shell("cat se'c'ret/x"),
    shell("tool --file=secret/x"),
    shell('tool --file="secret/x"'),
    shell("A=secret/y cmd"),
    shell("export A=b:secret/y"),
    shell("tool -P:secret/x"),
    shell("cc -Isecret/x a.c"),
    shell("curl -d @secret/x example.org"),
    shell("echo hi >secret/x"),
    shell("echo hi 2>>secret/x"),
    shell("cmd <secret/x"),
    shell("cat `echo secret/x`"),
    shell("echo $(cat secret/x)"),
    shell("(cat secret/x)"),
    shell("true;cat secret/x"),
    shell("true&&cat secret/x||false"),
    shell("true\ncat secret/x"),
    shell("cat secret/\\\nx"),
    shell("bash -lc 'cat secret/x'"),
    shell("bash -c \"cat 'quoted secret/file'\""),
    shell("python -c \"open('secret/x').read()\""),
    shell("ls secret"),
    shell("cd secret && cat x"),
    shell("cd sub && cat ../secret/x"),
    shell("git -C .. show HEAD:repo/secret/x"),
    shell("git show HEAD:secret/x"),
    shell("scp host:a secret/x"),
    shell("cat sec*/x"),
    shell("cat s?cret/x"),
    shell("cat [s]ecret/x"),
    shell("cat {secret,other}/x"),
    shell("cat sec{ret,}/x"),
    shell("cat *"),
    shell("cat ~/private/diary"),
    shell("cat $HOME/private/diary"),
    shell("cat ${HOME}/private/diary"),
    shell("cat $PWD/secret/x"),
    shell("cat link/x"),
    shell("cat SECRET/x"),
    shell("openssl x509 -in deep/down/a.pem"),
    shell("rg password"),
    shell("/usr/bin/rg password src"),
    shell("sudo -n env A=1 rg password"),
    shell("bash -lc 'rg password'"),
    shell("find . -type f"),
    shell("grep -rn password ."),
    shell("git grep password"),
    shell("ls -laR"),
    shell("cat <<'EOF' | apply_patch\n" + PATCH.format("secret/x") + "EOF"),
    shell(["bash", "-lc", "cat secret/x"]),
    shell(["cat", "quoted secret/file"]),
    shell(["grep", "-r", "x", "."]),
    shell("echo " + " ".join(f"w{n}" for n in range(40))),
    shell("x" * 70_000),
    tool("exec_command", cmd="cat x", workdir="{repo}/secret"),
    tool("exec_command", cmd="cat x", workdir="secret"),
    tool("exec_command", cmd="cat ../secret/x", workdir="{repo}/sub"),
    tool("run", command="cat", args=["secret/x"]),
    {"cwd": "{repo}/secret", "prompt": "hello"},
    {"cwd": "{repo}/link", "prompt": "hello"},
]
KEPT = [
    {"prompt": "what is in secret/x?"},
    {"prompt": "mail bob@example.com and look at @src/a.py"},
    {"last_assistant_message": "I read secret/x"},
    tool("Read", file_path="src/secretary/x"),
    tool("Read", file_path="secrets/x"),
    tool("Read", file_path="sub/secret/x"),
    tool("Read", file_path="build/deep/today.log"),
    tool("Read", file_path="key.pem.txt"),
    tool("Read", file_path="app/[id]/page.tsx"),
    tool("Edit", **EDITS),
    tool("WebSearch", query="secret/x"),
    tool("ToolSearch", query="x"),
    tool("mcp__linear__search", query="secret/x"),
    tool("SomeNewTool", text="secret/x"),
    tool("Bash", command="make test", description="reads secret/x"),
    {"tool_name": "SomeNewTool", "tool_input": {}, "tool_response": "secret/x says hello"},
    shell("cat src/a.py && git status --short"),
    shell("grep -n password src/a.py"),
    shell("git commit -m 'mend how the parser handles the end of a file, and write a test for it'"),
    shell("git commit -m '" + "many words in one message " * 12 + "'"),
    shell("ls src/*.py"),
    shell("npm run build -- --watch"),
    shell("echo secretary"),
    tool("apply_patch", command=PATCH.format("src/a.py")),
]
REDUCED = {
    "mention-excluded": [
        {"prompt": "read @secret/x please"},
        {"prompt": 'read @"quoted secret/file", please'},
        {"prompt": "(see @secret/x#L10-20)."},
        {"prompt": [{"type": "text", "text": "look: @./secret/x!"}]},
        {"prompt": "@~/private/diary"},
    ],
    "transcript-excluded": [{"prompt": "hello", "transcript_path": "{home}/private/t.jsonl"}],
    "path-unreadable": [
        tool("Read", file_path=7),
        tool("Read", file_path="x" * 5000),
        tool("Read"),
        tool("apply_patch", command="Begin Something"),
        tool("read_many_files", paths=[f"f{n}" for n in range(40)]),
    ],
    "over-budget": [{"prompt": " ".join(f"@name{n}" for n in range(40))}],
    "later-output": [{"tool_name": "BashOutput", "tool_input": {"bash_id": "1"}, "tool_response": "x"}],
}


@pytest.fixture
def excluded(place: Any) -> Any:
    place.ignore("secret/**", "*.pem", "build/*.log", "~/private", "quoted secret/file", "Größe/**", "/opt/vault")
    for folder in (place.repo / "secret", place.repo / "sub", place.repo / "src", place.home / "private"):
        folder.mkdir()
    (place.repo / "link").symlink_to(place.repo / "secret")
    (place.repo / "secret" / "inner").write_text("x", encoding="utf-8")
    (place.repo / "inner.txt").symlink_to("secret/inner")
    return place


def filled(place: Any, payload: dict[str, Any]) -> dict[str, Any]:
    raw = json.dumps(payload).replace("{repo}", str(place.repo)).replace("{home}", str(place.home))
    return dict(json.loads(raw))


def name(payload: dict[str, Any]) -> str:
    given = payload.get("tool_input", payload)
    shown = list(given.values())[:1] if isinstance(given, dict) else given
    return ascii(f"{payload.get('tool_name', '')} {shown}")[:70]


@pytest.mark.parametrize("payload", DROPPED, ids=name)
def test_what_can_be_read_as_excluded_leaves_no_trace(excluded: Any, server: Any, payload: dict[str, Any]) -> None:
    excluded.local_server(server.url)
    before = sorted(excluded.data.rglob("*"))
    assert excluded.run("post-tool-use", filled(excluded, payload)).stdout == b""
    assert sorted(excluded.data.rglob("*")) == before
    assert server.requests == []


@pytest.mark.parametrize("payload", KEPT, ids=name)
def test_what_is_not_excluded_is_kept_whole(excluded: Any, payload: dict[str, Any]) -> None:
    excluded.run("post-tool-use", filled(excluded, payload))
    ((header, body),) = excluded.spooled()
    assert not header["reduced"]
    assert json.loads(body).items() >= payload.items()


@pytest.mark.parametrize(("why", "payload"), [(why, one) for why, all_ in REDUCED.items() for one in all_])
def test_what_cannot_be_told_keeps_its_metadata_only(excluded: Any, why: str, payload: dict[str, Any]) -> None:
    excluded.run("post-tool-use", filled(excluded, payload))
    ((header, body),) = excluded.spooled()
    assert header["reduced"]
    assert json.loads(body).keys() <= {"session_id", "hook_event_name", "tool_name"}
    assert excluded.check("post-tool-use", filled(excluded, payload))["reason"] == why


def test_before_and_after_a_tool_call_the_same_rule_holds(excluded: Any) -> None:
    for event in ("pre-tool-use", "post-tool-use", "PreToolUse", "permission-request"):
        excluded.run(event, tool("Read", file_path="secret/x"))
    assert excluded.spooled() == []


def test_a_session_in_an_excluded_directory_does_not_exist_for_us(excluded: Any, server: Any) -> None:
    excluded.local_server(server.url)
    for event in ("session-start", "user-prompt", "stop", "session-end"):
        excluded.run(event, {"cwd": str(excluded.repo / "secret")})
    assert excluded.spooled() == [] and server.requests == []
    assert not (excluded.data / "live").exists()


def test_exclusions_of_every_marker_on_the_way_add_up(place: Any) -> None:
    inner = place.repo / "a"
    inner.mkdir()
    place.ignore("one", folder=inner)
    place.ignore("two", folder=place.repo)
    place.ignore("~/three", folder=place.home)
    for path in (inner / "one", place.repo / "two", place.home / "three"):
        place.run("post-tool-use", {"cwd": str(inner), **tool("Read", file_path=str(path))})
    place.run("post-tool-use", {"cwd": str(inner), **tool("Read", file_path=str(place.repo / "one"))})
    assert len(place.spooled()) == 1


def test_a_path_is_judged_by_the_markers_above_it_too(place: Any) -> None:
    other = place.home / "work" / "other"
    (other / "deep").mkdir(parents=True)
    (place.repo / "linked").symlink_to(other)
    place.ignore("deep/**", folder=other)
    for path in (other / "deep" / "x", "../other/deep/x", "linked/deep/x"):
        place.run("post-tool-use", tool("Read", file_path=str(path)))
        place.run("post-tool-use", shell(f"cat {path}"))
    assert place.spooled() == []
    place.run("post-tool-use", tool("Read", file_path=str(other / "README")))
    assert len(place.spooled()) == 1


def test_a_directory_reached_through_a_link_has_the_markers_of_both_ways(place: Any) -> None:
    real = place.home / "real" / "deep"
    real.mkdir(parents=True)
    (place.repo / "via").symlink_to(real)
    place.ignore("x1", folder=place.home / "real")
    place.ignore("via/x2", folder=place.repo)
    for path in ("../x1", "x2"):
        place.run("post-tool-use", {"cwd": str(place.repo / "via"), **tool("Read", file_path=path)})
    assert place.spooled() == []


@pytest.mark.parametrize(
    "text",
    [
        "[capture\n", "[capture]\nignore_paths = 'x'", "[capture]\nignore_paths = [1]",
        "[capture]\nignore_paths = ['']",
        "capture = 3", "[capture]\nignore_paths = [\n", "[capture]\nignore_path = ['x']", "[capture]\nschema = 2",
        "[capture]\nignore_paths = " + json.dumps([f"p{n}" for n in range(129)]),
        "[capture]\nignore_paths = " + json.dumps(["x" * 1025]),
        "[capture]\n# " + "x" * 66_000, '"capt\\u0075re".ignore_paths = [1]', "[capture]\na = \xff".encode("latin-1"),
    ],
)  # fmt: skip
def test_a_policy_that_cannot_be_read_leaves_metadata_only(place: Any, text: str | bytes) -> None:
    (place.repo / ".ai-memory.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    place.run("user-prompt", {"prompt": "the words"})
    ((header, body),) = place.spooled()
    assert header["reduced"] and b"words" not in body
    assert header["markers"] == [str(place.repo / ".ai-memory.toml")]
    assert place.check("user-prompt", {"prompt": "x"})["reason"] == "policy-unreadable"


@pytest.mark.parametrize("kind", ["directory", "pipe", "nowhere", "loop"])
def test_a_marker_that_is_no_file_counts_as_unreadable_and_is_not_waited_for(place: Any, kind: str) -> None:
    path = place.repo / ".ai-memory.toml"
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else "missing")
    place.run("stop", {"last_assistant_message": "the words"})
    ((header, _),) = place.spooled()
    assert header["reduced"]


def test_an_unreadable_policy_does_not_open_what_another_excludes(place: Any) -> None:
    place.ignore("secret", folder=place.home / "work")
    place.marker("[capture\n")
    place.run("post-tool-use", tool("Read", file_path="../secret"))
    assert place.spooled() == []


@pytest.mark.parametrize(
    "text",
    [
        '[capture]\nignore_paths = ["secret"]', '[capture]\nignore_paths = [\n  "a",  # one\n  "secret",\n]\n',
        '[capture]\nignore_paths = [\n  "a",\n  "secret",\n]\n', "[capture]\r\nignore_paths = ['secret']\r\n",
        'capture.ignore_paths = ["secret"]', 'capture = { ignore_paths = ["secret"] }',
        '["capture"]\n"ignore_paths" = ["secret"]',
        'project = "a#b"\nn = 1\nyes = true\n[ capture ]\nschema = 1\nignore_paths = ["s\\u0065cret"]',
        '[capture]\nignore_paths = ["""secret"""]',
        '# x\n\n[other]\nd = 2026-01-01\n[capture]\n\tignore_paths=["x","secret" ]#y',
    ],
)  # fmt: skip
def test_every_way_to_write_a_policy_in_toml_is_understood(place: Any, text: str) -> None:
    place.marker(text)
    place.run("post-tool-use", tool("Read", file_path="secret/x"))
    assert place.spooled() == []
    place.run("post-tool-use", tool("Read", file_path="other"))
    assert [header["reduced"] for header, _ in place.spooled()] == [False]


def test_a_plain_policy_needs_no_toml_library(place: Any) -> None:
    plain = 'workspace = "w"\naliases = ["a", "b"]\n[capture]\nignore_paths = [\n "x",\n "y"\n]\n'
    for text in (plain, "# nothing\n", ""):
        tables = hook.plain_toml(text)
        assert tables.get("capture") in (None, {"ignore_paths": ["x", "y"]})


def test_hostile_patterns_and_paths_stay_within_the_budget(place: Any) -> None:
    place.ignore(*("**/" + "*a" * 200 + "b" for _ in range(100)))
    path = "/".join("a" * 200 for _ in range(15))
    done = place.check("post-tool-use", tool("Read", file_path=path))
    assert done["decision"] == "drop" and done["reason"] == "over-budget"


def test_the_dry_run_says_why_and_writes_nothing(excluded: Any) -> None:
    before = sorted(excluded.data.rglob("*"))
    said = excluded.check("post-tool-use", shell("cat secret/x"))
    assert said == {
        "decision": "drop", "reason": "command-excluded", "patterns": 7,
        "markers": [str(excluded.repo / ".ai-memory.toml")],
        "scope": {"cwd": str(excluded.repo), "root": str(excluded.repo), "session": True},
    }  # fmt: skip
    assert excluded.check("stop", {})["decision"] == "keep"
    assert excluded.check("stop", b"{")["decision"] == "drop"
    (excluded.data / "disabled").touch()
    assert excluded.check("stop", {})["reason"] == "disabled"
    assert sorted(excluded.data.rglob("*")) == [excluded.data / "disabled", *before]
