"""A call ends when its whole time is over, whatever the server still sends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from vendor import Said, VendorServer
from vendor.clients import Clients, clients
from vendor.faults import Trickle

from debateroom.errors import CallFailed
from debateroom.models import deadline
from debateroom.models.deadline import Deadline, hang_up
from debateroom.models.faults import translated

MESSAGES: Any = [{"role": "user", "content": "?"}]


def messages_stream(client: Clients) -> Any:
    return client.anthropic.messages.create(model="m", max_tokens=900, messages=MESSAGES, stream=True)


def responses_stream(client: Clients) -> Any:
    return client.openai.responses.create(model="m", input="?", stream=True)


def chat_stream(client: Clients) -> Any:
    return client.openai.chat.completions.create(model="m", messages=MESSAGES, stream=True)


def read(open_stream: Callable[[Clients], Any], client: Clients, seconds: float) -> int:
    """Events read, as an adapter reads them."""
    with (
        translated("openai", "m"),
        open_stream(client) as stream,
        Deadline(seconds, lambda: hang_up(stream.response)),
    ):
        return len(list(stream))


def watchers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "debateroom-deadlines"]


@pytest.mark.parametrize("open_stream", [messages_stream, responses_stream, chat_stream])
@pytest.mark.parametrize(
    ("said", "latency"), [(Trickle(), 0.0), ("late", 30.0)], ids=["pings for ever", "opens and then says nothing"]
)
def test_a_stream_is_ended_when_its_time_is_over(
    open_stream: Callable[[Clients], Any], said: Said, latency: float
) -> None:
    """The SDK would wait as long as pings come, or its 30 s a read; the deadline of 0.3 s ends it as a timeout."""
    with VendorServer(said, latency=latency) as server, clients(server, timeout=30) as client:
        began = time.monotonic()
        with pytest.raises(CallFailed) as caught:
            read(open_stream, client, 0.3)
        assert 0.3 <= time.monotonic() - began < 10
    assert (caught.value.cause, caught.value.retry) == ("timeout", True)
    assert str(caught.value) == "m at openai did not answer in time."


@pytest.mark.parametrize("open_stream", [messages_stream, responses_stream])
def test_a_call_in_time_is_left_alone(open_stream: Callable[[Clients], Any]) -> None:
    """A stream that ends before its deadline is whole, and its connection serves the next call."""
    with VendorServer("yes") as server, clients(server) as client:
        counts = [read(open_stream, client, 5) for _ in range(3)]
        assert counts == [counts[0]] * 3
        assert (len(server.calls), server.accepted) == (3, 1)


def test_one_thread_watches_over_all_calls() -> None:
    """Three hundred calls at once share one thread; each is closed once, none before its time."""
    closed: list[tuple[int, float]] = []
    all_there: list[float] = []

    def wait(number: int) -> bool:
        over = threading.Event()
        seconds = 0.2 + number % 7 * 0.05

        def close() -> None:
            closed.append((number, time.monotonic() - all_there[0] - seconds))
            over.set()

        started.wait()
        with pytest.raises(TimeoutError), Deadline(seconds, close):
            over.wait(10)
        return over.is_set()

    started = threading.Barrier(300, action=lambda: all_there.append(time.monotonic()))
    with ThreadPoolExecutor(300) as pool:
        running = pool.map(wait, range(300))
        seen = set()
        while not closed:
            seen.add(len(watchers()))
            time.sleep(0.01)
        assert all(running)
    assert max(seen) == 1
    assert sorted(number for number, _ in closed) == list(range(300))
    assert all(late >= 0 for _, late in closed)


def test_a_nearer_deadline_is_not_kept_waiting_by_a_farther_one() -> None:
    """A call of 0.1 s that begins after one of 60 s is closed after 0.1 s."""
    over = threading.Event()
    with Deadline(60, lambda: None) as far:
        began = time.monotonic()
        with pytest.raises(TimeoutError, match=r"not finished after 0\.1 s"), Deadline(0.1, over.set):
            assert over.wait(5)
        assert 0.1 <= time.monotonic() - began < 5
    assert not far.passed


def test_nothing_is_closed_after_the_block() -> None:
    """Once a block has ended its close is never called, so another call may use the connection."""
    closed: list[int] = []
    with Deadline(0.05, lambda: closed.append(1)) as quick:
        pass
    time.sleep(0.15)
    assert (closed, quick.passed) == ([], False)


def test_an_interrupt_is_not_turned_into_a_timeout() -> None:
    """Ctrl-C in a block whose time is over stays Ctrl-C; the error that the closing caused does not."""

    def fail_when_over(error: type[BaseException]) -> None:
        over = threading.Event()
        with Deadline(0.02, over.set):
            over.wait(5)
            raise error

    with pytest.raises(KeyboardInterrupt):
        fail_when_over(KeyboardInterrupt)
    with pytest.raises(TimeoutError):
        fail_when_over(OSError)


def test_a_close_that_fails_ends_no_other_call() -> None:
    """The watching thread survives whatever closing raises."""

    def broken() -> None:
        first.set()
        raise RuntimeError("no")

    first, second = threading.Event(), threading.Event()
    for event, close in ((first, broken), (second, second.set)):
        with pytest.raises(TimeoutError), Deadline(0.02, close):
            assert event.wait(5)


def test_the_thread_ends_when_there_is_nothing_to_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread is left running once all calls are over, and the next call starts one again."""
    monkeypatch.setattr(deadline, "_LINGER", 0.05)
    for _ in range(2):
        with Deadline(60, lambda: None):
            (watcher,) = watchers()
        watcher.join(5)
        assert watchers() == []


def test_a_running_deadline_does_not_keep_the_process_alive() -> None:
    """The interpreter ends at once although a deadline of 60 s is being watched."""
    program = "from debateroom.models.deadline import Deadline; Deadline(60, print).__enter__()"
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - began < 10
