"""What goes wrong between a client and a vendor, each as the vendor or the network really does it.

Give one as a reply: `VendorServer(HttpError(429, retry_after="2"))`, or from a reply function for some calls only.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, NamedTuple

from debateroom.messages import Usage
from vendor.call import Answerer, Call, Fault, Reply, Said
from vendor.http import Channel
from vendor.responses_wire import Responses
from vendor.wire import Wire, event

_BEGUN = Usage(input=1)
EMPTY = Reply("")
"""A finished answer with nothing in it."""
REFUSAL = Reply("", stop_reason="refusal")
"""The vendor's classifier stopped the answer."""
ALL_THINKING = Reply("", thinking="Let me think about this. " * 40, stop_reason="length")
"""Thinking ate the whole limit: nothing but the stop reason is left."""


class _Body(NamedTuple):
    status: int
    kind: str | None
    """Anthropic's `type`; OpenAI's `code`."""
    message: str
    family: str = "invalid_request_error"
    """OpenAI's `type`."""
    detail: str | None = None
    """Anthropic's `details.error_code`."""


_ANTHROPIC = {
    400: _Body(400, "invalid_request_error", "messages: at least one message is required"),
    401: _Body(401, "authentication_error", "invalid x-api-key"),
    402: _Body(402, "billing_error", "There is a problem with the billing information of this organization."),
    403: _Body(403, "permission_error", "Your API key does not have permission to use the specified resource."),
    404: _Body(404, "not_found_error", "model: claude-none"),
    408: _Body(408, "timeout_error", "Request timed out"),
    409: _Body(409, "conflict_error", "The resource is in use"),
    413: _Body(413, "request_too_large", "Request exceeds the maximum size"),
    429: _Body(429, "rate_limit_error", "This request would exceed the rate limit of your organization."),
    500: _Body(500, "api_error", "Internal server error"),
    501: _Body(501, "api_error", "Not implemented"),
    503: _Body(503, "api_error", "Service unavailable"),
    529: _Body(529, "overloaded_error", "Overloaded"),
    "quota": _Body(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "spend_limit": _Body(
        429, "rate_limit_error", "The monthly usage threshold is reached.", detail="enforced_spend_limit_reached"
    ),
}
_OPENAI = {
    400: _Body(400, "invalid_value", "Invalid value for 'input'."),
    401: _Body(401, "invalid_api_key", "Incorrect API key provided: sk-wrong-****-key1."),
    402: _Body(402, "billing_not_active", "Your account is not active.", "billing_not_active"),
    403: _Body(403, "unsupported_country_region_territory", "Region not supported", "request_forbidden"),
    404: _Body(404, "model_not_found", "The model `gpt-none` does not exist or you do not have access to it."),
    408: _Body(408, "timeout", "Request timed out", "timeout"),
    409: _Body(409, "conflict", "The resource was updated by another request", "conflict"),
    413: _Body(413, "request_too_large", "Request too large"),
    429: _Body(429, "rate_limit_exceeded", "Rate limit reached: limit 3, used 3, requested 1.", "requests"),
    500: _Body(500, None, "The server had an error while processing your request", "server_error"),
    501: _Body(501, None, "Not implemented", "server_error"),
    503: _Body(503, None, "The engine is currently overloaded, please try again later", "server_error"),
    529: _Body(529, None, "Overloaded", "server_error"),
    "quota": _Body(429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota"),
    "spend_limit": _Body(
        429, "billing_hard_limit_reached", "Billing hard limit has been reached", "insufficient_quota"
    ),
}
STATUSES = tuple(name for name in _ANTHROPIC if isinstance(name, int))
"""Every status that `HttpError` knows the vendors' bodies for."""


@dataclass(frozen=True)
class HttpError(Fault):
    """An error status with the vendor's own body: a status, `"quota"` (spent) or `"spend_limit"`."""

    name: int | str
    retry_after: str | None = None
    """The header as it is sent: seconds, or a date from `in_seconds`."""
    message: str | None = None

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        ours = _ANTHROPIC if call.endpoint == "anthropic.messages" else _OPENAI
        row = ours[self.name]  # type: ignore[index]
        message = row.message if self.message is None else self.message
        if call.endpoint == "anthropic.messages":
            error: dict[str, Any] = {"type": row.kind, "message": message}
            if row.detail:
                error["details"] = {"error_code": row.detail}
            body = {"type": "error", "error": error, "request_id": wire.headers()["request-id"]}
        elif call.endpoint == "google.gemini":
            body = wire.error(row.status, "", message)
        else:
            body = {"error": {"message": message, "type": row.family, "param": None, "code": row.kind}}
        out.whole(body, status=row.status, headers={"retry-after": self.retry_after} if self.retry_after else None)


def in_seconds(seconds: float) -> str:
    """The HTTP date so many seconds from now, for `retry_after`; dates carry whole seconds."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@dataclass(frozen=True)
class Silent(Fault):
    """Takes the request and never says anything."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        await asyncio.get_running_loop().create_future()


@dataclass(frozen=True)
class Trickle(Fault):
    """A stream that stays alive and gets nowhere: each ping resets the client's read timeout."""

    interval: float = 0.02

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        if call.stream:
            out.open(wire.opening(Reply("x"), Usage(input=1)))
        else:
            out.part(b" ", of=1_000_000)
        while True:
            await asyncio.sleep(self.interval)
            out.send(wire.ping()) if call.stream else out.more(b" ")


@dataclass(frozen=True)
class SlowHead(Fault):
    """Takes the request and begins to answer, a byte at a time: no single wait is long, and no answer ever there."""

    interval: float = 0.02

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        out.more(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-padding: ")
        while True:
            await asyncio.sleep(self.interval)
            out.more(b"x")


@dataclass(frozen=True)
class Cut(Fault):
    """A stream that ends after some text, without a stop reason."""

    text: str = "POSITION: we should"
    abrupt: bool = False
    """The connection drops in the middle; otherwise the stream ends as if all was said."""
    usage: Usage = _BEGUN
    """What an Anthropic stream says of its usage at the beginning."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        if not call.stream:
            out.part(b'{"id": "', of=1_000)
            out.drop()
            return
        out.open(wire.opening(Reply(self.text), self.usage) + wire.piece(self.text))
        if self.abrupt:
            out.drop()
        else:
            out.end()


@dataclass(frozen=True)
class StreamError(Fault):
    """An error as an event inside a stream of status 200; without a stream, the same error with its status."""

    name: int | str = 529
    text: str = "POSITION: we"
    failed: bool = False
    """OpenAI Responses only: as `response.failed` in place of the `error` event."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        if not call.stream:
            await HttpError(self.name).play(call, wire, out)
            return
        row = (_ANTHROPIC if call.endpoint == "anthropic.messages" else _OPENAI)[self.name]  # type: ignore[index]
        kind = row.kind or row.family
        out.open(wire.opening(Reply(self.text), Usage(input=1)) + wire.piece(self.text))
        if self.failed and isinstance(wire, Responses):
            out.send(wire.failed(kind, row.message))
        else:
            out.send(wire.stream_error(row.status, kind, row.message))
        out.end()


@dataclass(frozen=True)
class Page(Fault):
    """Status 200 with something that is no answer: a login page, a proxy's greeting, half a JSON text."""

    body: bytes = b"<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>"
    kind: str = "text/html; charset=utf-8"

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        out.whole(self.body, kind=self.kind)


@dataclass(frozen=True)
class BrokenJSON(Fault):
    """JSON that ends in the middle, as the body or as an event."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        if not call.stream:
            out.whole(b'{"id": "x", "content": [{"ty')
            return
        out.open(wire.opening(Reply("x"), Usage(input=1)))
        name = b"event: content_block_delta\n" if call.endpoint == "anthropic.messages" else b""
        out.send(name + b'data: {"type": "content_block_delta", "ind\n\n')
        out.end()


@dataclass(frozen=True)
class NullContent(Fault):
    """An answer whose `content`, `choices` or `output` is null."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        reply, usage = Reply("x"), Usage(input=1, output=1)
        whole = wire.whole(reply, usage)
        for name in ("content", "choices", "output"):
            if name in whole:
                whole[name] = None
        if not call.stream:
            out.whole(whole)
        elif call.endpoint == "anthropic.messages":
            delta = {"type": "content_block_delta", "index": 0, "delta": None}
            out.open(wire.opening(reply, usage) + event(delta, "content_block_delta"))
            out.end()
        else:
            wire.opening(reply, usage)
            done = {"type": "response.completed", "sequence_number": 0, "response": whole}
            out.open(event(done, "response.completed") if "output" in whole else event(whole))
            out.end()


@dataclass(frozen=True)
class Reset(Fault):
    """The connection is reset, before any answer or after some text."""

    text: str = ""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        if self.text and call.stream:
            out.open(wire.opening(Reply(self.text), Usage(input=1)) + wire.piece(self.text))
            await asyncio.sleep(0.05)
        out.reset()


def fail_first(
    times: int, fault: Said, then: Said | Answerer, *, per: Callable[[Call], str] = lambda call: call.own
) -> Answerer:
    """A reply function: `fault` for the first so many calls with the same own block, after that `then`."""
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def reply(call: Call) -> Said:
        with lock:
            seen[per(call)] += 1
            failing = seen[per(call)] <= times
        if failing:
            return fault
        return then(call) if callable(then) else then

    return reply
