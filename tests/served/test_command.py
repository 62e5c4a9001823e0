"""The command line against wrong input: a sentence or JSON, an exit code, never a trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import TOKEN, Served, launch


def run(served: Served, *words: str | bytes, given: bytes = b"", **environ: str) -> tuple[int, str, str]:
    env = {
        "HOME": str(served.home), "AI_MEMORY_DATA_DIR": str(served.data), "PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path),
        "AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{served.port}", "AI_MEMORY_AUTH_TOKEN": TOKEN,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "ai_memory", *words], env=env | environ, input=given, capture_output=True, timeout=60, check=False, cwd=served.home
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


WRONG = [
    (2, ["read-page", "../../status"]), (2, ["read-page", ""]), (2, ["read-page", "a.md?project=other"]), (3, ["read-page", "none.md"]),
    (2, ["read-page", b"\xff.md"]), (3, ["delete-page", "none.md"]), (3, ["handoffs", "--accept", "../x"]), (3, ["handoffs", "--cancel", "none"]),
    (3, ["finalize-session", "none"]), (2, ["write-page", "a.md"]), (2, ["write-page", "a.md", "--file", "/nonexistent"]),
    (2, ["sessions", "--limit", "0"]), (2, ["handoffs", "--limit", "99999999999999999999"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "words"), WRONG)
def test_a_wrong_command_is_told_in_a_sentence_and_in_json(server: Served, code: int, words: list[str | bytes]) -> None:
    run(server, "write-page", "seed.md", "--body", "# Seed", "--project", "shop")
    plain = run(server, *words, "--project", "shop")
    assert (plain[0], plain[1]) == (code, "")
    assert plain[2].startswith("ai-memory: ") and plain[2].count("\n") == 1
    told = run(server, *words, "--project", "shop", "--json")
    assert (told[0], told[2]) == (code, "")
    assert json.loads(told[1])["error"]["message"].endswith((".", "?"))


def test_a_text_that_is_not_utf8_is_refused(server: Served, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"# \xff\xfe")
    for words, given in ((["--file", str(tmp_path / "f")], b""), (["--body", "-"], b"\xff# x")):
        code, _, told = run(server, "write-page", "a.md", *words, "--project", "shop", given=given)
        assert (code, "UTF-8" in told) == (2, True)


def test_a_percent_sign_in_a_name_is_a_percent_sign(server: Served) -> None:
    assert run(server, "write-page", "100%41.md", "--body", "# Percent", "--project", "shop")[0] == 0
    assert run(server, "read-page", "100%41.md", "--project", "shop")[1] == "# Percent\n"
    assert run(server, "read-page", "100A.md", "--project", "shop")[0] == 3


def test_a_reader_that_goes_away_is_no_trace(server: Served) -> None:
    run(server, "write-page", "long.md", "--body", "-", "--project", "shop", given=b"# Long\n" + b"words " * 50_000)
    words = f"{sys.executable} -m ai_memory read-page long.md --project shop"
    env = {"HOME": str(server.home), "AI_MEMORY_DATA_DIR": str(server.data), "PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path)}
    env |= {"AI_MEMORY_SERVER_URL": f"http://127.0.0.1:{server.port}", "AI_MEMORY_AUTH_TOKEN": TOKEN}
    for rest in ("| head -c 1", "> /dev/full"):
        done = subprocess.run(f"{words} {rest}", shell=True, env=env, capture_output=True, text=True, cwd=server.home, timeout=60, check=False)
        assert "Traceback" not in done.stderr, rest
        assert "Exception ignored" not in done.stderr, rest


@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/nothing"])
@pytest.mark.parametrize("command", ["serve", "reindex"])
def test_a_data_directory_that_cannot_be_is_told(server: Served, place: str, command: str) -> None:
    code, _, told = run(server, command, AI_MEMORY_DATA_DIR=place, AI_MEMORY_BIND="127.0.0.1:0")
    assert code in (1, 2) and "Traceback" not in told and place in told


CONFIG = [
    "=", "\x00", "bind = 5", "bind = 'x'", "body_limit = -1", "body_limit = true", "queue_limit = 0", "log_level = 'loud'", "allowed_hosts = [1]",
    'auth_token = "a\\nb"', "auth_token = 'ü'", "[session]\nidle_minutes = -5", "[handoff]\nexpire_days = 99999999999",
    "[sanitize]\nextra_patterns = ['(']", "[sanitize]\nextra_patterns = [5]", "[sanitize]\nallowlist = ['x']",
]  # fmt: skip


@pytest.mark.parametrize("text", CONFIG)
def test_a_setting_that_does_not_fit_stops_the_start_with_a_sentence(tmp_path: Path, text: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "config.toml").write_text(text, encoding="utf-8")
    env = {"HOME": str(tmp_path), "AI_MEMORY_DATA_DIR": str(data), "PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path)}
    bind = [] if text.startswith("bind") else ["--bind", "127.0.0.1:0"]
    done = subprocess.run([sys.executable, "-m", "ai_memory", "serve", *bind], env=env, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("ai-memory: ") and done.stderr.count("\n") == 1


def test_a_readable_store_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    served = launch(tmp_path)
    served.stop()
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    served.data.chmod(0o500)
    try:
        code, _, told = run(served, "serve", "--bind", "127.0.0.1:0")
    finally:
        served.data.chmod(0o700)
    assert code != 0 and "Traceback" not in told
