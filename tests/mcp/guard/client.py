"""The Python client in front of a guarded server on pipes: `client.py COUNTERSIGN SERVER…`, a server with get_current_time."""
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(countersign, *server):
    parameters = StdioServerParameters(command=countersign, args=["mcp", "--no-pins", "--", *server])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert any(tool.name == "get_current_time" for tool in tools), tools
        now = await session.call_tool("get_current_time", {"timezone": "Asia/Shanghai"})
        assert "+08:00" in now.content[0].text, now
        refused = await session.call_tool("get_current_time", {})
        assert refused.is_error and "timezone" in refused.content[0].text, refused


asyncio.run(main(*sys.argv[1:]))
