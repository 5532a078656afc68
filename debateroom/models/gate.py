"""How many calls to one provider run at once, and from when on the next may be sent. Around the call only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from debateroom import clock
from debateroom.errors import CallFailed, Wording
from debateroom.language import worded

_LOOK = 0.2
"""Seconds between two looks of the first in the queue at the stop event: Ctrl-C ends a run within a second."""
_WORTH_A_WORD = 2.0
"""Seconds of waiting from which people are told; threads that ask at once differ by less."""


class Gate:
    """The slots of one provider, shared by all its threads, and the moment before which none is given out.

    `Gate(32)` for a provider on the web, `Gate(1)` for the embedded model. Slots are given in order of arrival.
    """

    def __init__(
        self, limit: int = 32, *, stop: threading.Event | None = None, on_hold: Callable[[float], None] | None = None
    ) -> None:
        if limit < 1:
            raise ValueError("a gate lets at least one call through")
        self.limit = limit
        """Calls that may run at once."""
        self.stop = stop or threading.Event()
        """When set, everyone who waits gives up within a second."""
        self._on_hold = on_hold
        """Told, in the thread that was held back, how many seconds nobody may call. Once for all that ask at once."""
        self._free = limit
        self._not_before = 0.0
        self._queue: list[threading.Condition] = []
        # protects the three above; each waiter sleeps on a condition of its own, so that only the first one wakes
        self._lock = threading.Lock()

    @contextmanager
    def slot(self, *, until: float | None = None) -> Iterator[float]:
        """Seconds waited, once a slot is free; the slot is held to the end of the block.

        The call's clock starts inside. Raises CallFailed when `stop` is set, or when `until` (of
        `clock.monotonic()`) passes first.
        """
        began = clock.monotonic()
        self._enter(until)
        try:
            yield clock.monotonic() - began
        finally:
            self._leave()

    def hold(self, seconds: float) -> None:
        """Lets no call start for so many seconds from now: what any 429 asks of all threads. Never shortens."""
        with self._lock:
            longer = seconds - self.held()
            self._not_before = max(self._not_before, clock.monotonic() + seconds)
        if longer >= _WORTH_A_WORD and self._on_hold is not None:
            self._on_hold(seconds)

    def held(self) -> float:
        """Seconds until the next call may start; 0 when it may now."""
        return max(0.0, self._not_before - clock.monotonic())

    def _enter(self, until: float | None) -> None:
        with self._lock:
            mine = threading.Condition(self._lock)
            self._queue.append(mine)
            try:
                while not self._may_go(mine):
                    self._give_up_if_late(until)
                    mine.wait(self._patience(mine, until))
                self._free -= 1
            finally:
                self._queue.remove(mine)
                self._wake_first()

    def _may_go(self, mine: threading.Condition) -> bool:
        return self._queue[0] is mine and self._free > 0 and self.held() == 0.0 and not self.stop.is_set()

    def _patience(self, mine: threading.Condition, until: float | None) -> float | None:
        """Seconds to sleep before looking again; None: until woken. Only the first in the queue looks by itself."""
        waits = []
        if self._queue[0] is mine:
            waits.append(min(_LOOK, self.held() or _LOOK) if self._free else _LOOK)
        if until is not None:
            waits.append(max(0.0, until - clock.monotonic()))
        return min(waits, default=None)

    def _give_up_if_late(self, until: float | None) -> None:
        if self.stop.is_set():
            for other in self._queue:
                other.notify()
            raise worded(CallFailed, Wording("fault_not_sent"), cause="stopped")
        if until is not None and clock.monotonic() >= until:
            if self.held() > 0.0:
                raise worded(CallFailed, Wording("fault_held_back"), cause="rate_limit")
            raise worded(CallFailed, Wording("fault_no_slot"), retry=True, cause="timeout")

    def _leave(self) -> None:
        with self._lock:
            self._free += 1
            self._wake_first()

    def _wake_first(self) -> None:
        if self._queue:
            self._queue[0].notify()
