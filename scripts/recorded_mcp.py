"""A stand-in MCP server on stdio with one tool, so that a recording shows how each agent names an MCP tool."""

from __future__ import annotations

import json
import sys
from typing import Any

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOL = {"name": "memory_query", "description": "Search the project's memory.", "inputSchema": SCHEMA}


def result(message: dict[str, Any]) -> dict[str, Any]:
    """The result of one request."""
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        server = {"name": "ai-memory", "version": "0"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    if message["method"] == "tools/list":
        return {"tools": [TOOL]}
    if message["method"] == "tools/call":
        return {"content": [{"type": "text", "text": "decisions/greeting.md: greetings are f-strings"}]}
    return {}


def main() -> None:
    """Answer each line."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result(message)}), flush=True)


if __name__ == "__main__":
    main()
