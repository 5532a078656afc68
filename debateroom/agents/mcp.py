"""The tools of MCP servers: programs that speak the Model Context Protocol over their input and output.

One process of a server serves everything in a run. What it says is data: names are cleaned, descriptions cut, and a
server that crashes, hangs or does not speak the protocol is a tool that fails. Needs the extra `mcp`; import it late.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

from mcp_types import CallToolResult
from mcp_types import Tool as Listed

from debateroom.agents.arguments import check_schema
from debateroom.agents.functions import as_text
from debateroom.agents.mcp_server import Broken, Server
from debateroom.agents.run import Run
from debateroom.agents.tools import Outcome, cut
from debateroom.agents.wording import say
from debateroom.messages import ToolSpec
from debateroom.models.processes import Programs, Stopped
from debateroom.terminal import one_line, printable

__all__ = ["Broken", "McpTool", "NoTool", "Servers", "tools_of"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MOST_TOOLS = 128
"""What the vendors take in one request."""
_MOST_DESCRIPTION, _MOST_SCHEMA = 4_000, 40_000
_LEAVE_OUT = "name the tools that are wanted: only: [a, b]"


class NoTool(Exception):
    """A tool that a server has not, or that nobody could call; the message says which and why."""

    def __init__(self, what: str, hint: str | None = _LEAVE_OUT) -> None:
        super().__init__(what)
        self.hint = hint


class Servers:
    """The servers of one run, each started once. Closing it ends them all, and lets none start afterwards."""

    def __init__(self, stop: threading.Event) -> None:
        self._programs = Programs(stop)
        self._open: dict[tuple[Sequence[str], Path], Server] = {}
        self._starting = threading.Lock()  # protects _open: of several who want a server one starts it

    def started(self, line: Sequence[str], folder: Path, seconds: float) -> Server:
        """The server behind a command line in `folder`, which has `seconds` to say what it can do. Raises Broken."""
        with self._starting:
            if (line, folder) not in self._open:
                self._open[line, folder] = Server(self._programs, line, folder, seconds)
            return self._open[line, folder]

    def close(self) -> None:
        """Ends every server with its children."""
        with self._starting:
            for server in self._open.values():
                server.close()
            self._programs.close()


class McpTool:
    """One tool of a server."""

    def __init__(self, spec: ToolSpec, server: Server, name: str, *, timeout: float, most: int) -> None:
        """`name` is what the server calls it."""
        self.spec = spec
        self.timeout = timeout
        self.aliases: Mapping[str, str] = {}
        self._server = server
        self._name = name
        self._most = most

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What the server gave back, as text. One that ends, or takes too long, is a failure of the tool."""
        seconds = min(self.timeout, max(run.left(), 0.0))
        language, name = run.language, self.spec.name
        try:
            result = self._server.call(self._name, arguments, seconds)
        except TimeoutError:
            return Outcome(say(language, "tool_too_slow", name=name, seconds=f"{seconds:.3g}"), ok=False)
        except Stopped:
            return Outcome(say(language, "tool_failed", name=name, reason="stopped"), ok=False)
        except Broken as error:
            return Outcome(say(language, "tool_failed", name=name, reason=error), ok=False)
        return Outcome(cut(_text(result, language), language, self._most), ok=not result.is_error)


def tools_of(server: Server, *, prefix: str, only: Sequence[str] | None, timeout: float, most: int) -> list[McpTool]:
    """The tools of a server, or those that it calls as in `only`; for the model `prefix` stands before each name.

    Raises NoTool for a name that it does not list, and for a tool that no model could call.
    """
    listed = {tool.name: tool for tool in server.tools}
    for name in only or ():
        if name not in listed:
            raise NoTool(f"the server has no tool {name}; it has {one_line(', '.join(listed), 300)}", None)
    if len(listed) < len(server.tools):
        twice = next(name for name, count in Counter(tool.name for tool in server.tools).items() if count > 1)
        raise NoTool(f"the server lists {one_line(twice, 80)!r} twice", None)
    wanted = list(listed.values()) if only is None else [listed[name] for name in dict.fromkeys(only)]
    if not wanted:
        raise NoTool("the server has no tools", None)
    if len(wanted) > _MOST_TOOLS:
        raise NoTool(f"the server has {len(wanted)} tools, and a model takes {_MOST_TOOLS} at most")
    return [McpTool(_spec(tool, prefix), server, tool.name, timeout=timeout, most=most) for tool in wanted]


def _spec(tool: Listed, prefix: str) -> ToolSpec:
    """A tool as the model is told of it."""
    called = one_line(tool.name, 80)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{prefix}_{tool.name}" if prefix else tool.name)[:64]
    if not _NAME.fullmatch(name):
        raise NoTool(f"{called!r} is no name for a tool of a model's; the key `name` puts one before it", None)
    wrong = check_schema(tool.input_schema)
    if wrong or len(json.dumps(tool.input_schema)) > _MOST_SCHEMA:
        raise NoTool(f"the arguments of {called!r}: {one_line(wrong or 'they take too long to describe')}")
    described = cleandoc(printable(tool.description or tool.title or "")).strip() or name
    return ToolSpec(name, described[:_MOST_DESCRIPTION], tool.input_schema)


def _text(result: CallToolResult, language: str) -> str:
    """What a model reads of a result; structured content only where nothing else says it."""
    if not result.content and result.structured_content is not None:
        return as_text(result.structured_content)
    return "\n".join(_part(block, language) for block in result.content)


def _part(block: Any, language: str) -> str:
    """Text as it is, a link as its address; of an image, sound or file what it is."""
    inside = getattr(block, "resource", block)
    text = getattr(inside, "text", None)
    if isinstance(text, str):
        return text
    if block.type == "resource_link":
        return str(block.uri)
    return say(language, "result_no_text", kind=one_line(getattr(inside, "mime_type", None) or block.type, 80))
