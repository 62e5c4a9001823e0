"""One event in, one spool file out, exit 0 whatever happens."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ai_memory.hook import hook, packed

BASH = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_response": {"stdout": "ok"}}
EVENTS = (
    "session-start", "user-prompt", "pre-tool-use", "post-tool-use", "pre-compact", "post-compaction", "notification",
    "stop", "subagent-stop", "session-end", "something-new",
)  # fmt: skip


def test_an_event_becomes_one_file_with_a_header_and_the_payload_as_it_was(place: Any) -> None:
    raw = b'{ "session_id":"s-1",\n "cwd":"%s","tool_name":"Bash", "n": 1.50, "e":"\\u00e9\xc3\xa9" }'
    raw %= bytes(place.repo)
    place.run("post-tool-use", raw)
    ((header, body),) = place.spooled()
    assert body == raw
    assert header == {
        "v": 1, "event": "post-tool-use", "agent": "claude-code", "key": header["key"], "at": header["at"],
        "cwd": str(place.repo), "root": str(place.repo), "markers": [], "pid": os.getpid(), "born": header["born"],
        "session": "s-1", "reduced": False,
    }  # fmt: skip
    assert len(header["key"]) == 32 and int(header["key"], 16) >= 0
    assert abs(header["at"] / 1000 - time.time()) < 60
    assert header["born"].isdigit()


def test_spool_and_its_files_are_for_the_owner_alone(place: Any) -> None:
    place.run("stop", {})
    (path,) = (place.data / "spool").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((place.data / "spool").stat().st_mode) == 0o700
    at, pid, key = path.name.removesuffix(".json").split("-")
    assert len(at) == 13 and pid.isdigit() and len(key) == 8


def test_a_data_directory_that_is_not_there_is_made_for_the_owner_alone(place: Any, tmp_path: Path) -> None:
    place.run("stop", {}, AI_MEMORY_DATA_DIR=str(tmp_path / "new" / "data"))
    assert stat.S_IMODE((tmp_path / "new" / "data").stat().st_mode) == 0o700
    assert len(list((tmp_path / "new" / "data" / "spool").glob("*.json"))) == 1


def test_without_a_variable_the_data_directory_is_where_the_file_is_installed(place: Any, tmp_path: Path) -> None:
    place.hook = tmp_path / "elsewhere" / "bin" / "hook.py"
    place.hook.parent.mkdir(parents=True)
    place.hook.write_text(packed.text(), encoding="utf-8")
    del place.env["AI_MEMORY_DATA_DIR"]
    place.run("stop", {})
    assert len(list((tmp_path / "elsewhere" / "spool").glob("*.json"))) == 1


def test_elsewhere_it_is_the_place_that_xdg_names(place: Any) -> None:
    del place.env["AI_MEMORY_DATA_DIR"]
    place.run("stop", {})
    assert len(list((place.home / ".local/share/ai-memory/spool").glob("*.json"))) == 1


@pytest.mark.parametrize("event", [e for e in EVENTS if e not in ("session-start", "user-prompt")])
def test_events_that_inject_nothing_print_nothing(place: Any, server: Any, event: str) -> None:
    place.local_server(server.url)
    server.answers["/handoff"] = server.answers["/handoff/claim"] = {"text": "history", "offer": "b"}
    assert place.run(event, {"stop_hook_active": False}).stdout == b""
    assert server.requests == []
    assert place.spooled()[0][0]["event"] == event


@pytest.mark.parametrize("key", ["session_id", "sessionId", "conversation_id"])
def test_session_and_directory_are_found_under_the_names_agents_use(place: Any, key: str) -> None:
    place.run("stop", json.dumps({key: "abc", "workspace_roots": [str(place.repo)]}).encode(), agent="cursor")
    header, _ = place.spooled()[0]
    assert (header["session"], header["cwd"]) == ("abc", str(place.repo))


def test_nested_ids_and_environment_stand_in(place: Any, tmp_path: Path) -> None:
    place.run("stop", json.dumps({"properties": {"info": {"id": "deep"}}}).encode(), agent="opencode")
    place.run("stop", b'{"x": 1}', CLAUDE_CODE_SESSION_ID="from-env", CLAUDE_PROJECT_DIR=str(tmp_path))
    (first, _), (second, _) = place.spooled()
    assert first["session"] == "deep"
    assert (second["session"], second["cwd"]) == ("from-env", str(tmp_path))


def test_markers_go_from_the_nearest_outwards_and_home_is_the_last(place: Any) -> None:
    inner = place.repo / "a" / "b"
    inner.mkdir(parents=True)
    for folder in (place.repo / "a", place.repo, place.home, place.home.parent):
        place.marker('workspace = "w"\n', folder)
    place.run("stop", {"cwd": str(inner)})
    folders = [place.repo / "a", place.repo, place.home]
    assert place.spooled()[0][0]["markers"] == [str(folder / ".ai-memory.toml") for folder in folders]
    assert place.spooled()[0][0]["root"] == str(place.repo)


def test_outside_home_the_way_up_ends_at_the_checkout_and_without_one_at_once(place: Any, tmp_path: Path) -> None:
    checkout, loose = tmp_path / "srv" / "checkout", tmp_path / "srv" / "loose" / "deep"
    (checkout / "sub").mkdir(parents=True)
    (checkout / ".git").write_text("gitdir: /elsewhere\n", encoding="utf-8")
    loose.mkdir(parents=True)
    for folder in (checkout, tmp_path / "srv", loose, loose.parent):
        place.marker('workspace = "w"\n', folder)
    place.run("stop", {"cwd": str(checkout / "sub")})
    place.run("stop", {"cwd": str(loose)})
    (inside, _), (outside, _) = place.spooled()
    assert (inside["root"], inside["markers"]) == (str(checkout), [str(checkout / ".ai-memory.toml")])
    assert (outside["root"], outside["markers"]) == ("", [str(loose / ".ai-memory.toml")])


def test_the_agent_is_the_nearest_ancestor_that_is_no_shell(place: Any) -> None:
    command = " ".join(place.command("stop", "codex"))
    line = f"echo '{{\"session_id\":\"x\"}}' | bash -c '{command}; true'; true"
    subprocess.run(["sh", "-c", line], env=place.env, check=True)
    header, _ = place.spooled()[0]
    assert header["pid"] == os.getpid()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text(encoding="utf-8")
    assert header["born"] == stat.rpartition(")")[2].split()[19]


HOSTILE = {
    "empty": b"",
    "nul": b"\0" * 4096,
    "cut": b'{"session_id": "s-1", "cwd": ',
    "list": b"[1, 2]",
    "text": b'"hello"',
    "number": b"12",
    "two values": b"{} {}",
    "deep": b'{"a":' * 200_000,
    "latin-1": b'{"session_id": "s\xe9", "prompt": "\xff\xfe"}',
    "surrogate": b'{"session_id": "\\ud800", "cwd": "/\\udfff"}',
    "nul in path": b'{"session_id": "s", "cwd": "/a\\u0000b", "tool_name": "Read", "tool_input": {"path": "\\u0000"}}',
    "control": b'{"session_id": "s", "prompt": "a\x00\x01b"}',
    "wrong types": b'{"session_id": {}, "cwd": [], "tool_name": 7, "tool_input": "x", "prompt": {}, "tool_calls": 3}',
    "huge number": b'{"session_id": "s", "n": ' + b"9" * 6000 + b"}",
    "long id": b'{"session_id": "' + b"s" * 100_000 + b'"}',
    "long path": b'{"session_id": "s", "cwd": "/' + b"d" * 100_000 + b'"}',
    "odd input": b'{"session_id": "s", "tool_name": "Edit", "tool_input": {"file_path": {"a": [1, null, true]}}}',
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("event", ["session-start", "user-prompt", "post-tool-use", "session-end", ""])
def test_whatever_is_on_stdin_the_hook_ends_quietly(place: Any, kind: str, event: str) -> None:
    place.ignore("secret/**")
    assert place.run(event, HOSTILE[kind]).stdout == b""
    for header, body in place.spooled():
        assert isinstance(json.loads(body.decode()), dict), kind
        assert header["session"] or not header["reduced"]


def test_a_broken_payload_keeps_only_what_identifies_it(place: Any) -> None:
    place.run("post-tool-use", b'{"session_id": "s-9", "tool_name": "Bash", "tool_input": {"command": "cat ')
    ((header, body),) = place.spooled()
    assert header["reduced"] and header["session"] == "s-9"
    assert json.loads(body) == {"session_id": "s-9", "hook_event_name": "post-tool-use", "tool_name": "Bash"}


def test_a_payload_past_eight_mebibytes_is_reduced_and_read_to_its_end(place: Any) -> None:
    place.run("post-tool-use", {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "y" * (9 << 20)})
    ((header, body),) = place.spooled()
    assert header["reduced"]
    assert json.loads(body)["tool_name"] == "Bash" and len(body) < 200
    place.run("post-tool-use", {**BASH, "tool_response": "y" * (7 << 20)})
    assert len(place.spooled()[1][1]) > 7 << 20


def test_a_pipe_that_nobody_closes_is_not_waited_for_long(place: Any) -> None:
    begun = time.monotonic()
    process = subprocess.Popen(place.command("stop", "codex"), env=place.env, stdin=subprocess.PIPE, cwd=place.repo)
    assert process.stdin
    process.stdin.write(b'{"session_id": "open", "last_assistant_message": "done"}')
    process.stdin.flush()
    assert process.wait(10) == 0
    process.stdin.close()
    assert time.monotonic() - begun < 6
    assert place.spooled()[0][0]["session"] == "open"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "| true"])
@pytest.mark.parametrize("event", ["session-start", "post-tool-use"])
def test_closed_and_full_descriptors_do_no_harm(place: Any, server: Any, closed: str, event: str) -> None:
    place.local_server(server.url)
    server.answers["/handoff"] = {"text": "history " * 20_000}
    line = " ".join(place.command(event, "codex"))
    given = "" if "<&-" in closed else "echo '{\"session_id\":\"x\"}' | "
    script = f"set -o pipefail; {given} {line} {closed}"
    done = subprocess.run(["bash", "-c", script], env=place.env, cwd=place.repo, timeout=20)
    assert done.returncode == 0
    for _, body in place.spooled():
        assert json.loads(body) == {"session_id": "x"}


def test_a_file_where_the_data_directory_should_be_does_no_harm(place: Any, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("x", encoding="utf-8")
    for event in EVENTS:
        assert place.run(event, {}, AI_MEMORY_DATA_DIR=str(tmp_path / "blocked")).stdout == b""


def test_a_spool_that_cannot_be_written_is_one_line_in_the_log_without_content(place: Any) -> None:
    (place.data / "spool").write_text("in the way", encoding="utf-8")
    place.run("user-prompt", {"prompt": "the-secret-words"})
    log = (place.data / "hook.log").read_text(encoding="utf-8")
    assert log.count("\n") == 1 and "user-prompt" in log and "the-secret-words" not in log


def test_the_log_stays_small(place: Any) -> None:
    (place.data / "spool").write_text("in the way", encoding="utf-8")
    (place.data / "hook.log").write_text("x" * (64 * 1024 + 1), encoding="utf-8")
    place.run("stop", {})
    assert (place.data / "hook.log").stat().st_size < 200


def test_a_full_disk_leaves_no_draft(place: Any) -> None:
    import resource

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    raw = json.dumps({"session_id": "s", "tool_response": "y" * 100_000}).encode()
    command = place.command("stop", "codex")
    done = subprocess.run(command, input=raw, env=place.env, cwd=place.repo, preexec_fn=small, timeout=20)
    assert done.returncode == 0
    assert list((place.data / "spool").iterdir()) == []


def test_no_home_and_a_vanished_directory_do_no_harm(place: Any, tmp_path: Path) -> None:
    del place.env["HOME"]
    place.run("stop", {})
    assert len(place.spooled()) == 1
    gone = tmp_path / "gone"
    gone.mkdir()
    line = " ".join(place.command("stop", "codex"))
    script = f"cd {gone} && rmdir {gone} && echo '{{\"session_id\":\"x\"}}' | {line}"
    done = subprocess.run(["bash", "-c", script], env=place.env, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(place.spooled()) == 2


def test_missing_arguments_do_no_harm(place: Any) -> None:
    for arguments in ([], ["stop"], ["--check-capture"], ["", ""], ["--check-capture", "stop"], ["a", "b", "c", "d"]):
        place.run("", {}, arguments=arguments)


def test_an_interrupt_does_not_cost_the_event(place: Any) -> None:
    process = subprocess.Popen(place.command("stop", "codex"), env=place.env, stdin=subprocess.PIPE, cwd=place.repo)
    assert process.stdin
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.stdin.write(b'{"session_id": "kept"}')
    process.stdin.close()
    assert process.wait(10) == 0
    assert place.spooled()[0][0]["session"] == "kept"


@pytest.mark.parametrize("switch", ["variable", "file"])
def test_switched_off_it_leaves_no_trace_and_asks_nobody(place: Any, server: Any, switch: str) -> None:
    place.local_server(server.url)
    if switch == "file":
        (place.data / "disabled").touch()
    before = sorted(place.data.rglob("*"))
    place.run("session-start", {}, **({"AI_MEMORY_DISABLE": "1"} if switch == "variable" else {}))
    assert sorted(place.data.rglob("*")) == before
    assert server.requests == []


def test_where_another_program_owns_capture_only_context_is_delivered(place: Any, server: Any) -> None:
    place.local_server(server.url)
    server.answers["/handoff"] = {"text": "history", "offer": ""}
    done = place.run("session-start", {}, AI_MEMORY_CAPTURE_OWNER="orchestrator")
    assert json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] == "history"
    place.run("post-tool-use", BASH, AI_MEMORY_CAPTURE_OWNER="orchestrator")
    assert place.spooled() == []
    assert not (place.data / "live").exists()


def test_few_modules_are_loaded(place: Any) -> None:
    place.ignore("secret/**", "*.pem")
    probe = place.hook.parent / "probe.py"
    code = "import os, sys\nbefore = set(sys.modules)\nleave = os._exit\n"
    code += "def report(status):\n    os.write(2, str(len(set(sys.modules) - before)).encode())\n    leave(status)\n"
    code += f"os._exit = report\nsys.argv = ['hook.py', 'post-tool-use', 'codex']\n__file__ = {str(place.hook)!r}\n"
    code += "exec(compile(open(__file__).read(), __file__, 'exec'))\n"
    probe.write_text(code, encoding="utf-8")
    raw = json.dumps({"session_id": "s", "cwd": str(place.repo), **BASH}).encode()
    command = [sys.executable, "-I", "-S", str(probe)]
    done = subprocess.run(command, input=raw, env=place.env, capture_output=True, timeout=20)
    assert len(place.spooled()) == 1
    assert int(done.stderr) + 6 <= 35  # os and what it brings was counted out


def test_past_ten_thousand_files_the_oldest_go_and_are_counted(place: Any) -> None:
    spool = place.data / "spool"
    spool.mkdir()
    for number in range(10_003):
        (spool / f"{number:013d}-1-00000000.json").touch()
    (spool / "dropped").write_text("5\n", encoding="utf-8")
    hook.prune(str(spool))
    assert (spool / "dropped").read_text(encoding="utf-8") == "8\n"
    names = sorted(path.name for path in spool.glob("*.json"))
    assert len(names) == 10_000 and names[0].startswith("0000000000003-")


def test_a_plain_copy_works_like_the_installed_file(place: Any, tmp_path: Path) -> None:
    place.hook = tmp_path / "hook.py"
    place.hook.write_bytes((Path(packed.__file__).parent / "hook.py").read_bytes())
    place.run("post-tool-use", BASH)
    assert len(place.spooled()) == 1


def test_what_was_compiled_before_is_used_only_if_it_fits(place: Any, tmp_path: Path) -> None:
    place.hook = tmp_path / "bin" / "hook.py"
    place.hook.parent.mkdir()
    place.hook.write_text(packed.text(), encoding="utf-8")
    place.run("stop", {})
    (kept,) = [path for path in place.hook.parent.iterdir() if path != place.hook]
    good = kept.read_bytes()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    for bad in (b"", good[:100], good[:-500], b"\0" * len(good), b"other" + good):
        kept.write_bytes(bad)
        place.run("stop", {})
        assert kept.read_bytes() == good
    assert len(place.spooled()) == 6
