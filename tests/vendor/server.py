"""The server itself: one event loop in one thread, which costs little with hundreds of open streams."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from debateroom.messages import Usage
from vendor.anthropic_wire import AnthropicMessages
from vendor.batches import BatchDesk
from vendor.cache import PromptCache
from vendor.call import Answerer, Call, Fault, Reply, Said, tokens
from vendor.chat_wire import ChatCompletions, openai_error
from vendor.gemini_wire import GenerateContent
from vendor.http import Channel, Request, take_request
from vendor.responses_wire import Responses
from vendor.rules import refusal
from vendor.wire import Wire

WIRES: Mapping[str, type[Wire]] = {
    "/v1/messages": AnthropicMessages,
    "/v1/responses": Responses,
    "/v1/chat/completions": ChatCompletions,
}
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "gpt-6.2-sol")
_TICK = 0.02
"""Seconds between two writes of one stream, at least: more would cost CPU and show nothing."""

Seconds = float | Callable[[Call], float]


class VendorServer:
    """Both vendors on a free loopback port, from `with` to its end.

    `reply` runs on the server's thread and must not block; a slow model is `latency`, which `hurry` cuts short.
    """

    def __init__(
        self,
        reply: Said | Answerer = "ok",
        *,
        latency: Seconds = 0.0,
        first_token: Seconds | None = None,
        together: int | None = None,
        chunk: int = 48,
        key: str | None = None,
        models: Sequence[str] = MODELS,
        cache_minimum: int = 1024,
    ) -> None:
        self._reply: Answerer = reply if callable(reply) else lambda _: reply
        self._latency = latency
        """Seconds from a call's arrival to its last token."""
        self._first_token = first_token
        """Seconds to the first token; None: all the text comes at the end."""
        self._together = together
        """When so many calls are being answered at once, nothing more is waited for in them or in earlier ones."""
        self._chunk = chunk
        """Characters in one streamed piece."""
        self._key = key
        """Calls with any other key get 401; None takes every key."""
        self._models = models
        self._loop = asyncio.new_event_loop()
        self._in_haste = 0
        """So many calls, the first ones, wait for nothing any more."""
        self._haste = self._loop.create_future()
        """Done when there is more haste than before."""
        self._thread = threading.Thread(target=self._loop.run_forever, name="vendor-server", daemon=True)
        self.cache = PromptCache(cache_minimum)
        self.connections: set[Connection] = set()
        self.accepted = 0
        """Connections opened so far."""
        self.batches = BatchDesk(self)
        """Calls that come in batches; they are among `calls` once they are answered."""
        self.calls: list[Call] = []
        """Calls for an answer, in order of arrival."""
        self.lookups: list[Request] = []
        """`GET` requests, such as the list of models."""
        self.mistakes: list[Exception] = []
        """What went wrong in the test's own reply function; the first is raised at the end of `with`."""
        self.in_flight = 0
        self.peak_in_flight = 0
        self.url = ""
        """What the Anthropic SDK takes as its base URL."""

    @property
    def openai_url(self) -> str:
        """What the OpenAI SDK takes as its base URL."""
        return f"{self.url}/v1"

    def __enter__(self) -> VendorServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
        if self.mistakes and error is None:
            raise self.mistakes[0]

    def hurry(self, calls: int = sys.maxsize) -> None:
        """Ends the waiting of the first so many calls, by default of all there will ever be: the late come now."""
        self._loop.call_soon_threadsafe(self._hurry, calls)

    def _hurry(self, calls: int) -> None:
        self._in_haste = max(self._in_haste, calls)
        self._haste.set_result(None)
        self._haste = self._loop.create_future()

    async def _listen(self) -> None:
        self._server = await self._loop.create_server(lambda: Connection(self), "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _close(self) -> None:
        # First no new connections, then the end of those that are being accepted: asyncio loses a connection
        # whose server was closed in between. After that nothing may be left half open.
        for listening in self._server.sockets:
            self._loop.remove_reader(listening.fileno())
        while (others := asyncio.all_tasks() - {asyncio.current_task()}) or self.connections:
            for connection in list(self.connections):
                connection.transport.abort()
            for connection in list(self.connections):
                if connection.task:
                    connection.task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await asyncio.sleep(0)
        self._server.close()

    async def answer(self, request: Request, transport: asyncio.Transport) -> None:
        """Answers one request on its connection."""
        if self.batches.serves(request.path):
            self.batches.answer(request, transport)
            return
        wire_of = _wire_of(request.path)
        if request.method != "POST" or wire_of is None:
            self._look_up(request, transport)
            return
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        call = self._log(request, wire_of)
        wire = wire_of(call)
        out = Channel(transport, wire.headers(), lambda status: self._finish(call, status))
        try:
            wire.read()
            await self._say(call, wire, out, request.key)
        except asyncio.CancelledError:
            call.gone = True
            raise
        except Exception as mistake:
            # a wrong reply function must fail its test, not look like a broken vendor that is asked again
            self.mistakes.append(mistake)
            if out.status is not None:
                out.drop()
                return
            out.whole(wire.error(400, "invalid_request_error", f"the test's server: {mistake}"), status=400)
        finally:
            self._finish(call, out.status)

    def _finish(self, call: Call, status: int | None) -> None:
        if call.finished is None:
            call.status = status
            call.finished = time.monotonic()
            self.in_flight -= 1

    def _log(self, request: Request, wire_of: type[Wire]) -> Call:
        call = Call(
            number=len(self.calls),
            endpoint=wire_of.endpoint,
            path=request.path,
            headers=request.safe_headers(),
            body=json.loads(request.body),
            arrived=time.monotonic(),
            in_flight=self.in_flight,
        )
        self.calls.append(call)
        if self.in_flight == self._together:
            self._hurry(len(self.calls))
        return call

    async def _say(self, call: Call, wire: Wire, out: Channel, key: str) -> None:
        if self._key is not None and key != self._key:
            kind = "authentication_error" if "anthropic" in call.endpoint else "invalid_api_key"
            out.whole(wire.error(401, kind, "invalid x-api-key"), status=401)
            return
        if wrong := refusal(call):
            out.whole(wire.error(400, wrong.kind, wrong.message), status=400)
            return
        call.said = self._reply(call)
        if isinstance(call.said, Fault):
            await call.said.play(call, wire, out)
            return
        reply, usage = self.counted(call, call.said)
        if call.stream:
            await self._stream(call, wire, out, reply, usage)
        else:
            await self._until(call, call.arrived + self._seconds(call, reply))
            self._first_token_is_out(call)
            out.whole(wire.whole(reply, usage))

    def say(self, call: Call) -> Said:
        """What the test's reply function says to a call; what goes wrong in it fails the test."""
        try:
            call.said = self._reply(call)
        except Exception as mistake:
            self.mistakes.append(mistake)
            call.said = f"the test's server: {mistake}"
        return call.said

    def counted(self, call: Call, said: Said) -> tuple[Reply, Usage]:
        """The reply within the call's limit, and what it used."""
        assert not isinstance(said, Fault)
        reply = _within_limit(_as_reply(said), call.limit)
        call.usage = self._usage(call, reply)
        return reply, call.usage

    async def _stream(self, call: Call, wire: Wire, out: Channel, reply: Reply, usage: Usage) -> None:
        last = self._seconds(call, reply)
        first = last if self._first_token is None else min(last, _value(self._first_token, call))
        pieces = [reply.text[start : start + self._chunk] for start in range(0, len(reply.text), self._chunk)]
        ticks = max(1, min(len(pieces), int((last - first) / _TICK)))
        out.open(wire.opening(reply, usage))
        for tick in range(ticks):
            await self._until(call, call.arrived + first + (last - first) * tick / ticks)
            if tick == 0:
                self._first_token_is_out(call)
            part = pieces[len(pieces) * tick // ticks : len(pieces) * (tick + 1) // ticks]
            out.send(b"".join(wire.piece(piece) for piece in part))
        await self._until(call, call.arrived + last)
        out.send(wire.closing(reply, usage))
        out.end()

    async def _until(self, call: Call, moment: float) -> None:
        """Sleeps to `moment` of the monotonic clock; not at all when it is past or the call is to hurry."""
        while call.number >= self._in_haste and (left := moment - time.monotonic()) > 0:
            await asyncio.wait((self._haste,), timeout=left)

    def _first_token_is_out(self, call: Call) -> None:
        call.first_token = time.monotonic()
        self.cache.keep(call)

    def _usage(self, call: Call, reply: Reply) -> Usage:
        return reply.usage or self.cache.usage(call, tokens(reply.text) + tokens(reply.thinking))

    def _seconds(self, call: Call, reply: Reply) -> float:
        return _value(self._latency, call) if reply.latency is None else reply.latency

    def _look_up(self, request: Request, transport: asyncio.Transport) -> None:
        self.lookups.append(request._replace(headers=request.safe_headers()))
        out = Channel(transport, {}, lambda _: None)
        if request.method != "GET" or request.path.partition("?")[0] != "/v1/models":
            out.whole(openai_error(404, "unknown_url", f"Invalid URL ({request.method} {request.path})"), status=404)
        elif "anthropic-version" in request.headers:
            out.whole(_anthropic_models(self._models))
        else:
            rows = [{"id": name, "object": "model", "created": 0, "owned_by": "system"} for name in self._models]
            out.whole({"object": "list", "data": rows})


class Connection(asyncio.Protocol):
    """One client connection: reads requests, answers them one after the other, notices when the client leaves."""

    def __init__(self, server: VendorServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.accepted += 1
        self._server.connections.add(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        if self.task:
            self.task.cancel()

    def _next(self) -> None:
        if self.task is None and (request := take_request(self._buffer)) is not None:
            self.task = asyncio.get_running_loop().create_task(self._server.answer(request, self.transport))
            self.task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if not task.cancelled() and not self.transport.is_closing():
            self._next()


def _wire_of(path: str) -> type[Wire] | None:
    """Which wire speaks a path; None when it is none of the vendors'."""
    plain = path.partition("?")[0]
    gemini = plain.startswith("/v1beta/models/") and plain.lower().endswith("generatecontent")
    return GenerateContent if gemini else WIRES.get(plain)


def _as_reply(said: Said) -> Reply:
    if isinstance(said, Reply):
        return said
    return Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def _within_limit(reply: Reply, limit: int | None) -> Reply:
    """The reply as far as the call's token limit lets it go; thinking counts first."""
    if limit is None or tokens(reply.text) + tokens(reply.thinking) <= limit:
        return reply  # calls are taken to fit
    thinking = reply.thinking[: 4 * limit]
    cut = reply.text[: 4 * (limit - tokens(thinking))]
    return replace(reply, text=cut, thinking=thinking, stop_reason="length")


def _value(seconds: Seconds, call: Call) -> float:
    return seconds(call) if callable(seconds) else seconds


def _anthropic_models(names: Sequence[str]) -> dict[str, Any]:
    rows = [
        {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
        }
        for name in names
    ]
    return {"data": rows, "has_more": False, "first_id": names[0], "last_id": names[-1]}
