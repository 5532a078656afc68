"""Many seats at once: what lands comes back at once, late ones are given up, the first may go ahead."""

from __future__ import annotations

import threading
from collections.abc import Callable

from debateroom.debating.asking import Asking, Call, Landed
from debateroom.errors import CallFailed
from debateroom.messages import Answer, OnText, Request, Seat, Usage


class Stub:
    """A model that does what it is told; `Model` is our own seam."""

    name, vendor, window, moderates = "scripted:stub", "unknown", 100_000, False

    def __init__(self, action: Callable[[Request, OnText | None], str]) -> None:
        self.action = action

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        return Answer(self.action(request, on_text), Usage(), "stop", self.name, 0.0)


def calls(count: int, action: Callable[[Request, OnText | None], str]) -> list[Call]:
    model = Stub(action)
    return [Call(Seat(f"Agent {i}", "r", "f"), model, Request(shared=(), own=f"Agent {i}")) for i in range(count)]


def collect(asking: Asking, seconds: float = 5.0) -> list[Landed]:
    return [item for group in asking.landed(seconds=seconds) for item in group]


def test_all_seats_are_asked_at_once() -> None:
    """N seats are in flight together: each waits until all have been asked."""
    barrier = threading.Barrier(6, timeout=5)

    def action(request: Request, on_text: OnText | None) -> str:
        barrier.wait()
        return request.own

    asking = Asking(6)
    asking.ask(calls(6, action))
    assert sorted(item.answer.text for item in collect(asking) if item.answer) == [f"Agent {i}" for i in range(6)]


def test_an_error_is_never_an_answer() -> None:
    """A failed call lands as its error; a fault of ours in the thread is a named failure, not a silence."""

    def action(request: Request, on_text: OnText | None) -> str:
        if request.own == "Agent 0":
            raise CallFailed("the server is down")
        raise RuntimeError("bug")

    asking = Asking(2)
    asking.ask(calls(2, action))
    landed = {item.call.seat.name: (item.answer, str(item.error)) for item in collect(asking)}
    assert landed == {"Agent 0": (None, "the server is down"), "Agent 1": (None, "RuntimeError: bug")}


def test_late_seats_are_given_up_and_named() -> None:
    """When the round's time is over, what is still under way is forgotten, also if it answers later."""
    release = threading.Event()

    def action(request: Request, on_text: OnText | None) -> str:
        if request.own == "Agent 1":
            release.wait(10)
        return request.own

    asking = Asking(2)
    asking.ask(calls(2, action))
    assert [item.call.seat.name for item in collect(asking, seconds=0.3)] == ["Agent 0"]
    assert [late.call.seat.name for late in asking.give_up()] == ["Agent 1"]
    release.set()
    asking.ask(calls(1, lambda request, on_text: "next round"))
    assert [item.answer.text for item in collect(asking) if item.answer] == ["next round"]


def test_with_stagger_the_others_follow_at_the_first_token() -> None:
    """The first seat is alone in flight until it has written something; then the rest are sent."""
    first_has_written = threading.Event()
    seen: list[bool] = []

    def action(request: Request, on_text: OnText | None) -> str:
        if request.own != "Agent 0":
            seen.append(first_has_written.is_set())
            return "follower"
        first_has_written.set()
        assert on_text is not None
        on_text("P")
        return "lead"

    asking = Asking(4)
    asking.ask(calls(4, action), stagger={Stub.name})
    assert len(collect(asking)) == 4
    assert seen == [True, True, True]


def test_with_stagger_the_failure_of_the_first_releases_the_others() -> None:
    """A first seat that fails does not hold the round."""

    def action(request: Request, on_text: OnText | None) -> str:
        if request.own == "Agent 0":
            raise CallFailed("down")
        return "follower"

    asking = Asking(3)
    asking.ask(calls(3, action), stagger={Stub.name})
    assert sorted(str(item.error) if item.error else "follower" for item in collect(asking)) == [
        "down",
        "follower",
        "follower",
    ]


def test_progress_is_told_on_the_main_thread() -> None:
    """What a seat writes is counted and passed to the caller's thread."""
    told: list[tuple[str, int, bool]] = []

    def action(request: Request, on_text: OnText | None) -> str:
        assert on_text is not None
        on_text("abc")
        on_text("de")
        return "abcde"

    asking = Asking(1)
    asking.ask(calls(1, action))

    def note(agent: str, characters: int) -> None:
        told.append((agent, characters, threading.current_thread() is threading.main_thread()))

    assert [item for group in asking.landed(seconds=5, on_progress=note) for item in group]
    assert told == [("Agent 0", 3, True), ("Agent 0", 5, True)]
