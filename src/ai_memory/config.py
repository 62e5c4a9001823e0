"""The settings: one row each. Precedence: default < ``config.toml`` < environment < command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ai_memory.errors import Invalid

DEFAULT_URL = "http://127.0.0.1:49374"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: dotted ``name`` as in config.toml, its ``default`` (whose type it must have), its ``env`` name, and help.

    ``within`` bounds a number; ``words`` are all a text may be. A list is one of texts.
    """

    name: str
    default: Any
    env: str
    help: str
    within: tuple[int, int] = (1, 2**31 - 1)
    words: tuple[str, ...] = ()


TABLE: tuple[Setting, ...] = (
    Setting("bind", "127.0.0.1:49374", "AI_MEMORY_BIND", "Address and port the server listens on."),
    Setting("server_url", DEFAULT_URL, "AI_MEMORY_SERVER_URL", "Where clients find the server."),
    Setting("auth_token", "", "AI_MEMORY_AUTH_TOKEN", "Bearer token; when empty, the file auth-token in the data directory is read."),
    Setting("allowed_hosts", ["localhost", "127.0.0.1", "::1"], "AI_MEMORY_ALLOWED_HOSTS", "Host names a request may carry."),
    Setting("log_level", "info", "AI_MEMORY_LOG_LEVEL", "debug, info, warning or error.", words=("debug", "info", "warning", "error")),
    Setting("body_limit", 10 * 1024 * 1024, "AI_MEMORY_BODY_LIMIT", "Largest request body, in bytes.", (65_536, 2**31 - 1)),
    Setting("queue_limit", 4096, "AI_MEMORY_QUEUE_LIMIT", "Changes that may wait for the writer before clients are told 429."),
    Setting("session.idle_minutes", 120, "AI_MEMORY_SESSION__IDLE_MINUTES", "A session this long without an event is closed.", (1, 1_000_000)),
    Setting("handoff.expire_days", 30, "AI_MEMORY_HANDOFF__EXPIRE_DAYS", "A handoff nobody claimed is dropped after this many days.", (1, 36_500)),
    Setting("handoff.create_on_session_end", True, "AI_MEMORY_HANDOFF__CREATE_ON_SESSION_END", "Make a handoff when a session ends."),
    Setting("handoff.offer_on_session_start", True, "AI_MEMORY_HANDOFF__OFFER_ON_SESSION_START", "Offer it when the next one starts."),
    Setting("embedding.provider", "local", "AI_MEMORY_EMBEDDING__PROVIDER", "Who makes vectors.", words=("local", "openai-compatible", "google", "none")),
    Setting("embedding.model", "", "AI_MEMORY_EMBEDDING__MODEL", "The model's name; empty is the provider's usual one."),
    Setting("embedding.path", "", "AI_MEMORY_EMBEDDING__PATH", "Where the local model's file lies; empty looks in the data directory and the installed packages."),
    Setting("embedding.sha256", "", "AI_MEMORY_EMBEDDING__SHA256", "The SHA-256 a local model of your own must have."),
    Setting("embedding.url", "", "AI_MEMORY_EMBEDDING__URL", "The address of an embedding service, up to and with /v1; redacted passages and questions are sent there."),
    Setting("embedding.key", "", "AI_MEMORY_EMBEDDING__KEY", "Its key."),
    Setting("sanitize.extra_patterns", [], "AI_MEMORY_SANITIZE__EXTRA_PATTERNS", "More regular expressions to redact."),
    Setting("sanitize.allowlist", [], "AI_MEMORY_SANITIZE__ALLOWLIST", "Texts that are never redacted."),
)  # fmt: skip
_ROWS = {row.name: row for row in TABLE}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, and the data directory they belong to."""

    data: Path
    values: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name, _ROWS[name].default)

    @property
    def token(self) -> str:
        """The bearer token in force; empty means the server is open on loopback."""
        return str(self["auth_token"]) or _first_line(self.data / "auth-token")

    @property
    def url(self) -> str:
        """Where clients find the server: environment or config, else the file ``server-url``, else the default."""
        if "server_url" in self.values:
            return str(self["server_url"]).rstrip("/")
        return (_first_line(self.data / "server-url") or DEFAULT_URL).rstrip("/")


def data_dir(explicit: str | None = None) -> Path:
    """The data directory: ``explicit``, else AI_MEMORY_DATA_DIR, else the XDG place."""
    named = explicit or os.environ.get("AI_MEMORY_DATA_DIR")
    return Path(named).expanduser().absolute() if named else data_dir_default()


def data_dir_default() -> Path:
    """The XDG place of the data directory."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "ai-memory"


def load(explicit: str | None = None, overrides: Mapping[str, Any] | None = None) -> Config:
    """The settings of a data directory. Raises ``Invalid`` when config.toml or a variable does not fit; unknown keys pass."""
    data = data_dir(explicit)
    values = _from_file(data / "config.toml") | _from_environment()
    values |= {k: v for k, v in (overrides or {}).items() if v is not None}
    return Config(data, values)


def environment() -> dict[str, str]:
    """A copy of the process environment, for rooms that start programs."""
    return dict(os.environ)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"config.toml cannot be read ({error}). Mend or remove {path}.") from error
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": leaf for inner, leaf in value.items()}
        else:
            flat[key] = value
    return {name: _checked(_ROWS[name], value, "config.toml") for name, value in flat.items() if name in _ROWS}


def _from_environment() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in TABLE:
        text = os.environ.get(row.env)
        if text:
            found[row.name] = _checked(row, _parsed(row, text), row.env)
    return found


def _parsed(row: Setting, text: str) -> Any:
    if isinstance(row.default, bool):
        return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}.get(text.lower(), text)
    if isinstance(row.default, int):
        return int(text) if text.lstrip("-").isdigit() else text
    if isinstance(row.default, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


_KINDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list of texts"}


def _checked(row: Setting, value: Any, source: str) -> Any:
    wanted = type(row.default)
    if type(value) is not wanted:
        raise Invalid(f"{source}: {row.name} must be {_KINDS[wanted]}, not {value!r}. {row.help}")
    if wanted is int and not row.within[0] <= value <= row.within[1]:
        raise Invalid(f"{source}: {row.name} must be between {row.within[0]} and {row.within[1]}, not {value}. {row.help}")
    if wanted is list and not all(isinstance(item, str) for item in value):
        raise Invalid(f"{source}: {row.name} must be a list of texts, not {value!r}. {row.help}")
    if row.words and value.lower() not in row.words:
        raise Invalid(f"{source}: {row.name} must be one of {', '.join(row.words)}, not {value!r}.")
    return value


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip().split("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
