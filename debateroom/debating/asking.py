"""Asks many seats at once. Worker threads only call models; what lands comes back to the main thread one by one.

Nothing here writes: the caller, who alone may write in the room, gets each answer the moment it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError
from debateroom.messages import Answer, Model, Request, Seat

AHEAD = 3.0
"""Seconds the seats of a round wait for the first one's first token, so that they find the cache it filled."""

OnProgress = Callable[[str, int], None]
"""Called on the main thread with a seat's name and the characters it has written so far."""


@dataclass(frozen=True, slots=True)
class Call:
    """One seat's request, and the model that will answer it."""

    seat: Seat
    model: Model
    request: Request
    history: str = "full"
    first: Answer | None = None
    """The unreadable answer that this call is the repair of."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What came of a call: an answer, or the error that stands in its place."""

    call: Call
    answer: Answer | None
    error: DebateroomError | None


@dataclass(frozen=True, slots=True)
class _Progress:
    seat: str
    characters: int


class Asking:
    """The pool of one run. `ask` may be called from the loop that reads `landed`: a repair joins the same round."""

    def __init__(self, workers: int) -> None:
        # no `with`: leaving it would wait for calls in flight, and an interrupted run may not
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="seat")
        self._queue: SimpleQueue[Landed | _Progress] = SimpleQueue()
        self._waiting: list[Call] = []
        self._in_flight: set[str] = set()
        self._lead: str | None = None
        self._hold_until = 0.0

    def ask(self, calls: Sequence[Call], *, stagger: bool = False) -> None:
        """Sends `calls`; with `stagger` the first goes ahead and the rest follow at its first token."""
        self._in_flight.update(call.seat.name for call in calls)
        if stagger and len(calls) > 1:
            self._lead = calls[0].seat.name
            self._hold_until = clock.monotonic() + AHEAD
            self._waiting = list(calls[1:])
            calls = calls[:1]
        for call in calls:
            self._pool.submit(self._run, call, self._queue)

    def landed(self, *, seconds: float, on_progress: OnProgress | None = None) -> Iterator[list[Landed]]:
        """What lands, in groups that were there at the same moment, until every call has; at most `seconds`."""
        end = clock.monotonic() + seconds
        while self._in_flight and clock.monotonic() < end:
            group = [item for item in self._arrived(end) if self._note(item, on_progress)]
            done = [item for item in group if isinstance(item, Landed) and item.call.seat.name in self._in_flight]
            self._in_flight.difference_update(item.call.seat.name for item in done)
            if done:
                yield done

    def give_up(self) -> tuple[str, ...]:
        """Forgets the calls still under way, whose answers would come too late; names of their seats."""
        late = tuple(sorted(self._in_flight))
        self._in_flight.clear()
        self._waiting.clear()
        self._lead = None
        self._queue = SimpleQueue()
        return late

    def close(self) -> None:
        """Stops taking calls, and waits for none."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _arrived(self, end: float) -> Iterator[Landed | _Progress]:
        """Everything in the queue; waits for the first item, and sends the held-back seats when their time comes."""
        until = min(end, self._hold_until) if self._waiting else end
        try:
            yield self._queue.get(timeout=max(0.0, min(until - clock.monotonic(), 0.5)))
            while True:
                yield self._queue.get_nowait()
        except Empty:
            pass
        if self._waiting and clock.monotonic() >= self._hold_until:
            self._follow()

    def _note(self, item: Landed | _Progress, on_progress: OnProgress | None) -> bool:
        """Whether `item` is an answer or an error; passes progress on, and lets the others follow the first."""
        seat = item.seat if isinstance(item, _Progress) else item.call.seat.name
        if seat == self._lead:
            self._follow()
        if isinstance(item, _Progress):
            if on_progress and seat in self._in_flight:
                on_progress(seat, item.characters)
            return False
        return True

    def _follow(self) -> None:
        self._lead = None
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._pool.submit(self._run, call, self._queue)

    @staticmethod
    def _run(call: Call, queue: SimpleQueue[Landed | _Progress]) -> None:
        """In a worker thread: one call, its answer or its error into the queue of its round. Raises nothing."""
        written = 0

        def on_text(piece: str) -> None:
            nonlocal written
            written += len(piece)
            queue.put(_Progress(call.seat.name, written))

        try:
            landed = Landed(call, call.model.ask(call.request, on_text=on_text), None)
        except DebateroomError as error:
            landed = Landed(call, None, error)
        except Exception as error:  # a fault of ours in a thread must end as a named failure, not in silence
            landed = Landed(call, None, CallFailed(f"{type(error).__name__}: {error}"))
        queue.put(landed)
