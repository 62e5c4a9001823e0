"""The client that a coding agent's hook runs: one event in, one spool file out, exit 0 whatever happens.

Started as ``<python> -I -S <data>/bin/hook.py [--check-capture] <event> <agent>`` with the agent's payload on stdin.
It stands in the agent's way and is compiled at each start, so it is one file on ``os`` and modules written in C; what
costs more is imported where it is needed. docs/hooks.md is its contract.
"""

import os
import sys
import time
from _signal import SIG_IGN, SIGINT, signal  # type: ignore[import-not-found]  # the module signal costs more
from errno import ELOOP, ENAMETOOLONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Callable

STARTED = time.monotonic()
MARKER = ".ai-memory.toml"
KEPT = 8 * 1024 * 1024  # bytes of a payload that are spooled whole
QUEUE, LOG = 10_000, 64 * 1024  # files in the spool, bytes in the log
PATTERNS, PATTERN, CANDIDATES, CANDIDATE, COMPARISONS, POLICY = 128, 1024, 32, 4096, 1_000_000, 64 * 1024
READINGS, COMMAND = 256, 64 * 1024
START_WAIT, CLAIM_WAIT, STDIN_WAIT = 2.0, 0.25, 3.0  # seconds
DEFAULT = "http://127.0.0.1:49374"
START, PROMPT, END, STOP, COMPACT = "SessionStart", "UserPromptSubmit", "SessionEnd", "Stop", "PreCompact"
KINDS = {
    "sessionstart": START, "agentspawn": START, "userpromptsubmit": PROMPT, "userprompt": PROMPT, "prompt": PROMPT,
    "beforeagent": PROMPT, "beforesubmitprompt": PROMPT, "sessionend": END, "stop": STOP, "precompact": COMPACT,
}  # fmt: skip
SESSION = (
    "session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "session.id", "info.id",
    "properties.sessionID", "properties.info.id",
)  # fmt: skip
CWD = ("cwd", "current_dir", "working_dir", "directory", "workspacePaths.0", "workspace_roots.0", "workspaceRoot")
URGENT = frozenset((END, STOP, COMPACT))  # the agent may be about to end
TOOL = ("tool_name", "toolName", "toolCall.name", "tool")
INPUT = ("tool_input", "toolInput", "toolCall.args", "output.args", "input", "args")
OUTPUT = ("tool_response", "tool_output", "toolResult", "output.output")
TRANSCRIPTS = ("transcript_path", "transcriptPath", "agent_transcript_path")
NOT_NAMED = frozenset((*CWD, *TRANSCRIPTS, "workspace_roots", "workspacePaths", "source", "tool_calls", "prompt"))
FILE_TOOLS = frozenset(
    "read write edit multiedit notebookedit notebookread applypatch patch view create replace readfile writefile "
    "editfile viewfile openfile createfile savefile deletefile movefile readtextfile readmultiplefiles readmanyfiles "
    "strreplace strreplaceeditor strreplacebasededittool searchreplace viewimage".split()
)
SEARCH_TOOLS = frozenset(
    "grep glob ls listdir listdirectory listfiles searchfiles searchfilecontent codebasesearch grepsearch filesearch "
    "findfiles directorytree globsearch ripgrep semanticsearch".split()
)
OWN_SEARCH_TOOLS = frozenset(("list", "search", "find"))  # too common a name for a tool of an MCP server
LATER_TOOLS = frozenset("bashoutput taskoutput writestdin readprocess readterminal".split())
PATH_KEYS = ("path", "paths", "file", "files", "filename", "filenames", "dir", "directory", "directories", "folder",
             "uri", "uris", "cwd", "source", "destination")  # fmt: skip
COMMAND_KEYS = frozenset("command cmd script commandline shellcommand argv args arguments".split())
BASE_KEYS = frozenset(("cwd", "workdir", "workingdirectory"))
SEARCHERS = frozenset("rg ag ack fd fdfind find tree ugrep rgrep".split())
RECURSIVE = frozenset("grep egrep fgrep zgrep ls".split())
WRAPPERS = frozenset("sudo env command exec builtin time nohup nice timeout then do else if while ! { xargs".split())
SHELLS = frozenset("sh bash dash zsh fish ksh ash csh tcsh busybox env timeout".split())
INITS = frozenset("systemd init launchd tini dumb-init docker-init".split())
PATCH_MARKS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "--- ", "+++ ",
               "rename from ", "rename to ", "diff --git ")  # fmt: skip
BREAKS = str.maketrans(dict.fromkeys("'\"`;|&()\\", "\n"))  # where a command may begin, inside quotes too
JOINTS = str.maketrans(dict.fromkeys("=:,@(){}[]'\"`;|&<>$\\", " "))  # where a path may begin or end inside a word
UNQUOTED = str.maketrans(dict.fromkeys(";|&()<>`", " ") | dict.fromkeys("'\"\\", ""))  # the end of words; quotes out


class Strict:
    """What the JSON scanner written in C asks of its context."""

    strict, object_hook, object_pairs_hook, parse_float, parse_int, parse_constant = True, None, None, float, int, float


try:
    from _json import encode_basestring_ascii, make_scanner

    scan: "Callable[[str, int], tuple[object, int]]" = make_scanner(Strict)  # type: ignore[arg-type]
except (ImportError, AttributeError):
    from json import JSONDecoder
    from json.encoder import encode_basestring_ascii

    scan = JSONDecoder().scan_once  # type: ignore[attr-defined]


class Unreadable(Exception):
    """A policy or a path that cannot be evaluated: metadata only."""


class Excessive(Exception):
    """More to compare than the limits allow."""


def first(text: str) -> tuple[object, int]:
    """The JSON value that ``text`` begins with, and where it ends. Raises ValueError."""
    try:
        return scan(text, 0)
    except (StopIteration, RecursionError, SystemError):  # the last: its own error wants a module that is not loaded
        raise ValueError from None


def loads(text: str) -> object:
    """The value of JSON ``text``. Raises ValueError."""
    text = text.strip(" \t\r\n")
    value, end = first(text)
    if end != len(text):
        raise ValueError
    return value


def dumps(value: object) -> str:
    """``value`` as JSON in ASCII; what cannot be UTF-8 becomes a question mark."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(key)}:{dumps(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    if isinstance(value, str):
        return str(encode_basestring_ascii(value.encode("utf-8", "replace").decode()))
    return str(value).lower()


def toml(text: str) -> dict[str, object]:
    """The tables of a marker. A plain file is read here; anything else is left to tomllib. Raises Unreadable."""
    try:
        return plain_toml(text.replace("\r\n", "\n"))
    except (ValueError, IndexError):
        pass
    try:
        import tomllib

        return tomllib.loads(text)
    except Exception:  # noqa: BLE001  the file is a person's; whatever is wrong with it, it cannot be read
        raise Unreadable from None


def plain_toml(text: str) -> dict[str, object]:
    """Bare keys and headers; strings, whole numbers, booleans and arrays that TOML and JSON write alike."""
    top: dict[str, object] = {}
    table, said = top, ""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip()[0] == "#":
            continue
        said += line.strip() + "\n"
        name, equals, value = (part.strip() for part in said.partition("="))
        if equals and value[:1] == "[" and value[-1] != "]":
            continue  # the array goes on
        holder = table if equals else top
        name = name if equals else name.removeprefix("[").removesuffix("]").strip()
        if name in holder or not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
            raise ValueError
        if any(mark in said for mark in ("\\", "'", "#", '""')) or not (equals or said[0] + said[-2] == "[]"):
            raise ValueError
        found = loads(value[:-1].rstrip().removesuffix(",") + "]" if value[-1:] == "]" else value) if equals else {}
        if isinstance(found, (float, dict)) != (not equals) or found is None:
            raise ValueError
        holder[name], said = found, ""
        table = found if isinstance(found, dict) else table
    if said:
        raise ValueError
    return top


def climb(start: str, home: str) -> tuple[str, list[str]]:
    """The checkout that holds ``start`` ('' if none), and the directories whose markers count, nearest first."""
    chain = [start]
    while chain[-1] != "/":
        chain.append(os.path.dirname(chain[-1]))
    root = next((place for place in chain if os.path.lexists(f"{place}/.git")), "")
    last = home if home in chain else root
    return root, chain[: chain.index(last) + 1] if last else chain[:1]


def regular(path: str, most: int = POLICY) -> str | None:
    """The text of a file, None if there is none. Raises Unreadable, also for a link to nowhere; waits for no pipe."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError):
        return None
    except OSError as error:
        if error.errno in (ELOOP, ENAMETOOLONG):
            return None
        raise Unreadable from None
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            raw = file.read(most + 1) if os.fstat(file.fileno()).st_mode & 0o170000 == 0o100000 else None
        if raw is not None and len(raw) <= most:
            return raw.decode()
    except (OSError, ValueError):
        pass
    raise Unreadable


def fold(path: str) -> str:
    """``path`` without what some file systems ignore: case, and how an accent is written."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    return normalize("NFD", normalize("NFD", path).casefold())


def wild(text: str) -> bool:
    return "*" in text or "?" in text


class Policy:
    """The exclusions of every marker met, added up. ``broken``: one of them cannot be read."""

    def __init__(self, home: str) -> None:
        self.home, self.real_home = home, os.path.realpath(home) if home else ""
        self.rules: list[tuple[str, list[str]]] = []
        self.patterns, self.left, self.broken = 0, COMPARISONS, False
        self.markers: list[str] = []
        self.seen: set[str] = set()

    def reach(self, directory: str) -> str:
        """Reads every marker on the way up from ``directory``; the checkout that holds it."""
        if directory in self.seen:
            return ""
        root, places = climb(directory, self.real_home if directory.startswith(self.real_home) else self.home)
        for place in places:
            self.read(place)
        return root

    def read(self, directory: str) -> None:
        if directory in self.seen:
            return
        self.seen.add(directory)
        try:
            text = regular(os.path.join(directory, MARKER))
            if text is None:
                return
            self.add(directory, text)
        except Unreadable:
            self.broken = True
        self.markers.append(os.path.join(directory, MARKER))

    def add(self, directory: str, text: str) -> None:
        if "capture" not in text and "\\" not in text:
            return
        capture = toml(text).get("capture", {})
        if not isinstance(capture, dict) or capture.keys() - {"ignore_paths", "schema"}:
            raise Unreadable
        patterns = capture.get("ignore_paths", []) if capture.get("schema", 1) == 1 else None
        if not isinstance(patterns, list) or len(patterns) > PATTERNS:
            raise Unreadable
        for pattern in patterns:
            if not isinstance(pattern, str) or not 0 < len(pattern) <= PATTERN or "\0" in pattern:
                raise Unreadable
            self.rule(directory, pattern)
        self.patterns += len(patterns)

    def rule(self, directory: str, pattern: str) -> None:
        """A pattern excludes what it names and all below. Without a slash before its end it counts at any depth."""
        if "/" not in pattern.rstrip("/") and pattern[0] != "~":
            pattern = f"**/{pattern}"
        path = os.path.normpath(os.path.join(directory, os.path.expanduser(pattern)))
        parts = [part for part in path.split("/") if part]
        while parts and parts[-1] == "**":
            parts.pop()
        plain = next((n for n, part in enumerate(parts) if wild(part)), len(parts))
        head = "/" + "/".join(parts[:plain])
        for start in {head, os.path.realpath(head)}:
            self.rules.append((fold(start), [fold(part) for part in parts[plain:]]))

    def covers(self, path: str) -> bool:
        """Whether a rule covers ``path``, absolute; it may hold wildcards of its own, as a shell's words do."""
        path = fold(path)
        for head, rest in self.rules:
            inside = path == head or path.startswith(head.rstrip("/") + "/")
            if inside and not rest:
                return True
            if inside or wild(path):
                a, b = [part for part in head.split("/") if part] + rest, path.strip("/").split("/")
                if any(self.walk(a, b, "**", self.meet)):
                    return True
        return False

    def meet(self, a: str, b: str) -> bool:
        """Whether two names, in which * and ? stand for what they stand for, can be the same name."""
        if a == b or not wild(a + b):
            return a == b
        return self.walk(list(a), list(b), "*", lambda x, y: x == y or "?" in (x, y))[-1]

    def walk(self, a: list[str], b: list[str], star: str, same: "Callable[[str, str], bool]") -> list[bool]:
        """For each length n of ``b``: whether ``a`` and b[:n] can be the same; ``star`` is any run, in either."""
        self.left -= len(a) * len(b)
        if self.left < 0:
            raise Excessive
        row = [True]
        for y in b:
            row.append(row[-1] and y == star)
        for x in a:
            old, row = row, [row[0] and x == star]
            for n, y in enumerate(b):
                row.append((old[n + 1] or row[n]) if star in (x, y) else (old[n] and same(x, y)))
        return row

    def hits(self, word: str, bases: list[str]) -> bool:
        """Whether ``word``, read as a path from any of ``bases``, links followed or not, is excluded."""
        word = word.removeprefix("file://")
        if len(word) > CANDIDATE or "\0" in word:
            raise Unreadable
        word = os.path.expanduser(word) if word[:1] == "~" else word
        for base in bases:
            joined = os.path.join(base, word)
            for path in {"/" + os.path.normpath(joined).lstrip("/"), os.path.realpath(joined)}:
                self.reach(os.path.dirname(path))
                self.read(path)
                if self.rules and self.covers(path):
                    return True
        return False


def field(value: object, names: tuple[str, ...]) -> object:
    """The first of the dotted ``names`` that is there; a number steps into a list."""
    for name in names:
        found = value
        for step in name.split("."):
            if isinstance(found, list):
                found = found[int(step)] if step.isdigit() and int(step) < len(found) else None
            else:
                found = found.get(step) if isinstance(found, dict) else None
        if found not in (None, ""):
            return found
    return None


def text_of(value: object, names: tuple[str, ...], longest: int = 512) -> str:
    found = field(value, names)
    found = str(found) if type(found) is int else found
    return found if isinstance(found, str) and len(found) <= longest else ""


class Named:
    """The paths and commands in the arguments of a tool. ``odd``: a path among them is no text."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.commands: list[str] = []
        self.bases: list[str] = []
        self.odd = False

    def take(self, value: object, key: str = "", depth: int = 0) -> None:
        key = key.replace("_", "").replace("-", "").lower()
        if depth > 20 or (value is not None and key.endswith(PATH_KEYS) and not isinstance(value, (dict, list, str))):
            self.odd = True
        elif isinstance(value, dict):
            for name, inner in value.items():
                self.take(inner, name, depth + 1)
        elif isinstance(value, list) and key in COMMAND_KEYS and all(isinstance(part, str) for part in value):
            self.commands.append(" ".join(f'"{part}"' if " " in part else part for part in value))
        elif isinstance(value, list):
            for inner in value:
                self.take(inner, key, depth + 1)
        elif isinstance(value, str):
            before, patch, after = value.partition("*** Begin Patch")
            if patch or key in ("patch", "diff"):
                self.paths += patch_paths(after or value)
                value = before + after.partition("*** End Patch")[2]
            if key in COMMAND_KEYS:
                self.commands.append(value)
            elif value and key.endswith(PATH_KEYS):
                (self.bases if key in BASE_KEYS else self.paths).append(value)


def patch_paths(patch: str) -> list[str]:
    found: list[str] = []
    for line in patch.splitlines():
        mark = next((mark for mark in PATCH_MARKS if line.startswith(mark)), None)
        if mark:
            found += line[len(mark) :].partition("\t")[0].strip().split(" b/" if mark == "diff --git " else "\t")
    return found + [path[2:] for path in found if path.startswith(("a/", "b/"))]


def readings(command: str, bases: list[str]) -> tuple[set[str], bool]:
    """Every way to read the words of a shell command as paths, and whether it searches a tree.

    Nothing is expanded but $HOME and $PWD. A directory that it enters joins ``bases``.
    """
    if len(command) > COMMAND:
        raise Excessive
    for name, value in (("HOME", os.path.expanduser("~")), ("PWD", bases[0])):
        command = command.replace(f"${{{name}}}", value).replace(f"${name}/", f"{value}/")
    words, counts = [command], []
    for quote in "\"'":  # what stands in these quotes is one word; without quotes, it may be a command of its own
        parts = command.replace("\\\n", "").replace("\\ ", "\0").split(quote)
        parts[1::2] = [" ".join(part.split(" ")).replace(" ", "\0").replace("\n", "\0") for part in parts[1::2]]
        bare = "".join(parts).translate(UNQUOTED).split()
        words += bare
        counts.append(len({text for text in bare if text[0] != "-"}))
    words += command.translate(UNQUOTED).split()
    found: set[str] = set()
    for text in {text.replace("\0", " ") for text in words}:
        found.update(piece for piece in text.translate(JOINTS).split() if piece[0] != "-")
        found.add(text if text[0] != "-" else text[2:])
        for opened, closed, stands in ("[]?", "{}*"):
            while closed in text.partition(opened)[2]:
                text = text.partition(opened)[0] + stands + text.partition(opened)[2].partition(closed)[2]
                found.add(text)
    if min(counts) > CANDIDATES or len(found) > READINGS:
        raise Excessive
    return {text for text in found if 0 < len(text) <= CANDIDATE}, any(
        [searches(part.split(), bases) for part in command.translate(BREAKS).split("\n")]
    )


def searches(words: list[str], bases: list[str]) -> bool:
    """Whether a simple command goes through a tree of files. A directory that it enters joins ``bases``."""
    for before, after in zip(words, words[1:], strict=False):  # noqa: RUF007  itertools costs an import
        if before in ("cd", "pushd", "-C") and len(bases) < 4:
            bases.append(os.path.join(bases[-1], os.path.expanduser(after)))
    flags = [text for text in words if text[0] == "-"]
    named = [os.path.basename(text) for text in words if text[0] != "-" and "=" not in text and not text.isdigit()]
    named = [text for text in named if text not in WRAPPERS][:3]
    recursive = any(flag.startswith("--rec") or (flag[1:2] != "-" and "r" in flag.lower()) for flag in flags)
    return (
        not SEARCHERS.isdisjoint(named[:2])
        or (recursive and not RECURSIVE.isdisjoint(named[:1]))
        or (named[:1] == ["git"] and "grep" in named)
    )


def judge(fields: dict[str, object], policy: Policy, cwd: str) -> tuple[str, str]:
    """(``keep``, ``reduce`` or ``drop``, why) for an event."""
    verdicts = [("reduce", "policy-unreadable")] if policy.broken else []
    try:
        if policy.hits(cwd, ["/"]):
            return "drop", "cwd-excluded"
        inner = fields.get("tool_calls")
        for call in (fields, *(inner if isinstance(inner, list) else ())):
            verdicts += [judge_call(call, policy, cwd)] if isinstance(call, dict) else []
        verdicts.append(judge_words(fields, policy, cwd))
    except Excessive:
        verdicts += [("drop", "over-budget")] if policy.rules else []
    except Unreadable:
        verdicts += [("reduce", "path-unreadable")] if policy.rules else []
    if policy.broken:  # a marker that was met beside a path
        verdicts.append(("reduce", "policy-unreadable"))
    return next((v for decision in ("drop", "reduce") for v in verdicts if v[0] == decision), ("keep", ""))


def judge_call(call: dict[str, object], policy: Policy, cwd: str) -> tuple[str, str]:
    tool, given, named = text_of(call, TOOL), field(call, INPUT), Named()
    name = tool.rpartition("__")[2].replace("_", "").replace("-", "").lower()
    if not tool and given is None:
        given = {key: value for key, value in call.items() if key not in NOT_NAMED}
    named.take(given, "patch" if isinstance(given, str) else "")
    if name in FILE_TOOLS:
        named.take(field(call, OUTPUT))
    bases = [cwd, *(os.path.join(cwd, base) for base in named.bases)]
    if any(policy.hits(path, bases) for path in named.paths[:CANDIDATES] + named.bases):
        return "drop", "path-excluded"
    searching = name in SEARCH_TOOLS or (name in OWN_SEARCH_TOOLS and "__" not in tool)
    for command in named.commands:
        paths, search = readings(command, bases)
        if any([policy.hits(path, bases) for path in paths]):
            return "drop", "command-excluded"
        searching = searching or search
    if not policy.rules:
        return "keep", ""
    if searching:
        return "drop", "search"
    if len(named.paths) > CANDIDATES or (name in FILE_TOOLS and (named.odd or not named.paths)):
        return "reduce", "path-unreadable"
    return ("reduce", "later-output") if name in LATER_TOOLS else ("keep", "")


def judge_words(fields: dict[str, object], policy: Policy, cwd: str) -> tuple[str, str]:
    """A prompt that mentions an excluded @path, or a transcript that lies under one, leaves its metadata only."""
    if any(policy.hits(str(fields[name]), [cwd]) for name in TRANSCRIPTS if fields.get(name)):
        return "reduce", "transcript-excluded"
    prompt = field(fields, ("prompt", "userPrompt"))
    parts = prompt if isinstance(prompt, list) else [prompt]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    mentions = [said for text in texts if isinstance(text, str) for said in text.split("@")[1:]]
    if len(mentions) > CANDIDATES and policy.rules:
        return "reduce", "over-budget"
    for said in mentions[:CANDIDATES]:
        path = said[1:].partition('"')[0] if said[:1] == '"' else (said.split(None, 1) or [""])[0].partition("#")[0]
        if any(policy.hits(text[:CANDIDATE], [cwd]) for text in {path, path.rstrip(".,;:!?)]}>'\"`")} if text):
            return "reduce", "mention-excluded"
    return "keep", ""


def aside(task: "Callable[[], object]") -> "Callable[[bool, float], bool]":
    """Runs ``task`` on a thread, whatever it raises; what it gives back waits for the end, so many seconds at most."""
    from _thread import allocate_lock, start_new_thread

    def run() -> None:
        try:
            task()
        except Exception:  # noqa: BLE001  the other side may say and do anything; silence is the answer
            pass
        lock.release()

    lock = allocate_lock()
    lock.acquire()
    start_new_thread(run, ())
    return lock.acquire


def drain(raw: bytearray) -> None:
    """Reads stdin to its end, so that the agent never meets a broken pipe; keeps what fits."""
    while chunk := os.read(0, 65536):
        raw += chunk if len(raw) <= KEPT else b""


class Event:
    """What the command line and the payload say, and where it happened."""

    def __init__(self, named: str, agent: str, raw: bytes, whole: bool = True) -> None:
        self.named, self.agent, self.key, self.reduced = named[:64], agent[:64], os.urandom(16).hex(), False
        self.kind = KINDS.get(named.replace("-", "").replace("_", "").lower(), "")
        text = raw.decode("utf-8", "replace")
        self.body, self.flaw, self.fields = text.encode("utf-8", "replace"), "" if whole else "oversize", {}
        try:
            self.fields = dict(loads(text) if whole else glimpse(text))  # type: ignore[call-overload]
        except (ValueError, TypeError):
            self.fields, self.flaw = glimpse(text), "malformed"
        variable = "CLAUDE_CODE" if self.agent == "claude-code" else self.agent.partition("-")[0].upper()
        self.session = text_of(self.fields, SESSION) or os.environ.get(f"{variable}_SESSION_ID", "")[:512]
        try:
            here = os.getcwd()
        except OSError:
            here = "/"
        said = text_of(self.fields, CWD, CANDIDATE).replace("\0", "")
        cwd = os.path.join(here, said or os.environ.get("CLAUDE_PROJECT_DIR", ""))
        home = os.path.expanduser("~")
        self.policy, self.cwd = Policy(home if home[:1] == "/" else ""), os.path.realpath(cwd)
        self.root = self.policy.reach(self.cwd)
        self.policy.reach(os.path.normpath(cwd))
        self.markers = self.policy.markers[:16]
        self.pid, self.born = agent_process()

    def judge(self) -> tuple[str, str]:
        decision, why = judge(self.fields, self.policy, self.cwd)
        if self.flaw and decision != "drop":
            decision, why = "reduce" if self.session else "drop", self.flaw
        if decision == "reduce":
            named = text_of(self.fields, ("hook_event_name", "hookEventName"), 64) or self.named
            kept = {"session_id": self.session, "hook_event_name": named, "tool_name": text_of(self.fields, TOOL, 200)}
            self.body, self.reduced = dumps({key: value for key, value in kept.items() if value}).encode(), True
        return decision, why

    def place(self) -> dict[str, object]:
        return {"cwd": self.cwd, "root": self.root, "markers": self.markers, "pid": self.pid, "born": self.born}

    def say(self, text: object) -> None:
        """Gives ``text`` to the agent, in the one form that it takes."""
        named = text_of(self.fields, ("hook_event_name", "hookEventName"), 64)
        named = named if KINDS.get(named.lower()) == self.kind else self.kind
        if isinstance(text, str) and text:
            put({"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}})


def glimpse(text: str) -> dict[str, object]:
    """The few facts that can be had from the text of a payload that is too long or broken."""
    found: dict[str, object] = {}
    for key in ("session_id", "cwd", "hook_event_name", "tool_name"):
        rest = text.partition(f'"{key}"')[2].lstrip()[1:].lstrip()
        try:
            found[key] = first(rest)[0]
        except ValueError:
            pass
    return found


def put(value: dict[str, object]) -> None:
    raw = (dumps(value) + "\n").encode()
    while raw:
        raw = raw[os.write(1, raw) :]


def status(pid: object) -> list[str]:
    """[name, state, parent, …] of a process, from /proc; empty if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            before, _, after = file.read().decode("utf-8", "replace").rpartition(")")
    except OSError:
        return []
    return [before.partition("(")[2], *after.split()]


def agent_process() -> tuple[int, str]:
    """(pid, ticks at its start) of the nearest ancestor that is no shell: (0, '') if unknown, no ticks if no /proc."""
    pid = os.getppid()
    if not status("self"):
        return pid, ""
    for _ in range(16):
        stat = status(pid)
        if not stat or stat[0] in INITS:
            break
        if stat[0] not in SHELLS:
            return pid, stat[20]
        pid = int(stat[2])
    return 0, ""


def gone(seen: dict[str, object]) -> bool:
    pid, born = seen.get("pid"), seen.get("born")
    if type(pid) is not int or pid <= 0 or seen.get("host") != os.uname().nodename:
        return False
    if born:
        stat = status(pid)
        return not stat or stat[1] in "ZX" or stat[20] != born
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def digest(*parts: object) -> str:
    try:
        from _sha1 import sha1  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha1
    return str(sha1("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest())


def recall(path: str) -> dict[str, object]:
    """The JSON object in a file of ours; empty if there is none."""
    try:
        value = loads(regular(path) or "")
    except (ValueError, Unreadable):
        return {}
    return value if isinstance(value, dict) else {}


def remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def write(path: str, content: bytes) -> None:
    """The file appears whole, 0600 by our umask, or not at all. Raises OSError."""
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    draft = f"{folder}/.{name}.{os.getpid()}.tmp"
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, path)
    except OSError:
        remove(draft)
        raise


LATEST = [0]  # of this process, so that what it writes within one millisecond stays in order


def spool(data: str, event: Event) -> None:
    at = LATEST[0] = max(int(time.time() * 1000), LATEST[0] + 1)
    header = {"v": 1, "event": event.named, "agent": event.agent, "key": event.key, "at": at, **event.place()}
    header |= {"session": event.session, "reduced": event.reduced}
    name = f"{at:013d}-{os.getpid()}-{event.key[:8]}.json"
    write(f"{data}/spool/{name}", dumps(header).encode() + b"\n" + event.body)
    if int(event.key[:2], 16) % 64 == 0:  # counting costs, so one event in 64 does it
        prune(f"{data}/spool")


def prune(folder: str) -> None:
    """Beyond QUEUE files the oldest go, and are counted in ``dropped``. One process does it at a time."""
    names = sorted(name for name in os.listdir(folder) if name[0] != "." and name.endswith(".json"))
    if len(names) <= QUEUE:
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    with open(os.open(f"{folder}/dropped", os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        before = file.read().strip()
        dropped = sum([remove(f"{folder}/{name}") for name in names[:-QUEUE]])
        file.seek(0)
        file.write(b"%d\n" % (dropped + (int(before) if before.isdigit() else 0)))


def close_gone(data: str, own: str) -> None:
    """Ends the sessions whose agent died without a word. The rename decides which of two hooks does it."""
    live = f"{data}/live"
    for name in os.listdir(live) if os.path.isdir(live) else ():
        path, seen = f"{live}/{name}", recall(f"{live}/{name}")
        if name.startswith((".", own)) or not gone(seen):
            continue
        taken = path.removesuffix(".gone") + ".gone"
        try:
            os.rename(path, taken)
            if recall(taken) != seen:  # resumed in between
                os.link(taken, path)
        except OSError:
            continue
        if recall(taken) == seen:
            said = {"session_id": seen.get("session"), "hook_event_name": END, "reason": "agent-gone"}
            event = Event("session-end", str(seen.get("agent")), dumps({**said, "cwd": seen.get("cwd")}).encode())
            event.pid, event.born = int(str(seen["pid"])), str(seen.get("born"))
            event.key = digest(*(seen.get(key) for key in ("agent", "session", "pid", "born")))[:32]
            if event.judge()[0] != "drop":
                spool(data, event)
        remove(taken)


def capture(data: str, event: Event, name: str) -> None:
    live = f"{data}/live/{name}.json"
    spool(data, event)
    if event.kind == END:
        remove(live)
        remove(f"{data}/offers/{name}")
    elif event.session and (event.kind == START or (event.kind == PROMPT and not os.path.exists(live))):
        remove(f"{live}.gone")
        seen = {"agent": event.agent, "session": event.session, "pid": event.pid, "born": event.born}
        write(live, dumps({**seen, "cwd": event.cwd, "host": os.uname().nodename}).encode())


def setting(data: str, name: str, default: str = "") -> str:
    """As the server reads it: environment, then config.toml, then a file of its own."""
    found: object = os.environ.get(f"AI_MEMORY_{name.upper()}")
    try:
        found = found or toml(regular(f"{data}/config.toml") or "").get(name)
        found = found or (regular(f"{data}/{name.replace('_', '-')}") or "").partition("\n")[0].strip()
    except Unreadable:
        pass
    return found if found and isinstance(found, str) else default


def address(url: str) -> str:
    return url.rstrip("/").lower().replace("//localhost", "//127.0.0.1")


def is_local(data: str) -> bool:
    """Whether our server is the one of this data directory: it reads the spool itself, now or when it starts."""
    return address(str(recall(f"{data}/serve.lock").get("url"))) == address(setting(data, "server_url", DEFAULT))


def deliver(data: str, urgent: bool) -> None:
    """Starts a drainer, unless the server needs none, or one is at work or was started just now."""
    if is_local(data) or not sys.executable:
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    lock = os.open(f"{data}/drain.lock", os.O_RDWR | os.O_CREAT, 0o600)
    flock(lock, LOCK_EX | LOCK_NB)
    stat = os.fstat(lock)
    if stat.st_size and not urgent and 0 <= time.time() - stat.st_mtime < 2:
        return
    os.pwrite(lock, b"\n", 0)
    os.close(lock)
    for name in os.listdir("/dev/fd"):
        try:
            os.set_inheritable(int(name), False)
        except OSError:
            pass
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    command = [sys.executable, "-I", "-m", "ai_memory", "hook-drain"]
    os.chdir(data)
    variables = {**os.environ, "AI_MEMORY_DATA_DIR": data}
    os.posix_spawn(command[0], command, variables, file_actions=null, setsid=True, setsigdef=[SIGINT])


def ask(data: str, path: str, body: dict[str, object], seconds: float) -> dict[str, object]:
    """The JSON object that the server answers; empty if none comes within ``seconds``, whatever it waits for."""
    answers: list[object] = []
    aside(lambda: answers.append(post(data, path, body)))(True, max(seconds, 0.0))
    return answers[0] if answers and isinstance(answers[0], dict) else {}


def post(data: str, path: str, asked: dict[str, object]) -> object:
    body = dumps(asked).encode()
    url, token = setting(data, "server_url", DEFAULT), setting(data, "auth_token")
    scheme, _, rest = url.rstrip("/").partition("://")
    host, _, prefix = rest.partition("/")
    name, _, port = host.rpartition(":")
    if not port.isdigit():
        name, port = host, "443" if scheme == "https" else "80"
    sock = connect(scheme, name.strip("[]"), port)
    lines = [f"POST {'/' + prefix if prefix else ''}{path} HTTP/1.0", f"Host: {host}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}"] + ([f"Authorization: Bearer {token}"] if token else [])
    if not is_local(data):
        from binascii import b2a_base64

        place = asked["hook"]
        told = b2a_base64(dumps(facts(data, place)).encode(), newline=False) if isinstance(place, dict) else b""
        lines.append("X-AI-Memory-Facts: " + told.decode().replace("+", "-").replace("/", "_"))
    sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    answer = b""
    while len(answer) < 1 << 20 and (chunk := sock.recv(65536)):
        answer += chunk
    head, _, content = answer.partition(b"\r\n\r\n")
    return loads(content.decode()) if head.split(None, 2)[1] == b"200" else {}


def peek(path: str) -> str:
    try:
        return regular(path, 256 * 1024) or ""
    except Unreadable:
        return ""


def facts(data: str, place: dict[str, object]) -> dict[str, object]:
    """What a server elsewhere needs to know the project by, read from git's files. Never a credential."""
    root, home = str(place["root"]), os.path.expanduser("~")
    told: dict[str, object] = {"machine": peek(f"{data}/machine-id").partition("\n")[0], "cwd": place["cwd"]}
    told |= {"home": os.path.realpath(home)} if home[:1] == "/" else {}
    told["markers"] = [scope for path in place["markers"] if (scope := marker_scope(path, root))]  # type: ignore[attr-defined]
    if not root:
        return told
    git = common = f"{root}/.git"
    linked = peek(git).partition("gitdir:")[2].strip()
    if linked:
        git = os.path.realpath(os.path.join(root, linked))
        common = os.path.realpath(os.path.join(git, peek(f"{git}/commondir").strip()))
        if common != git:
            told["worktree"], root = root, os.path.dirname(common) if os.path.basename(common) == ".git" else common
    branch = peek(f"{git}/HEAD").strip().partition("ref: refs/heads/")[2]
    remotes: dict[str, object] = {}
    name = ""
    for line in peek(f"{common}/config").splitlines():
        key, _, value = (part.strip() for part in line.partition("="))
        if key[:1] == "[":
            name = key.split('"')[1] if key.startswith('[remote "') else ""
        elif name and key.lower() == "url" and name not in remotes and len(remotes) < 16:
            scheme, found, rest = value.strip('"').partition("://")
            host, slash, path = rest.partition("/") if found else scheme.partition(":")
            bare = f"{host.rpartition('@')[2]}/{path.partition('?')[0]}"
            remotes[name] = f"{scheme if found else 'ssh'}://{bare}" if slash else ""
    told |= {"root": root, "root_name": os.path.basename(root), "branch": branch, "remotes": remotes}
    return told


def marker_scope(path: str, root: str) -> dict[str, object]:
    """What a marker says about scope; empty if it cannot be read."""
    try:
        table = toml(peek(path))
    except Unreadable:
        return {}
    folder = os.path.dirname(path)
    scope: dict[str, object] = {"dir": folder, "aliases": []}
    if root and f"{folder}/".startswith(f"{root}/"):
        scope["checkout"] = root
    for key in ("workspace", "project", "project_strategy", "identity", "server"):
        if isinstance(table.get(key), str):
            scope[key.removeprefix("project_")] = table[key]
    aliases = table.get("aliases")
    scope["aliases"] = [alias for alias in aliases if isinstance(alias, str)][:16] if isinstance(aliases, list) else []
    return scope


def connect(scheme: str, host: str, port: str) -> "Socket":
    if scheme == "https":
        import socket
        import ssl

        plain = socket.create_connection((host, int(port)), START_WAIT)
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    import _socket

    for family, kind, protocol, _, place in _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM):
        sock = _socket.socket(family, kind, protocol)
        sock.settimeout(START_WAIT)
        try:
            sock.connect(place)
            return sock
        except OSError:
            sock.close()
    raise OSError


def data_dir() -> str:
    """AI_MEMORY_DATA_DIR, else where this file is installed, else the XDG place; '' if there is none."""
    place, name = os.path.split(os.path.realpath(__file__))
    named = os.environ.get("AI_MEMORY_DATA_DIR")
    if not named and (os.path.basename(place), name) == ("bin", "hook.py"):
        return os.path.dirname(place)
    named = named or os.path.join(os.environ.get("XDG_DATA_HOME") or "~/.local/share", "ai-memory")
    return os.path.abspath(os.path.expanduser(named)) if os.path.expanduser(named)[0] != "~" else ""


def log(data: str, event: str, error: BaseException) -> None:
    """One line without content, in a file that starts afresh when it is full."""
    try:
        path = f"{data}/hook.log"
        mode = "ab" if os.path.exists(path) and os.path.getsize(path) < LOG else "wb"
        with open(path, mode) as file:
            number = getattr(error, "errno", None) or 0
            file.write(f"{int(time.time() * 1000)} {event[:64]!a} {type(error).__name__} {number}\n".encode())
    except OSError:
        pass


def run(data: str, event: Event) -> None:
    """Captures and delivers ``event``; gives the agent what the server has for it."""
    name = digest(event.agent, event.session) if event.kind else ""
    steps: list[Callable[[], None]] = [lambda: close_gone(data, name)] if event.kind == START else []
    steps += [lambda: capture(data, event, name), lambda: deliver(data, event.kind in URGENT)]
    for step in steps if not os.environ.get("AI_MEMORY_CAPTURE_OWNER") else []:
        try:
            step()
        except BlockingIOError:  # another hook or a drainer is at it
            pass
        except OSError as error:
            log(data, event.named, error)
    asked: dict[str, object] = {"agent": event.agent, "session": event.session, "event": event.named}
    asked["hook"] = event.place()
    if event.kind == START:
        asked |= {"source": text_of(event.fields, ("source",)), "drain": True}
        answer = ask(data, "/handoff", asked, STARTED + START_WAIT - time.monotonic())
        if answer.get("offer") and event.session:
            write(f"{data}/offers/{name}", b"")
        event.say(answer.get("text"))
    elif event.kind == PROMPT and remove(f"{data}/offers/{name}"):
        event.say(ask(data, "/handoff/claim", asked, CLAIM_WAIT).get("text"))


def main(arguments: list[str]) -> None:
    os.umask(0o077)
    signal(SIGINT, SIG_IGN)  # the key that stops the agent's turn must not cost the event
    checking = arguments[:1] == ["--check-capture"]
    named, agent = (arguments[checking:] + ["", ""])[:2]
    data, raw = data_dir(), bytearray()
    over = aside(lambda: drain(raw))
    try:
        over(True, STDIN_WAIT)
        told = os.environ.get("AI_MEMORY_DISABLE", "") not in ("", "0")
        off = told or not data or os.path.exists(f"{data}/disabled")
        if off and not checking:
            return
        event = Event(named, agent, bytes(raw), len(raw) <= KEPT)
        decision, why = ("drop", "disabled") if off else event.judge()
        if checking:
            verdict = {"decision": decision, "reason": why, "patterns": event.policy.patterns}
            scope = {"cwd": event.cwd, "root": event.root, "session": bool(event.session)}
            put({**verdict, "markers": event.markers, "scope": scope})
        elif decision != "drop":
            run(data, event)
            over(True, STDIN_WAIT if len(raw) > KEPT else 0)
        elif why in ("malformed", "oversize"):
            log(data, named, ValueError())
    except BaseException as error:  # noqa: BLE001  the rim: an agent is never troubled
        if not checking:
            log(data, named, error)


if __name__ == "__main__":
    while None in (sys.stdin, sys.stdout, sys.stderr) and os.open(os.devnull, os.O_RDWR) < 2:
        pass  # a descriptor that was closed must not become that of a file of ours
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)
