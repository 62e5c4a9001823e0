"""The closed vocabulary of events and the names agents use for them."""

from __future__ import annotations

SESSION_START = "session-start"
USER_PROMPT = "user-prompt"
PRE_TOOL = "pre-tool-use"
POST_TOOL = "post-tool-use"
PRE_COMPACT = "pre-compact"
POST_COMPACT = "post-compaction"
NOTIFICATION = "notification"
STOP = "stop"
SUBAGENT_STOP = "subagent-stop"
SESSION_END = "session-end"
OTHER = "other"

KINDS = (
    SESSION_START, USER_PROMPT, PRE_TOOL, POST_TOOL, PRE_COMPACT, POST_COMPACT,
    NOTIFICATION, STOP, SUBAGENT_STOP, SESSION_END, OTHER,
)  # fmt: skip

_ALIASES = {
    "sessionstart": SESSION_START,
    "agentspawn": SESSION_START,
    "userpromptsubmit": USER_PROMPT,
    "userprompt": USER_PROMPT,
    "prompt": USER_PROMPT,
    "beforeagent": USER_PROMPT,
    "beforesubmitprompt": USER_PROMPT,
    "pretooluse": PRE_TOOL,
    "beforetool": PRE_TOOL,
    "posttooluse": POST_TOOL,
    "posttoolusefailure": POST_TOOL,
    "aftertool": POST_TOOL,
    "precompact": PRE_COMPACT,
    "precompress": PRE_COMPACT,
    "postcompact": POST_COMPACT,
    "postcompaction": POST_COMPACT,
    "notification": NOTIFICATION,
    "stop": STOP,
    "afteragent": STOP,
    "agentstop": STOP,
    "subagentstop": SUBAGENT_STOP,
    "sessionend": SESSION_END,
}


def normalise(name: str) -> str:
    """The vocabulary's word for ``name``, whatever its case, dashes or underscores; ``other`` if there is none."""
    return _ALIASES.get(name.replace("-", "").replace("_", "").lower(), OTHER)
