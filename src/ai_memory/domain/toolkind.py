"""What kind of work a tool does, from the names that agents give their tools."""

from __future__ import annotations

import re

SHELL, READ, EDIT, WRITE, PATCH, SEARCH, PLAN, OTHER = (
    "shell", "read", "edit", "write", "patch", "search", "plan", "other",
)  # fmt: skip

_KINDS = {
    SHELL: "bash shell exec execcommand localshell localshellcall runshellcommand runterminalcmd runterminalcommand "
    "terminal executecommand runcommand powershell unifiedexec shellcommand",
    READ: "read readfile view viewfile openfile cat notebookread readmanyfiles viewimage readnotebook",
    EDIT: "edit multiedit replace strreplace editfile searchreplace notebookedit strreplaceeditor editnotebook "
    "strreplacebasededittool multireplacestringinfile replacestringinfile",
    WRITE: "write writefile createfile create savefile",
    PATCH: "applypatch patch",
    SEARCH: "grep glob search find ls list listdir listdirectory searchfilecontent codebasesearch grepsearch "
    "filesearch websearch googlewebsearch webfetch fetch searchfiles toolsearch",
    PLAN: "todowrite updateplan writetodos todo todolist taskcreate taskupdate settodolist managetodolist",
}
_TABLE = {name.lower(): kind for kind, names in _KINDS.items() for name in names.split()}
_OURS = re.compile(r"(?:.*ai_memory.*?[^a-z0-9])?memory_[a-z_]+")


def kind(name: str) -> str:
    """The kind of the tool called ``name``; ``other`` for what is not known, such as tools of an MCP server."""
    return _TABLE.get(name.replace("_", "").replace("-", "").lower(), OTHER)


def ours(name: str) -> bool:
    """Whether ``name`` is one of our own MCP tools, whatever prefix the agent puts before it."""
    return len(name) <= 200 and _OURS.fullmatch(name.lower().replace("-", "_")) is not None


def single(name: str) -> bool:
    """Whether the plan tool called ``name`` adds or changes one item instead of writing the whole plan."""
    return name.replace("_", "").replace("-", "").lower() in ("taskcreate", "taskupdate")
