"""The command ``ai-memory``. The bridge and the drainer start without the command line's libraries."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command named on the command line; its exit code."""
    words = sys.argv[1:]
    if words[:1] == ["mcp"]:
        from ai_memory.client import bridge

        return bridge.main(words[1:])
    if words[:1] == ["hook-drain"]:
        from ai_memory.client import drain

        return drain.main(words[1:])
    from ai_memory.cli import app

    return app.main()


if __name__ == "__main__":
    sys.exit(main())
