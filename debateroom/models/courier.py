"""Takes what many rooms ask to the providers, as batches: one goes out once every room waits for an answer.

Rooms ask as ever, each call in a thread that waits. One thread here hands over, looks at what is under way, and
brings back what came. All of it is noted in a `BatchLog` before it is done, so that a run that was killed goes on
waiting for the batches that are there.
"""

from __future__ import annotations

import copy
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, NoModel, Wording
from debateroom.files import dumps
from debateroom.language import worded
from debateroom.messages import Purpose
from debateroom.models import faults
from debateroom.models.batch_log import BatchLog, Sent
from debateroom.models.retry import call_with_retries
from debateroom.models.vendor_batches import MOST_BYTES, MOST_ITEMS, Came, Gone, Item, VendorBatches

T = TypeVar("T")

POLL = 60.0
"""Seconds between two looks at a batch."""
_SETTLE = 0.05
"""Seconds in which nothing more was asked, when every room waits for all that it asks at this moment."""
_PATIENCE = 3.0
"""The same when one waits for less than it said: a call of it may have failed before it came here."""
_LOOK = 0.05
_MOST_FAILED, _MOST_STRANGE = 60, 5
"""Looks in a row that may fail, which is about an hour, and that may give what is no answer. Another run may still
find the batch."""
_NO_BATCHES = ("not_found", "address", "unsupported", "page")
"""What a server says that has no batches."""


class Desk(NamedTuple):
    """Where the calls of one batch go."""

    provider: str
    model: str
    """One of the models that are asked there, for errors."""
    group: str
    """Calls of one group may be in one batch."""
    batches: VendorBatches


class Notice(NamedTuple):
    """What is told of a batch."""

    what: str
    """`sent`, `taken_up` (it was there from an earlier run), `waiting`, `ended`, `unreachable`."""
    provider: str
    batch: str
    purpose: Purpose | None
    """Of its first call."""
    items: int
    done: int = 0
    expected: float | None = None
    """Seconds since 1970 at which it is expected to be over; None while nothing speaks for any time."""
    until: float | None = None
    """Seconds since 1970 at which the provider gives it up."""
    usual: float | None = None
    """Seconds that the batches of this run took so far; None before one was over."""


Tell = Callable[[Notice], object]
"""Called in the courier's thread."""


@dataclass(slots=True)
class Parcel:
    """One call on its way."""

    desk: Desk
    item: Item
    room: str
    purpose: Purpose | None
    together: int
    """So many calls of its room come at this moment."""
    came: Came | None = None
    error: DebateroomError | None = None
    landed: threading.Event = field(default_factory=threading.Event)

    def label(self) -> dict[str, Any]:
        """What the log says of it."""
        known = self.purpose or Purpose("seat")
        told = {"call": known.call, "agent": known.agent, "round": known.round}
        return {"id": self.item.id, "room": self.room, **told}


@dataclass(slots=True)
class _Flight:
    """A batch that is waited for, and who waits."""

    sent: Sent
    desk: Desk
    parcels: dict[str, list[Parcel]]
    """By call."""
    began: float
    fresh: bool
    failed: int = 0
    """Looks in a row that failed."""


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
        self._poll = poll
        self._in_step = in_step
        self._tell = tell or (lambda notice: None)
        self._stop = threading.Event()
        self._wait = wait or self._stop.wait
        self._took: list[float] = []
        """Seconds that the batches of this run took."""
        # protects what follows, and the log
        self._changed = threading.Condition()
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
                raise _stopped()
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
            _land(parcel, error=_stopped())
        if self._thread is not None:
            self._thread.join(1.0)
        with self._changed:
            self._log.close()

    def _run(self) -> None:
        while parcels := self._due():
            try:
                self._carry(parcels)
            except Exception as error:  # a fault of ours must end as a named failure, not in silence
                ours = error if isinstance(error, DebateroomError) else CallFailed(f"{type(error).__name__}: {error}")
                for parcel in parcels:
                    _land(parcel, error=ours)

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

    def _carry(self, parcels: Sequence[Parcel]) -> None:
        """Hands over what is not with a provider yet, and brings back what came of all of it."""
        calls: dict[str, list[Parcel]] = {}
        for parcel in parcels:
            calls.setdefault(parcel.item.id, []).append(parcel)
        flights, fresh = self._under_way(calls)
        for group in fresh.values():
            for part in _parts(group):
                flight = self._submitted({each.item.id: calls[each.item.id] for each in part})
                flights += [flight] if flight else []
        while flights and not self._stop.is_set():
            flights = [flight for flight in flights if not self._is_over(flight)]
            if flights:
                self._wait(self._poll)

    def _under_way(self, calls: dict[str, list[Parcel]]) -> tuple[list[_Flight], dict[str, list[Parcel]]]:
        """The batches of earlier runs that some calls are in, and by group the calls that are in none."""
        flights: dict[str, _Flight] = {}
        for call, parcels in calls.items():
            sent = self._log.of(call)
            if sent is not None and (sent.batch or self._found(sent, parcels[0].desk)):
                if sent.key not in flights:
                    flights[sent.key] = _Flight(sent, parcels[0].desk, {}, clock.monotonic(), fresh=False)
                flights[sent.key].parcels[call] = parcels
        known = {call for flight in flights.values() for call in flight.parcels}
        for flight in flights.values():
            self._say("taken_up", flight)
        fresh: dict[str, list[Parcel]] = {}
        for call, parcels in calls.items():
            if call not in known:
                fresh.setdefault(parcels[0].desk.group, []).append(parcels[0])
        return list(flights.values()), fresh

    def _found(self, sent: Sent, desk: Desk) -> bool:
        """Whether the provider has a batch of which an earlier run, killed while it was handed over, knew no id."""
        batch = self._tried(desk, lambda: self._look_for(sent, desk))
        with self._changed:
            if batch:
                self._log.submitted(sent.key, batch)
            else:
                self._log.refused(sent.key, "the provider has no such batch")
        return bool(batch)

    def _look_for(self, sent: Sent, desk: Desk) -> str | None:
        return desk.batches.find(sent.key, frozenset(sent.ids), sent.at, self._log.known())

    def _submitted(self, calls: dict[str, list[Parcel]]) -> _Flight | None:
        """The batch of these calls, with the provider; None when it takes none, which the calls are told."""
        firsts = [parcels[0] for parcels in calls.values()]
        desk, items = firsts[0].desk, [parcel.item for parcel in firsts]
        with self._changed:
            sent = self._log.submitting(secrets.token_hex(8), desk.group, [parcel.label() for parcel in firsts])
        tried = False

        def once() -> str:
            nonlocal tried
            # what was cut off may have arrived: it is not handed over a second time
            found, tried = self._look_for(sent, desk) if tried else None, True
            return found or desk.batches.send(items, sent.key)

        try:
            batch = self._tried(desk, once, sending=True)
        except DebateroomError as error:
            if not (isinstance(error, CallFailed) and error.retry):
                with self._changed:
                    self._log.refused(sent.key, str(error))
            for parcel in (each for parcels in calls.values() for each in parcels):
                _land(parcel, error=error)
            return None
        with self._changed:
            self._log.submitted(sent.key, batch)
        flight = _Flight(sent, desk, calls, clock.monotonic(), fresh=True)
        self._say("sent", flight)
        return flight

    def _tried(self, desk: Desk, act: Callable[[], T], *, sending: bool = False) -> T:
        """What `act` returns, tried again where that helps. Raises CallFailed or NoModel."""

        def once() -> T:
            with faults.translated(desk.provider, desk.model):
                try:
                    return act()
                except Gone:
                    raise
                except Exception as error:
                    if sending and faults.kind_of(error) in _NO_BATCHES:
                        raise faults.failed("no_batches", provider=desk.provider, model=desk.model) from None
                    raise

        return call_with_retries(once, sleep=self._wait)

    def _is_over(self, flight: _Flight) -> bool:
        """Whether a batch has come to its end; then everybody who waited for it has what came."""
        try:
            standing = flight.desk.batches.look(flight.sent.batch)
            if not standing.over:
                flight.failed = 0
                self._say("waiting", flight, done=standing.done, until=standing.until)
                return False
            came = self._tried(flight.desk, lambda: dict(flight.desk.batches.collect(flight.sent.batch)))
        except Gone as gone:
            came = dict.fromkeys(flight.sent.ids, Came("error", gone.error))
        except Exception as error:
            return self._is_lost(flight, error)
        with self._changed:
            self._log.ended(flight.sent.key, [call for call in flight.sent.ids if not _is_answer(came.get(call))])
        if flight.fresh:
            self._took.append(clock.monotonic() - flight.began)
        self._say("ended", flight, done=sum(map(_is_answer, map(came.get, flight.parcels))))
        for call, parcels in flight.parcels.items():
            for parcel in parcels:
                _land(parcel, came=came.get(call) or Came("no_result"))
        return True

    def _is_lost(self, flight: _Flight, error: Exception) -> bool:
        """Whether a batch can never be asked about: the calls are told. One that cannot be reached now is kept."""
        told = error if isinstance(error, DebateroomError) else None
        told = told or faults.translate(error, provider=flight.desk.provider, model=flight.desk.model)
        if told is None:
            raise error
        passing = isinstance(told, CallFailed) and told.retry
        most = _MOST_STRANGE if isinstance(told, CallFailed) and told.cause == "error" else _MOST_FAILED
        flight.failed += 1
        if passing and flight.failed < most:
            self._say("unreachable", flight)
            return False
        if not (passing or isinstance(told, NoModel)):  # another key may still reach it
            with self._changed:
                self._log.ended(flight.sent.key, flight.sent.ids)
        for parcel in (each for parcels in flight.parcels.values() for each in parcels):
            _land(parcel, error=told)
        return True

    def _say(self, what: str, flight: _Flight, *, done: int = 0, until: float | None = None) -> None:
        passed, items = clock.monotonic() - flight.began, len(flight.sent.ids)
        usual, left = fmean(self._took) if self._took else None, None
        if flight.fresh and 0 < done < items:
            left = passed / done * (items - done)
        elif flight.fresh and usual is not None:
            left = max(0.0, usual - passed)
        expected = None if left is None or what == "ended" else clock.epoch() + left
        purpose = next(iter(flight.parcels.values()))[0].purpose
        notice = Notice(what, flight.desk.provider, flight.sent.batch, purpose, items, done, expected, until, usual)
        with suppress(Exception):  # whoever is told must not stop what was paid for
            self._tell(notice)


def _step(parcel: Parcel) -> tuple[float, int]:
    """Its place in the order in which all rooms go on: seats, their repairs, the moderator; the end comes last."""
    order = {"seat": 0, "repair": 1, "moderator": 2}
    purpose = parcel.purpose
    if purpose is None or purpose.call not in order:
        return (float("inf"), 0)
    return (purpose.round, order[purpose.call])


def _parts(group: Sequence[Parcel]) -> Iterator[list[Parcel]]:
    """A group in as few batches as the vendors take."""
    part: list[Parcel] = []
    size = 0
    for parcel in group:
        length = len(dumps(parcel.item.body)) + 200
        if part and (len(part) >= MOST_ITEMS or size + length > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(parcel)
        size += length
    yield part


def _is_answer(came: Came | None) -> bool:
    return came is not None and came.kind == "answer"


def _land(parcel: Parcel, *, came: Came | None = None, error: DebateroomError | None = None) -> None:
    if not parcel.landed.is_set():
        parcel.came, parcel.error = came, error
        parcel.landed.set()


def _stopped() -> CallFailed:
    return worded(CallFailed, Wording("fault_not_sent"), cause="stopped")
