"""A quick MCP server without the SDK: lists the tools in its first argument, and repeats what they are given.

A tool called `refused` is refused. Each start is noted in the file that the variable STARTS names.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

CAPABLE = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}


def answer(method: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The result of one request, or the error."""
    if method == "initialize":
        return {"result": {**CAPABLE, "serverInfo": {"name": "listing", "version": "1"}}}
    if method == "tools/list":
        return {"result": {"tools": json.loads(sys.argv[1])}}
    if method == "tools/call" and asked["name"] != "refused":
        return {
            "result": {"content": [{"type": "text", "text": f"{asked['name']}: {json.dumps(asked['arguments'])}"}]}
        }
    return {"error": {"code": -32601, "message": "no such method"}}


if "STARTS" in os.environ:
    with Path(os.environ["STARTS"]).open("a") as starts:
        starts.write(f"{os.getpid()}\n")
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        told = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}), flush=True)
