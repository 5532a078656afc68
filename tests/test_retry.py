"""One policy says when a call is made again, how long after, and when it is given up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from freezegun import freeze_time
from vendor import VendorServer
from vendor.clients import Clients, clients
from vendor.faults import Cut, HttpError, StreamError, fail_first
from web_models import models

from debateroom import clock
from debateroom.errors import CallFailed, NoModel
from debateroom.messages import Request
from debateroom.models.faults import translated
from debateroom.models.gate import Gate
from debateroom.models.retry import call_with_retries, no_sleep


@pytest.fixture
def waits() -> Iterator[list[float]]:
    """The test mode: the seconds that would have been slept."""
    with no_sleep() as noted:
        yield noted


class Call:
    """A function that fails with each of `failures` in turn, then says `done`."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.made = 0

    def __call__(self) -> str:
        self.made += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def busy(retry_after: float | None = None, cause: str = "overloaded") -> CallFailed:
    return CallFailed("busy.", hint="later", retry=True, retry_after=retry_after, cause=cause)


def test_a_call_that_works_is_made_once(waits: list[float]) -> None:
    """Nothing is waited for and nothing repeated."""
    call = Call()
    assert (call_with_retries(call), call.made, waits) == ("done", 1, [])


def test_a_passing_failure_is_tried_again(waits: list[float]) -> None:
    """Five failures that may pass, then an answer: six calls, five waits, and the answer."""
    call = Call(*[busy() for _ in range(5)])
    assert (call_with_retries(call), call.made, len(waits)) == ("done", 6, 5)


def test_the_last_failure_says_how_often_it_was_tried(waits: list[float]) -> None:
    """After six attempts the failure comes out, with everything it had, and the number in its sentence."""
    call = Call(*[busy(retry_after=1.0) for _ in range(9)])
    with pytest.raises(CallFailed) as caught:
        call_with_retries(call)
    error = caught.value
    assert (str(error), error.hint, error.retry, error.retry_after, error.cause) == (
        "busy. Tried 6 times.",
        "later",
        True,
        1.0,
        "overloaded",
    )
    assert call.made == 6


@pytest.mark.parametrize("error", [CallFailed("no"), NoModel("no key"), KeyError("bug"), KeyboardInterrupt()])
def test_a_final_error_leaves_at_once(waits: list[float], error: Exception) -> None:
    """What is not worth another try is made once and comes out as it is."""
    call = Call(error)
    with pytest.raises(type(error)) as caught:
        call_with_retries(call)
    assert caught.value is error
    assert (call.made, waits) == (1, [])


def test_without_a_time_named_the_wait_is_random_in_a_window_that_doubles(waits: list[float]) -> None:
    """Wait n lies between 0 and 1, 2, 4, 8, 16 s, and 30 s at most; two runs do not wait alike."""
    for _ in range(20):
        call_with_retries(Call(*[busy() for _ in range(7)]), attempts=8)
    runs = [waits[start : start + 7] for start in range(0, len(waits), 7)]
    for number, longest in enumerate((1, 2, 4, 8, 16, 30, 30)):
        assert all(0 <= run[number] <= longest for run in runs)
    assert max(run[6] for run in runs) > 8
    assert len({tuple(run) for run in runs}) == 20


@pytest.mark.parametrize(("asked", "least"), [(0.0, 0.0), (7.0, 7.0), (3600.0, 60.0)])
def test_the_providers_time_is_waited_with_a_little_more(waits: list[float], asked: float, least: float) -> None:
    """Retry-After is honoured up to 60 s, and up to a second of chance keeps threads apart."""
    for _ in range(10):
        call_with_retries(Call(busy(retry_after=asked)))
    assert all(least <= wait <= least + 1 for wait in waits)
    assert len(set(waits)) == 10


def test_no_wait_passes_the_calls_deadline(waits: list[float]) -> None:
    """When the next attempt would begin after the deadline, the failure comes out at once."""
    call = Call(busy(retry_after=50), busy())
    with pytest.raises(CallFailed, match=r"^busy\.$"):
        call_with_retries(call, deadline=clock.monotonic() + 10)
    assert (call.made, waits) == (1, [])
    moved = Call(busy(retry_after=50))
    assert call_with_retries(moved, deadline=lambda: clock.monotonic() + 100) == "done"


def test_the_policy_works_while_the_clock_is_frozen(waits: list[float]) -> None:
    """Attempts are counted, so frozen time ends too."""
    with freeze_time("2026-01-01"), pytest.raises(CallFailed, match="Tried 6 times"):
        call_with_retries(Call(*[busy() for _ in range(9)]), deadline=clock.monotonic() + 1000)


def test_each_retry_is_told(waits: list[float]) -> None:
    """`on_retry` gets the failure, the attempts made and the seconds to the next; the last failure is not told."""
    told: list[tuple[str, int, float]] = []
    call_with_retries(
        Call(busy(), busy(3)), on_retry=lambda error, made, wait: told.append((error.cause, made, wait))
    )
    assert told == [("overloaded", 1, waits[0]), ("overloaded", 2, waits[1])]


def test_a_rate_limit_holds_the_whole_gate() -> None:
    """One thread's 429 keeps every call of that provider back as long as it waits itself; other failures do not."""
    gate, slept = Gate(4), list[float]()
    call_with_retries(Call(busy(5)), gate=gate, sleep=slept.append)
    assert gate.held() == 0
    call_with_retries(Call(busy(5, cause="rate_limit")), gate=gate, sleep=slept.append)
    assert 4 < gate.held() <= slept[1]
    with pytest.raises(CallFailed):
        call_with_retries(Call(busy(20, cause="rate_limit")), gate=gate, attempts=1)
    assert gate.held() > 19


def test_a_rate_limit_holds_nobody_longer_than_a_call_may_take() -> None:
    """A provider that asks for hours keeps the next call back for one call's time: then it is tried."""
    gate = Gate(4)
    with pytest.raises(CallFailed):
        call_with_retries(Call(busy(9999, cause="rate_limit")), gate=gate, attempts=1, longest_hold=8)
    assert 7 < gate.held() <= 8
    with VendorServer(HttpError(429, retry_after="9999")) as server, models(server) as opened:
        model: Any = opened.open("sonnet")
        with pytest.raises(CallFailed, match="rate limit"):
            model.ask(Request(own="?", timeout=3))
        assert len(server.calls) == 1, "another try would come too late"
        assert 1 < model._caller.gate.held() <= 3


def test_the_test_mode_holds_no_gate(waits: list[float]) -> None:
    """Inside `no_sleep` a rate limit is only noted; `attempts` there replaces every call's own number."""
    gate = Gate(4)
    call_with_retries(Call(busy(30, cause="rate_limit")), gate=gate)
    assert (gate.held(), len(waits)) == (0, 1)
    call = Call(*[busy() for _ in range(9)])
    with no_sleep(attempts=2), pytest.raises(CallFailed, match="Tried 2 times"):
        call_with_retries(call)


def test_a_stop_ends_the_waiting() -> None:
    """A set stop event wakes a call that waits for its next attempt, and the failure comes out."""
    gate = Gate(1)
    threading.Timer(0.1, gate.stop.set).start()
    began = time.monotonic()
    call = Call(busy(retry_after=30), busy(retry_after=30))
    with pytest.raises(CallFailed, match="Tried 2 times"):
        call_with_retries(call, gate=gate)
    assert time.monotonic() - began < 5


# ---- with the real SDKs ----


def ask(client: Clients) -> str:
    """One streamed call, read as debateroom reads it: no stop reason means that it was cut."""
    messages = [{"role": "user", "content": "?"}]
    text, stop = "", None
    with (
        translated("anthropic", "claude-x"),
        client.anthropic.messages.create(model="claude-x", max_tokens=99, messages=messages, stream=True) as stream,  # type: ignore[call-overload]
    ):
        for event in stream:
            if event.type == "content_block_delta":
                text += event.delta.text
            elif event.type == "message_delta":
                stop = event.delta.stop_reason
    if stop is None:
        raise CallFailed("cut", retry=True, cause="cut")
    return text


def test_a_permanent_429_makes_exactly_the_attempts(waits: list[float]) -> None:
    """Four calls at once, six attempts each: 24 requests, not their product with the SDK's own retries."""
    gate = Gate(4)

    def run(client: Clients) -> str:
        with pytest.raises(CallFailed) as caught:
            call_with_retries(lambda: ask(client), gate=gate)
        return str(caught.value)

    with VendorServer(HttpError(429, retry_after="2")) as server, clients(server) as client:
        with ThreadPoolExecutor(4) as pool:
            messages = set(pool.map(run, [client] * 4))
        assert len(server.calls) == 24
    assert messages == {
        "anthropic holds back calls to claude-x: the rate limit is reached. Tried 6 times.",
    }
    assert len(waits) == 20
    assert all(2 <= wait <= 3 for wait in waits)


@pytest.mark.parametrize("fault", [HttpError(503), HttpError(529), StreamError(529), Cut(), Cut(abrupt=True)])
def test_a_fault_that_passes_costs_attempts_and_no_answer(
    waits: list[float], fault: HttpError | StreamError | Cut
) -> None:
    """Two faults, then the whole answer: three requests, and nothing of the cut text in it."""
    with VendorServer(fail_first(2, fault, "the answer")) as server, clients(server) as client:
        assert call_with_retries(lambda: ask(client)) == "the answer"
        assert len(server.calls) == 3


@pytest.mark.parametrize("fault", [HttpError(400), HttpError("quota"), HttpError("spend_limit"), HttpError(501)])
def test_a_final_fault_is_asked_once(waits: list[float], fault: HttpError) -> None:
    """A spent quota or a wrong call is one request."""
    with VendorServer(fault) as server, clients(server) as client:
        with pytest.raises(CallFailed):
            call_with_retries(lambda: ask(client))
        assert len(server.calls) == 1


def test_a_named_time_is_really_waited() -> None:
    """Without the test mode the second request comes no sooner than the provider asked."""
    with VendorServer(fail_first(1, HttpError(429, retry_after="0.3"), "yes")) as server, clients(server) as client:
        gate = Gate(2)
        answer: Callable[[], str] = lambda: call_with_retries(lambda: ask(client), gate=gate)  # noqa: E731
        assert answer() == "yes"
        first, second = server.calls
    assert second.arrived - first.arrived >= 0.3
