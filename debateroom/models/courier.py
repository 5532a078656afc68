"""Takes what many rooms ask to the providers, as batches: one goes out once every room waits for an answer.

Rooms ask as ever, each call in a thread that waits. One thread here hands over, looks at what is under way, and
brings back what came. All of it is noted in a `BatchLog` before it is done, so that a run that was killed goes on
waiting for the batches that are there.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError
from debateroom.models.batch_log import BatchLog
from debateroom.models.carrier import Carrier
from debateroom.models.parcels import Parcel, Tell, land, stopped
from debateroom.models.vendor_batches import Came

POLL = 60.0
"""Seconds between two looks at a batch."""
_SETTLE = 0.05
"""Seconds in which nothing more was asked, when every room waits for all that it asks at this moment."""
_PATIENCE = 3.0
"""The same when one waits for less than it said: a call of it may have failed before it came here."""
_LOOK = 0.05
"""Seconds between two looks at whether everybody waits."""


class Courier:
    """Between rooms and providers. `in_step`: nobody's round begins before everybody's last one is over."""

    def __init__(
        self,
        log: BatchLog,
        *,
        poll: float = POLL,
        in_step: bool = False,
        tell: Tell | None = None,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._log = log
        self._in_step = in_step
        self._stop = threading.Event()
        # protects what follows, and the log
        self._changed = threading.Condition()
        self._carrier = Carrier(log, self._changed, self._stop, poll=poll, tell=tell, wait=wait)
        self._waiting: list[Parcel] = []
        self._carried: list[Parcel] = []
        self._rooms = 0
        self._gathering = 0
        self._last = 0.0
        self._thread: threading.Thread | None = None

    def enter(self) -> None:
        """One room more will ask: nothing goes out before it waits as well."""
        with self._changed:
            self._rooms += 1

    def leave(self) -> None:
        """A room asks nothing more."""
        with self._changed:
            self._rooms -= 1
            self._changed.notify_all()

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """A block in which rooms are started: nothing goes out before its end."""
        with self._changed:
            self._gathering += 1
        try:
            yield
        finally:
            with self._changed:
                self._gathering -= 1
                self._changed.notify_all()

    def post(self, parcel: Parcel) -> Came:
        """What came of a call, once its batch is over. Raises CallFailed or NoModel when it cannot be handed over."""
        with self._changed:
            if self._stop.is_set():
                raise stopped()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="courier", daemon=True)
                self._thread.start()
            self._waiting.append(parcel)
            self._last = clock.monotonic()
            self._changed.notify_all()
        parcel.landed.wait()
        if parcel.error is not None:
            raise copy.copy(parcel.error)  # each thread says it in the language of its room
        assert parcel.came is not None  # noqa: S101 - for mypy
        return parcel.came

    def next_id(self, digest: str, after: int = 0) -> tuple[str, int]:
        """The id of a call: that of its first try after the `after`-th which has not come to nothing; its number."""
        with self._changed:
            number = after + 1
            while self._log.is_spoiled(f"{digest}-{number}"):
                number += 1
        return f"{digest}-{number}", number

    def spoil(self, call: str) -> None:
        """The answer of a call cannot be used."""
        with self._changed:
            sent = self._log.of(call)
            if sent is not None and not self._log.is_spoiled(call):
                self._log.ended(sent.key, [call])

    def close(self) -> None:
        """Nobody waits any more. What is under way stays with the providers, and in the log."""
        self._stop.set()
        with self._changed:
            left, self._waiting = [*self._waiting, *self._carried], []
            self._changed.notify_all()
        for parcel in left:
            land(parcel, error=stopped())
        if self._thread is not None:
            self._thread.join(1.0)
        with self._changed:
            self._log.close()

    def _run(self) -> None:
        while parcels := self._due():
            try:
                self._carrier.carry(parcels)
            except Exception as error:  # a fault of ours must end as a named failure, not in silence
                ours = error if isinstance(error, DebateroomError) else CallFailed(f"{type(error).__name__}: {error}")
                for parcel in parcels:
                    land(parcel, error=ours)

    def _due(self) -> list[Parcel]:
        """The calls that go out next, once every room waits; none when the courier was closed."""
        with self._changed:
            while not self._stop.is_set():
                if self._is_ready():
                    first = min(map(_step, self._waiting)) if self._in_step else None
                    self._carried = [each for each in self._waiting if first in (None, _step(each))]
                    self._waiting = [each for each in self._waiting if first not in (None, _step(each))]
                    return self._carried
                self._changed.wait(_LOOK if self._waiting else None)
            return []

    def _is_ready(self) -> bool:
        if not self._waiting or self._gathering:
            return False
        rooms: dict[str, list[Parcel]] = {}
        for parcel in self._waiting:
            rooms.setdefault(parcel.room, []).append(parcel)
        if len(rooms) < self._rooms:
            return False
        whole = all(len(each) >= max(parcel.together for parcel in each) for each in rooms.values())
        return clock.monotonic() - self._last >= (_SETTLE if whole else _PATIENCE)


def _step(parcel: Parcel) -> tuple[float, int]:
    """Its place in the order in which all rooms go on: seats, their repairs, the moderator; the end comes last."""
    order = {"seat": 0, "repair": 1, "moderator": 2}
    purpose = parcel.purpose
    if purpose is None or purpose.call not in order:
        return (float("inf"), 0)
    return (purpose.round, order[purpose.call])
