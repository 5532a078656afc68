"""`debateroom mcp`: debates for assistants that speak the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from debateroom.errors import UsageError


@click.command("mcp", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
def mcp(active: str | None) -> int:
    """Serve debates over standard input and output, until the client closes them.

    Four tools: debate_start, debate_wait, debate_result, debate_stop. Needs the extra `mcp`.
    """
    from debateroom import settings

    if find_spec("mcp") is None:
        raise UsageError("the MCP server needs the extra `mcp`", hint='pip install "debateroom[mcp]"')
    from debateroom.doors.mcp import server

    chosen = settings.load({"active": active})
    server(chosen.active.resolve(), Path.cwd()).run("stdio")
    return 0
