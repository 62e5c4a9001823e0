"""The command table. A command's module is imported only when it runs."""

from __future__ import annotations

import importlib
import json
import sys

import click

from ai_memory import __version__
from ai_memory.errors import MemoryFault

# Command → (module below ``cli``, one line of help).
TABLE: dict[str, tuple[str, str]] = {
    "setup": ("setup", "Wire the installed agents, start the server, prove that it works."),
    "demo": ("demo", "Show the main job on a bundled recording."),
    "serve": ("serve", "Run the server."),
    "status": ("status", "What is stored here, what waits, and how the project was found."),
    "doctor": ("doctor", "Check this machine's installation; --fix mends."),
    "search": ("search", "Search pages and sessions."),
    "read-page": ("read_page", "Print a page."),
    "write-page": ("write_page", "Write a page."),
    "delete-page": ("delete_page", "Delete a page; its history stays in git."),
    "handoffs": ("handoffs", "List, make, take or cancel handoffs."),
    "sessions": ("sessions", "List sessions."),
    "finalize-session": ("finalize_session", "End a session by hand and write it up."),
    "reindex": ("reindex", "Build the index anew from the files."),
    "trust-marker": ("trust_marker", "Agree to the project that a marker in this checkout names."),
    "install-hooks": ("install_hooks", "Put the capture hooks into an agent's configuration."),
    "install-mcp": ("install_mcp", "Put the memory tools into an agent's configuration."),
    "install-instructions": ("install_instructions", "Put a short block into CLAUDE.md or AGENTS.md."),
    "uninstall": ("uninstall", "Take our entries out again."),
    "generate-auth-token": ("generate_auth_token", "Make a token for a server that others reach."),
}


# The server's sentences name its tools; a person at the command line has these.
_SPOKEN = {
    "memory_query": "`ai-memory search`",
    "memory_handoff_list": "`ai-memory handoffs`",
    "memory_handoff_begin": "`ai-memory handoffs --begin`",
    "memory_read_page": "`ai-memory read-page`",
}


class Table(click.Group):
    """A group that knows its commands by name and loads one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*TABLE, "mcp"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in TABLE:
            return None
        command: click.Command = importlib.import_module(f"ai_memory.cli.{TABLE[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in TABLE.items()] + [("mcp", "Serve an agent over stdio.")])


@click.command(cls=Table, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ai-memory")
def group() -> None:
    """Long-term memory for coding agents."""


def main() -> int:
    """Run the command line; 0 or the error's exit code. Errors are one sentence, or JSON with --json."""
    try:
        result = group.main(prog_name="ai-memory", standalone_mode=False)
    except MemoryFault as error:
        return _tell(error.code, str(error), error.exit)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return _tell("usage", _usage(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return _tell("system", f"The system refused{place}: {error.strerror or error}. Check that it may be read and written.", 1)
    return result if isinstance(result, int) else 0


def _usage(error: click.ClickException) -> str:
    """A wrong command line as sentences: what is wrong, and where the right form is told."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    said = error.format_message().strip()
    return f"{said}{'' if said.endswith(('.', '?')) else '.'} See `{context.command_path if context else 'ai-memory'} --help`."


def _tell(code: str, message: str, exit_code: int) -> int:
    for tool, words in _SPOKEN.items():
        message = message.replace(tool, words)
    if "--json" in sys.argv:
        print(json.dumps({"error": {"code": code, "message": message}}))
    else:
        print(f"ai-memory: {message}", file=sys.stderr)
    return exit_code
