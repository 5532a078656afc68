"""Asks many seats at once. Worker threads only call models; what lands comes back to the main thread one by one.

Nothing here writes: the caller, who alone may write in the room, gets each answer the moment it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any

from debateroom import clock
from debateroom.debating.looking import Kit
from debateroom.errors import CallFailed, DebateroomError, NoModel
from debateroom.messages import Answer, Looked, Model, OnText, Request, Seat

AHEAD = 3.0
"""Seconds the seats of a round wait for the first one's first token, so that they find the cache it filled."""
_TELL = 0.1
"""Seconds between two words about one seat's progress: hundreds of seats would else keep the main thread awake."""

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
    kit: Kit | None = None
    """What the seat looks things up with before it answers; None for nothing."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What came of a call: an answer, or the error that stands in its place; neither while it is under way."""

    call: Call
    answer: Answer | None = None
    error: DebateroomError | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a seat does on the way to its answer: it asks for tools, or one of them is asked or has answered."""

    call: Call
    step: Answer | None = None
    """The answer that asks for tools; it was paid for."""
    tool: Mapping[str, Any] | None = None
    """An event as `agents.agent.OnEvent` has it."""


@dataclass(frozen=True, slots=True)
class _Progress:
    seat: str
    characters: int


class Asking:
    """The pool of one run. `ask` may be called from the loop that reads `landed`: a repair joins the same round."""

    def __init__(self, workers: int) -> None:
        # no `with`: leaving it would wait for calls in flight, and an interrupted run may not
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="seat")
        self._queue: SimpleQueue[Landed | Told | _Progress] = SimpleQueue()
        self._under_way: dict[str, Call] = {}
        """Calls without an answer yet, by seat; those held back included."""
        self._held: dict[str, list[Call]] = {}
        """Calls held back, by the seat that goes ahead of them."""
        self._hold_until = 0.0
        self._end = 0.0

    def ask(self, calls: Sequence[Call], *, stagger: Collection[str] = ()) -> None:
        """Sends `calls`; of each model in `stagger` the first goes ahead and the rest follow at its first token."""
        calls = [replace(call, request=replace(call.request, together=len(calls))) for call in calls]
        self._under_way.update({call.seat.name: call for call in calls})
        self._hold_until = clock.monotonic() + AHEAD
        leads: dict[str, str] = {}
        for call in calls:
            lead = leads.setdefault(call.model.name, call.seat.name)
            if call.model.name in stagger and lead != call.seat.name:
                self._held.setdefault(lead, []).append(call)
            else:
                self._send(call)

    def landed(self, *, seconds: float, on_progress: OnProgress | None = None) -> Iterator[list[Landed | Told]]:
        """What lands, and what is told on the way, in groups that were there at the same moment, in their order.

        Until every call has landed; at most `seconds`.
        """
        self._end = clock.monotonic() + seconds
        while self._under_way and clock.monotonic() < self._end:
            done: list[Landed | Told] = []
            for item in self._arrived():
                self._note(item, on_progress)
                if not isinstance(item, _Progress) and item.call.seat.name in self._under_way:
                    done.append(item)
                    if isinstance(item, Landed):
                        del self._under_way[item.call.seat.name]
            if done:
                yield done

    def hurry(self, seconds: float) -> None:
        """Sends nothing more of what is held back, and waits for the rest only so many seconds longer."""
        for call in (call for calls in self._held.values() for call in calls):
            del self._under_way[call.seat.name]
        self._held.clear()
        self._end = min(self._end, clock.monotonic() + seconds)

    def give_up(self, seconds: float = 0.0) -> tuple[Landed | Told, ...]:
        """What came of the calls still under way, which are too late, in at most so many `seconds`; forgets them.

        A model ends its call when its time is over, and then tells what was paid for it.
        """
        told: list[Told] = []
        late = {name: Landed(call) for name, call in self._under_way.items()}
        held = {call.seat.name for calls in self._held.values() for call in calls}
        waiting, end = set(late) - held, clock.monotonic() + seconds
        while waiting and (left := end - clock.monotonic()) > 0:
            with suppress(Empty):
                item = self._queue.get(timeout=left)
                if isinstance(item, Told):
                    told.append(item)
                elif isinstance(item, Landed) and item.call.seat.name in waiting:
                    late[item.call.seat.name] = item
                    waiting.remove(item.call.seat.name)
        self._under_way.clear()
        self._held.clear()
        self._queue = SimpleQueue()
        return (*told, *late.values())

    def close(self) -> None:
        """Stops taking calls, and waits for none."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _arrived(self) -> Iterator[Landed | Told | _Progress]:
        """Everything in the queue; waits for the first item, and sends the held-back seats when their time comes."""
        until = min(self._end, self._hold_until) if self._held else self._end
        try:
            yield self._queue.get(timeout=max(0.0, min(until - clock.monotonic(), 0.5)))
            while True:
                yield self._queue.get_nowait()
        except Empty:
            pass
        if self._held and clock.monotonic() >= self._hold_until:
            for lead in list(self._held):
                self._follow(lead)

    def _note(self, item: Landed | Told | _Progress, on_progress: OnProgress | None) -> None:
        """Passes progress on, and lets the others follow the first."""
        seat = item.seat if isinstance(item, _Progress) else item.call.seat.name
        if isinstance(item, _Progress) and on_progress and seat in self._under_way:
            on_progress(seat, item.characters)
        # where a key was refused, the others would be refused as well
        if not (isinstance(item, Landed) and isinstance(item.error, NoModel)):
            self._follow(seat)

    def _follow(self, lead: str) -> None:
        for call in self._held.pop(lead, ()):
            self._send(call)

    def _send(self, call: Call) -> None:
        self._pool.submit(self._run, call, self._queue)

    @staticmethod
    def _run(call: Call, queue: SimpleQueue[Landed | Told | _Progress]) -> None:
        """In a worker thread: one call, its answer or its error into the queue of its round. Raises nothing."""
        written, told, told_at = 0, 0, 0.0

        def on_text(piece: str) -> None:
            nonlocal written, told, told_at
            written += len(piece)
            if clock.monotonic() - told_at >= _TELL:
                told, told_at = written, clock.monotonic()
                queue.put(_Progress(call.seat.name, written))

        try:
            landed = Landed(call, _answer(call, on_text, queue.put))
            if written > told:
                queue.put(_Progress(call.seat.name, written))
        except DebateroomError as error:
            landed = Landed(call, None, error)
        except Exception as error:  # a fault of ours in a thread must end as a named failure, not in silence
            landed = Landed(call, None, CallFailed(f"{type(error).__name__}: {error}"))
        queue.put(landed)


def _answer(call: Call, on_text: OnText, tell: Callable[[Told], None]) -> Answer:
    """The seat's answer, after its look-ups when it has any to make."""
    if call.kit is None:
        answer = call.model.ask(call.request, on_text=on_text)
        for number, looked in enumerate(answer.looked, 1):
            _tell_own(call, looked, f"own-{number}", tell)
        return answer
    return call.kit.answer(
        call.request,
        on_text=on_text,
        on_step=lambda step: tell(Told(call, step=step)),
        on_tool=lambda event: tell(Told(call, tool=event)),
    )


def _tell_own(call: Call, looked: Looked, key: str, tell: Callable[[Told], None]) -> None:
    """Tells of a look-up that the seat's own program made: it is known with the answer, and not how long it took."""
    said = {"agent": call.seat.name, "id": key, "name": looked.name, "arguments": dict(looked.arguments)}
    tell(Told(call, tool={"event": "tool_called", **said}))
    ended = {"result": looked.result, "ok": looked.ok, "seconds": 0.0}
    tell(Told(call, tool={"event": "tool_answered", **said, **ended}))
