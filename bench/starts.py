"""What a process costs that an agent waits for: the hook, the commands, the bridge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ai_memory.hook import packed
from bench.process import Server, environment, rss
from bench.table import Row, median


def run(folder: Path, quick: bool) -> list[Row]:
    data = folder / "hooks"
    (data / "bin").mkdir(parents=True)
    hook = data / "bin" / "hook.py"
    hook.write_text(packed.text(), encoding="utf-8")
    plain, marked = folder / "plain_project", folder / "marked_project"
    for place in (plain, marked):
        (place / ".git").mkdir(parents=True)
    (marked / ".ai-memory.toml").write_text('[capture]\nignore_paths = ["secrets/**", "*.pem", "private/"]\n', encoding="utf-8")
    times = 12 if quick else 40
    _proved(data, hook, plain)
    rows = [
        _hook(data, hook, plain, times, "hook", 2.5),
        _hook(data, hook, marked, times, "hook where exclusions apply", 3.5),
        _hook_modules(data, hook, marked),
    ]
    server = Server(data)
    try:
        rows.append(_session_start(data, server, hook, plain, times // 2))
        rows += _commands(data, server, plain)
        rows += _bridge(data, server, times // 4)
    finally:
        server.stop()
    return rows


def _proved(data: Path, hook: Path, place: Path) -> None:
    """The hook is measured doing its work: one run leaves one file."""
    _once([sys.executable, "-I", "-S", str(hook), "post-tool-use", "claude-code"], _lonely(data), _payload(place), place)
    if not any(name.endswith(".json") for name in os.listdir(data / "spool")):
        raise RuntimeError("the hook left nothing in the spool")


def _payload(place: Path) -> bytes:
    return json.dumps({
        "session_id": "bench", "cwd": str(place), "tool_name": "Bash", "tool_use_id": "t1",
        "tool_input": {"command": "pytest -q", "file_path": str(place / "a.py")}, "tool_response": {"stdout": "1 passed", "stderr": ""},
    }).encode()  # fmt: skip


def _once(command: Sequence[str], env: dict[str, str], given: bytes, cwd: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=given, env=env, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000


def _alternated(
    ours: Sequence[str], env: dict[str, str], given: bytes, cwd: Path, times: int
) -> tuple[float, float]:
    """Median milliseconds of ``ours`` and of an empty Python, run in turn."""
    mine, empty = [], []
    for turn in range(times + 2):
        a, b = _once(ours, env, given, cwd), _once([sys.executable, "-I", "-S", "-c", "pass"], env, given, cwd)
        if turn >= 2:
            mine.append(a)
            empty.append(b)
    return median(mine), median(empty)


def _hook(data: Path, hook: Path, place: Path, times: int, what: str, most: float) -> Row:
    line = [sys.executable, "-I", "-S", str(hook), "post-tool-use", "claude-code"]
    mine, empty = _alternated(line, _lonely(data), _payload(place), place, times)
    ratio = mine / empty
    return Row(f"{what}, whole process", f"{mine:.1f} ms = {ratio:.2f} ×", f"python -I -S -c pass {empty:.1f} ms", f"≤ {most} ×", ratio <= most)


def _lonely(data: Path) -> dict[str, str]:
    """An environment whose server is not there; hooks only write their file."""
    return environment(data, 9)


def _hook_modules(data: Path, hook: Path, place: Path) -> Row:
    line = [str(hook), "post-tool-use", "claude-code"]
    count = _imports(line, data, place) - _imports(["-c", "pass"], data, place)
    return Row("hook, modules it loads", str(count), "", "≤ 35", 0 <= count <= 35)


def _imports(line: list[str], data: Path, place: Path) -> int:
    command = [sys.executable, "-I", "-S", "-X", "importtime", *line]
    done = subprocess.run(command, input=_payload(place), env=_lonely(data), cwd=place, capture_output=True, check=False)
    return done.stderr.count(b"import time:")


def _session_start(data: Path, server: Server, hook: Path, place: Path, times: int) -> Row:
    given = json.dumps({"session_id": "bench-start", "cwd": str(place), "source": "startup"}).encode()
    line = [sys.executable, "-I", "-S", str(hook), "session-start", "claude-code"]
    mine, empty = _alternated(line, server.env, given, place, times)
    return Row("session start, whole process, server live", f"{mine:.1f} ms = {mine / empty:.2f} ×", f"python -I -S -c pass {empty:.1f} ms")


def _commands(data: Path, server: Server, place: Path) -> list[Row]:
    rows = []
    for words, most in ((["--help"], 100), (["status", "--json"], 160)):
        code = (
            "import sys, atexit, os\n"
            "empty = set(sys.modules)\n"
            f"sys.argv = ['ai-memory', *{words!r}]\n"
            "from ai_memory.__main__ import main\n"
            "try: main()\n"
            "except SystemExit: pass\n"
            "finally: sys.stderr.write(f'\\n{len(set(sys.modules) - empty)}\\n')\n"
        )
        done = subprocess.run([sys.executable, "-c", code], env=server.env, cwd=place, capture_output=True, check=False)
        count = int(done.stderr.decode().split()[-1])
        mine, empty = _alternated([sys.executable, "-m", "ai_memory", *words], server.env, b"", place, 7)
        rows.append(
            Row(
                f"`ai-memory` with `{' '.join(words)}`", f"{count} modules, {mine:.0f} ms", f"python -I -S -c pass {empty:.0f} ms",
                f"≤ {most} modules", count <= most,
            )
        )  # fmt: skip
    return rows


def _bridge(data: Path, server: Server, times: int) -> list[Row]:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
    }  # fmt: skip
    waits, sizes, answered = [], [], True
    for _ in range(max(times, 3)):
        began = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "ai_memory", "mcp"], env=server.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=data
        )
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(hello).encode() + b"\n")
        child.stdin.flush()
        answered = answered and b'"result"' in child.stdout.readline()
        waits.append((time.perf_counter() - began) * 1000)
        sizes.append(rss(child.pid) if os.path.exists(f"/proc/{child.pid}") else 0.0)
        child.stdin.close()
        child.wait(10)
        child.stdout.close()
    first = median(waits)
    return [
        Row("`ai-memory mcp`, start to first answer", f"{first:.0f} ms" + ("" if answered else " (no result)"), "", "≤ 100 ms", answered and first <= 100),
        Row("`ai-memory mcp`, memory", f"{median(sizes):.0f} MB", "", "≤ 20 MB", median(sizes) <= 20),
    ]
