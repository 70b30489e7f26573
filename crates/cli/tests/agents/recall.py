"""Asks `enfold mcp` as any program would that uses the protocol's Python library: over pipes. Prints what it answers."""
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(program, store, handle):
    server = StdioServerParameters(command=program, args=["mcp", "--store", store])
    async with stdio_client(server) as pipes, ClientSession(*pipes) as session:
        await session.initialize()
        print([tool.name for tool in (await session.list_tools()).tools])
        calls = [
            ("unfold", {"handle": handle}),
            ("search_history", {"query": "limits"}),
            ("session_ledger", {}),
            ("file_at", {"path": "src/limits.c", "to_line": 3}),
            ("unfold", {"handle": "#12"}),
        ]
        for tool, arguments in calls:
            answer = await session.call_tool(tool, arguments)
            is_error = getattr(answer, "is_error", getattr(answer, "isError", None))
            print(tool, is_error, answer.content[0].text.splitlines()[0])


asyncio.run(main(*sys.argv[1:]))
