"""An MCP server of a small shop's desk, by the official SDK, over stdio; some of its tools misbehave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError

desk = MCPServer("desk", log_level="CRITICAL")
orders = {7: "on its way", 8: "delivered"}


@desk.tool()
def get_order(number: int) -> str:
    """How an order stands.

    By its number.
    """
    if number not in orders:
        raise ToolError(f"there is no order {number}")
    return f"Order {number} is {orders[number]}."


@desk.tool(name="orders/cancel")
def cancel(number: int) -> dict[str, str]:
    """Cancel an order."""
    orders[number] = "cancelled"
    return {str(number): orders[number]}


@desk.tool(structured_output=False)
def show(number: int) -> list[str | Image]:
    """A picture of what was ordered."""
    return [f"Order {number}:", Image(data=b"\x89PNG", format="png")]


@desk.tool()
def about() -> str:
    """The server's process, a child of it and the names of its variables."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    return json.dumps({"pids": [os.getpid(), child.pid], "names": sorted(os.environ), "folder": str(Path.cwd())})


@desk.tool()
def talk(length: int) -> str:
    """Say much."""
    return "x" * length


@desk.tool()
def hang() -> str:
    """Never answer."""
    time.sleep(600)
    return ""


@desk.tool()
def crash() -> str:
    """End the server."""
    print("the \x1b[31mdesk is on fire", file=sys.stderr, flush=True)
    os._exit(3)


desk.run()
