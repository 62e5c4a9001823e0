"""The MCP server over Streamable HTTP, stateless. Loaded late: the SDK takes a second to import."""

from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.concurrency import run_in_threadpool

from ai_memory import __version__
from ai_memory.errors import MemoryFault
from ai_memory.gate import asked
from ai_memory.mcp import calls
from ai_memory.mcp.calls import Caller
from ai_memory.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from ai_memory.memory.core import Core

log = logging.getLogger(__name__)


def build(core: Core) -> StreamableHTTPSessionManager:
    """The session manager that serves ``/mcp``; its ``run()`` must be entered before it is asked."""

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            agent, session = asked.agent(ctx.request)
            caller = Caller(asked.actor(ctx.request), asked.facts(ctx.request), agent, session)
            text = await run_in_threadpool(calls.call, core, caller, params.name, params.arguments or {})
        except MemoryFault as error:
            return _answer(str(error), failed=True)
        except Exception:
            log.exception("the tool %s failed", params.name)
            return _answer("The memory server failed; its log says why. Go on without it.", failed=True)
        return _answer(text)

    server = Server(
        "ai-memory", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    return StreamableHTTPSessionManager(app=server, json_response=True, stateless=True)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )


def _answer(text: str, *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)
