"""How one call to a provider is carried out: a free slot, a clock, a watchdog, and another try where that helps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, NoModel, Wording
from debateroom.language import worded
from debateroom.messages import Answer, Paid, Request
from debateroom.models import faults
from debateroom.models.deadline import Deadline
from debateroom.models.gate import Gate
from debateroom.models.retry import ATTEMPTS, call_with_retries, helps
from debateroom.models.server_events import recognised, server_events

if TYPE_CHECKING:
    from httpx2 import Response

    from debateroom.models.draft import Draft

Send = Callable[[float], "Response"]
"""Sends a call and gives the answer, its body still to be read; takes the seconds that the call has left."""

_PAGES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml")
_MOST_JSON = 4_000_000
"""Bytes of an unstreamed answer that are read, at most."""


class Call:
    """One attempt at a call, while it runs."""

    def __init__(self, provider: str, model: str, until: float, limit: int) -> None:
        self.provider = provider
        self.model = model
        """The model's id at the provider."""
        self.draft: Draft | None = None
        """What has arrived of the answer; None where it does not come in pieces."""
        self.limit = limit
        """Tokens that the answer may have: the request's limit, or what a budget leaves a later attempt."""
        self._started = clock.monotonic()
        self._until = until

    def left(self) -> float:
        """Seconds until the call's time is over. Raises TimeoutError when it is."""
        left = self._until - clock.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def seconds(self) -> float:
        """Seconds since this attempt was sent."""
        return clock.monotonic() - self._started

    @contextmanager
    def values(self, send: Send, *, whole: bool = False) -> Iterator[Iterator[Any]]:
        """The answer's JSON values, one an event, until the call's time is over.

        With `whole`, an answer that a server sends in one piece although it was asked to stream is one value: a chat
        completion. An error that comes as a value is raised, and so is a body that is something else altogether.
        """
        with Deadline(self.left()) as deadline, closing(send(self.left())) as response:
            deadline.read(response)
            if _content_type(response) in _PAGES:
                raise self.failed("page")
            kind, pieces = recognised(response.iter_bytes())
            if kind == "page":
                raise self.failed("page")
            yield self._in_one_piece(pieces, whole) if kind == "value" else self._streamed(pieces)

    def paid(self, request: Request, error: DebateroomError) -> tuple[Paid, ...]:
        """This attempt, when it was paid for although `error` came of it; else empty."""
        given_up = isinstance(error, CallFailed) and error.cause == "timeout"
        return error.paid or (self.draft.paid(request, given_up=given_up) if self.draft is not None else ())

    def failed(self, kind: str, said: object = None) -> CallFailed | NoModel:
        """The error of one kind in the fault table, for this call."""
        return faults.failed(kind, provider=self.provider, model=self.model, said=said)

    def failed_event(self, code: object, said: object, family: object = None) -> CallFailed | NoModel:
        """The error that an event of the stream reports."""
        return faults.failed_event(code, said, provider=self.provider, model=self.model, family=family)

    def _streamed(self, pieces: Iterator[bytes]) -> Iterator[Any]:
        for name, value in server_events(pieces):
            self._raise_error(value, named=name == "error")
            yield value

    def _in_one_piece(self, pieces: Iterator[bytes], whole: bool) -> Iterator[Any]:
        """The one JSON value of an answer that is no stream, most often an error with status 200."""
        text = b""
        for piece in pieces:
            text += piece
            if len(text) > _MOST_JSON:
                raise self.failed("garbled")
        value = json.loads(text)
        self._raise_error(value)
        if not whole or not isinstance(value, dict) or "choices" not in value:
            raise self.failed("page")
        yield value

    def _raise_error(self, value: Any, *, named: bool = False) -> None:
        """Raises the error that a value is: `{"error": {…}}`, or an event whose name or type says so."""
        told = value if isinstance(value, dict) else {}
        error = told.get("error")
        if isinstance(error, dict):
            details = error.get("details")
            code = details.get("error_code") if isinstance(details, dict) else None
            raise self.failed_event(error.get("code") or code, error.get("message"), error.get("type"))
        if error or named or told.get("type") == "error":
            raise self.failed_event(told.get("code"), error or told.get("message"))


class Caller:
    """Carries out the calls to one address: its gate, and how often a call is tried."""

    def __init__(self, provider: str, *, gate: Gate, attempts: int = ATTEMPTS, address: str = "") -> None:
        import tenacity  # noqa: F401 - on the main thread: the first calls would all wait for it

        self.provider = provider
        """`anthropic`, `openai` or `embedded`."""
        self.gate = gate
        self.attempts = attempts
        self.address = address
        """Where the provider is reached: named when nobody answers there. Empty when that tells nobody anything."""

    def run(self, model: str, request: Request, attempt: Callable[[Call], Answer]) -> Answer:
        """What `attempt` returns, tried again where that helps, within the request's time.

        The clock stands still while the call waits for a slot, or for what a budget leaves it. Raises CallFailed, or
        NoModel when no call can ever succeed; nothing foreign leaves it. The answer, and the error, carry what was
        paid for and thrown away: after each such attempt the request's allowance decides whether there is another.
        """
        started, waited = clock.monotonic(), 0.0
        thrown_away: list[Paid] = []
        failures: list[DebateroomError] = []
        told, limit = 0, request.max_tokens

        def until() -> float:
            end = started + waited + request.timeout
            return end if request.until is None else min(end, request.until)

        def once() -> Answer:
            nonlocal waited, told, limit
            lost, told = thrown_away[told:], len(thrown_away)
            if lost and request.allowance is not None:
                began = clock.monotonic()
                fitting = request.allowance.again(lost)
                waited += clock.monotonic() - began
                if fitting is None:
                    raise too_dear(failures[-1])
                limit = min(limit, fitting)
            with self.gate.slot(until=request.until) as seconds:
                waited += seconds
                call = Call(self.provider, model, until(), limit)
                try:
                    with faults.translated(self.provider, model):
                        return attempt(call)
                except DebateroomError as error:
                    thrown_away.extend(call.paid(request, error))
                    failures.append(error)
                    if isinstance(error, CallFailed):
                        error.retry = helps(error, request)
                    raise

        try:
            answer = call_with_retries(
                once, attempts=self.attempts, deadline=until, gate=self.gate, longest_hold=request.timeout
            )
        except DebateroomError as error:
            error.paid = tuple(thrown_away)
            if self.address and isinstance(error, CallFailed) and error.cause == "connection":
                error.hint = error.hint or f"check that {self.address} can be reached from here"
            raise
        return replace(answer, before=tuple(thrown_away))


def too_dear(failure: DebateroomError) -> CallFailed:
    """The end of a call that failed, and whose next attempt the budget does not hold."""
    said = failure.wording or (Wording("fault_other", {"words": failure}),)
    return worded(CallFailed, *said, Wording("fault_budget"), cause="budget")


def _content_type(response: Any) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
