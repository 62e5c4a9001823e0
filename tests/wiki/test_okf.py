"""The three rules of a conformant bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai_memory.wiki import okf


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("a.md", "---\ntype: x\n---\n", ""),
        ("a.md", "---\ntype: x\nother: [1, {a: b}]\n---", ""),
        ("a.md", "# no front matter\n", "no front matter"),
        ("a.md", "\n---\ntype: x\n---\n", "no front matter"),
        ("a.md", "---\ntype: x\n", "no front matter"),
        ("a.md", "---\ntype: [x\n---\n", "does not parse"),
        ("a.md", "---\n- type\n---\n", "does not parse"),
        ("a.md", "---\ntitle: x\n---\n", "no type"),
        ("a.md", "---\ntype: ''\n---\n", "no type"),
        ("a.md", "---\ntype:\n---\n", "no type"),
        ("index.md", '---\nokf_version: "0.2"\n---\n\n# t\n\n* [a](/a.md) - b\n- [c](d/)\n', ""),
        ("index.md", "---\ntype: x\n---\n", "front matter"),
        ("d/index.md", '---\nokf_version: "0.2"\n---\n', "front matter"),
        ("index.md", "* no link\n", "without a link"),
        ("log.md", "## 2026-11-30\n* **Added** x\n", ""),
        ("log.md", "## yesterday\n", "no date"),
        (".hidden/a.md", "nothing", ""),
    ],
)
def test_each_breach_is_told(tmp_path: Path, path: str, text: str, says: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text, encoding="utf-8")
    problems = okf.check(tmp_path)
    if says:
        assert len(problems) == 1 and says in problems[0] and problems[0].startswith(path)
    else:
        assert problems == []
