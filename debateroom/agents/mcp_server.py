"""One MCP server as a process: started with its children in a group of its own, spoken to through the official SDK.

The SDK's session runs in a thread of its own. Between it and the process stand files and not pipes, as for other
programs (`lines`): a server that writes without end, or never reads, holds up nobody.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, Implementation, Tool, jsonrpc_message_adapter

from debateroom import __version__, clock
from debateroom.agents.commands import keyless
from debateroom.agents.lines import FIRST_LOOK, LONGEST_LOOK, MOST_WRITTEN, Started
from debateroom.files import whole_characters
from debateroom.models.processes import Programs, Stopped, TooMuch
from debateroom.models.quote import safe_line

_MOST_PAGES = 50
"""Parts in which a list of tools may come."""
T = TypeVar("T")


class Broken(Exception):
    """The server cannot be used, or a call of it failed; the message says what it did, in one safe line."""


@dataclass(frozen=True, slots=True)
class _Talk:
    """The session, once both sides have said what they are."""

    portal: BlockingPortal
    """The way into its thread."""
    client: Client
    over: anyio.Event
    tools: tuple[Tool, ...]


class Server:
    """A server from its start until it is closed. When it ends by itself, every further call says so."""

    def __init__(self, programs: Programs, line: Sequence[str], folder: Path, seconds: float) -> None:
        """Starts it and waits for the list of its tools. Raises Broken, also after `seconds`."""
        self._programs = programs
        self._fate = ""
        """How it ended; empty as long as it has not."""
        self._ending = threading.Lock()  # protects _fate: it is ended once
        self._ready: Future[_Talk] = Future()
        try:
            self._started = Started(programs, line, folder, keyless(folder))
        except (Stopped, OSError) as error:
            raise Broken(_not_begun(error, seconds)) from error
        threading.Thread(target=self._run, name="mcp", daemon=True).start()
        try:
            self._talk = self._within(self._ready, seconds)
        except BaseException as error:
            told = self._fate or _not_begun(error, seconds)
            self._end("was ended")
            if isinstance(error, Exception):
                raise Broken(told) from error
            raise

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What it lists, as it says it."""
        return self._talk.tools

    def call(self, name: str, arguments: Mapping[str, Any], seconds: float) -> CallToolResult:
        """What a tool of it gave. Raises TimeoutError, Stopped when the run was stopped, Broken for all else."""
        given = json.loads(whole_characters(json.dumps(arguments, ensure_ascii=False)))
        try:
            future = self._talk.portal.start_task_soon(self._talk.client.call_tool, name, given)
            result: CallToolResult = self._within(future, seconds)
        except (TimeoutError, Stopped):
            raise
        except Exception as error:  # whatever the SDK makes of what it was told
            raise Broken(self._fate or _reason(error)) from error
        return result

    def close(self) -> None:
        """Ends the session and the process with its children."""
        with contextlib.suppress(RuntimeError):  # its thread has ended
            self._talk.portal.start_task_soon(self._talk.over.set)
        self._end("was ended")

    def _within(self, future: Future[T], seconds: float) -> T:
        """What the session's thread makes of it. Raises TimeoutError, Stopped; nobody waits for it then."""
        until = clock.monotonic() + seconds
        while not wait([future], timeout=max(0.0, min(LONGEST_LOOK, until - clock.monotonic()))).done:
            if self._programs.stopped or clock.monotonic() >= until:
                future.cancel()
                raise Stopped if self._programs.stopped else TimeoutError
        return future.result()

    def _end(self, fate: str = "") -> None:
        """Ends the process with its children; the first who says why is believed, else it was by itself."""
        with self._ending:
            if not self._fate:
                code = self._started.close(self._programs)
                said = safe_line(self._started.errors()[-300:])
                told = fate or f"ended with exit code {code}"
                self._fate = f"{told}; it said: {said}" if said else told

    def _run(self) -> None:
        """What the session's thread does."""
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what goes wrong is said by whoever waits
        try:
            anyio.run(self._live)
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _live(self) -> None:
        over, own = anyio.Event(), Implementation(name="debateroom", version=__version__)
        async with BlockingPortal() as portal:
            async with Client(self._transport(), client_info=own, cache=None) as client:
                talk = _Talk(portal, client, over, await _listed(client))
                if self._ready.set_running_or_notify_cancel():
                    self._ready.set_result(talk)
                    await over.wait()
            await portal.stop(cancel_remaining=True)

    @contextlib.asynccontextmanager
    async def _transport(self) -> AsyncIterator[Any]:
        """The two streams between the SDK's session and the process."""
        told, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        said, saying = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, told)
            tasks.start_soon(self._write, saying)
            yield heard, said
            tasks.cancel_scope.cancel()

    async def _read(self, told: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hands on what the server writes. One that breaks off, or writes what is no message, is ended."""
        async with told:
            fate = ""
            try:
                while (line := await self._line()) is not None:
                    await told.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
            except ValueError:
                fate = f"wrote what is no message of the protocol: {_shown(line)!r}"
            except TooMuch:
                fate = "wrote more than it may"
            except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):  # the run is over
                fate = "was ended"
            await anyio.to_thread.run_sync(self._end, fate)

    async def _line(self) -> bytes | None:
        """The next line that the server writes; None when it has ended. Raises TooMuch."""
        look = FIRST_LOOK
        while True:
            over = self._started.running.ended()  # asked first: what it wrote before is then all there
            line = self._started.line(whole=over)
            if line is not None or over:
                return line
            if self._started.written() > MOST_WRITTEN:
                raise TooMuch
            await anyio.sleep(look)
            look = min(look * 1.5, LONGEST_LOOK)

    async def _write(self, saying: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Hands over what the session says, one message after the other."""
        async with saying:
            async for each in saying:
                while not self._started.sent:
                    await anyio.sleep(FIRST_LOOK)
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._started.send(text.encode() + b"\n")


def _shown(line: bytes | None) -> str:
    return safe_line((line or b"").decode("utf-8", "replace"))


async def _listed(client: Client) -> tuple[Tool, ...]:
    """All tools of a server."""
    page = await client.list_tools()
    tools = list(page.tools)
    for _ in range(_MOST_PAGES):
        if page.next_cursor is None:
            return tuple(tools)
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    raise MCPError(0, "its list of tools has no end")


def _not_begun(error: BaseException, seconds: float) -> str:
    """Why a server that has not ended cannot be used."""
    if isinstance(error, TimeoutError):
        return f"did not say what it can do within {seconds:g} s"
    if isinstance(error, Stopped):
        return "was ended: the run was stopped"
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror or error}"
    return f"does not speak the protocol: {_reason(error)}"


def _reason(error: BaseException) -> str:
    """What an error says, in one line; of several at once the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said = safe_line(str(error)[:2_000])
    return said if isinstance(error, MCPError) else f"{type(error).__name__}: {said}"
