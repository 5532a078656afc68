"""A provider's gate lets so many calls through at once, in order, and none before the time a rate limit named."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from vendor import VendorServer
from vendor.clients import Clients, clients

from debateroom import clock
from debateroom.errors import CallFailed
from debateroom.models.gate import Gate


def test_no_more_calls_than_the_limit_reach_the_provider() -> None:
    """Thirty threads, a gate of three: the server never sees a fourth call at once, and all are served."""
    gate = Gate(3)

    def ask(client: Clients) -> str:
        with gate.slot():
            reply = client.openai.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
        return reply.choices[0].message.content or ""

    with VendorServer("yes", latency=0.02) as server, clients(server) as client, ThreadPoolExecutor(30) as pool:
        assert list(pool.map(ask, [client] * 30)) == ["yes"] * 30
        assert (server.peak_in_flight, len(server.calls)) == (3, 30)


def test_slots_are_given_in_order_of_arrival() -> None:
    """With one slot, those who wait get it in the order in which they came."""
    gate, order = Gate(1), list[int]()

    def wait(number: int) -> None:
        with gate.slot():
            order.append(number)

    with ThreadPoolExecutor(8) as pool:
        with gate.slot():
            for number in range(8):
                pool.submit(wait, number)
                while len(gate._queue) <= number:
                    time.sleep(0.001)
        pool.shutdown()
    assert order == list(range(8))


def test_the_wait_is_told_so_that_the_clock_starts_inside() -> None:
    """A slot gives the seconds waited for it; a free one gives about none."""
    gate = Gate(1)
    with gate.slot() as at_once:
        assert at_once < 0.5

    def occupy() -> None:
        with gate.slot():
            inside.set()
            time.sleep(0.2)

    inside = threading.Event()
    thread = threading.Thread(target=occupy)
    thread.start()
    inside.wait()
    with gate.slot() as waited:
        assert 0.1 < waited < 5
    thread.join()


def test_a_failed_call_gives_its_slot_back() -> None:
    """Whatever ends the block, the slot is free again."""
    gate = Gate(1)
    with pytest.raises(KeyError), gate.slot():
        raise KeyError
    with gate.slot() as waited:
        assert waited < 0.5


def test_a_hold_keeps_all_threads_back() -> None:
    """After a hold no call of any thread starts before its end, and a shorter hold does not shorten it."""
    gate = Gate(8)
    until = clock.monotonic() + 0.3
    gate.hold(0.3)
    gate.hold(0.01)
    assert 0.2 < gate.held() <= 0.3

    def start(_: int) -> float:
        with gate.slot():
            return clock.monotonic()

    with ThreadPoolExecutor(8) as pool:
        starts = list(pool.map(start, range(16)))
    assert all(until - 0.001 <= moment < until + 5 for moment in starts)


def test_a_stop_ends_all_waiting_within_a_second() -> None:
    """Forty threads wait behind one call; the event sends them all away, and nothing is sent afterwards."""
    stop = threading.Event()
    gate = Gate(1, stop=stop)

    def wait(_: int) -> str:
        with pytest.raises(CallFailed) as caught, gate.slot():
            raise AssertionError
        return caught.value.cause

    with ThreadPoolExecutor(40) as pool, gate.slot():
        results = pool.map(wait, range(40))
        while len(gate._queue) < 40:
            time.sleep(0.001)
        began = time.monotonic()
        stop.set()
        assert list(results) == ["stopped"] * 40
        assert time.monotonic() - began < 5
    assert wait(0) == "stopped"


def test_waiting_ends_at_the_given_moment() -> None:
    """`until` bounds the wait: whoever has no slot by then is a timeout, and the next in the queue is served."""
    gate = Gate(1)
    with gate.slot():
        began = time.monotonic()
        with pytest.raises(CallFailed) as caught, gate.slot(until=clock.monotonic() + 0.1):
            raise AssertionError
        assert 0.1 <= time.monotonic() - began < 5
        assert (caught.value.cause, caught.value.retry) == ("timeout", True)
    with gate.slot(until=clock.monotonic() + 0.1):
        pass


def test_a_gate_needs_a_limit() -> None:
    """A gate through which nothing passes is a mistake of the caller."""
    with pytest.raises(ValueError, match="at least one"):
        Gate(0)


def test_a_call_that_a_rate_limit_kept_back_names_the_rate_limit() -> None:
    """A free slot that may not be used yet is another reason than no free slot."""
    gate = Gate(2)
    gate.hold(60)
    with (
        pytest.raises(CallFailed, match="rate limit was reached") as caught,
        gate.slot(until=clock.monotonic() + 0.05),
    ):
        pass
    assert (caught.value.cause, caught.value.retry) == ("rate_limit", False)


def test_a_wait_is_told_once_for_all_that_are_held_back_at_once() -> None:
    """Ten threads that meet one limit, are one line; a blink is none; a longer one is new."""
    told = list[float]()
    gate = Gate(2, on_hold=told.append)
    for seconds in (0.5, 60.0, 60.7, 59.9, 120.0):
        gate.hold(seconds)
    assert told == [60.0, 120.0]
