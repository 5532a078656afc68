"""Hands calls over to providers as batches, waits until these are over, and brings back what came.

Each step is noted in a `BatchLog` before it is taken: a batch of an earlier run is waited for, not handed over again.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, NoModel
from debateroom.files import dumps
from debateroom.models import faults
from debateroom.models.batch_log import BatchLog, Sent
from debateroom.models.parcels import Desk, Notice, Parcel, Tell, What, land
from debateroom.models.retry import call_with_retries
from debateroom.models.vendor_batches import MOST_BYTES, MOST_ITEMS, Came, Gone

T = TypeVar("T")

_MOST_FAILED, _MOST_STRANGE = 60, 5
"""Looks in a row that may fail, which is about an hour, and that may give what is no answer. Another run may still
find the batch."""
_NO_BATCHES = ("not_found", "address", "unsupported", "page")
"""What a server says that has no batches."""


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


class Carrier:
    """Carries parcels to providers and back. Used by one thread; `lock` is held while the log is written."""

    def __init__(
        self,
        log: BatchLog,
        lock: threading.Condition,
        stop: threading.Event,
        *,
        poll: float,
        tell: Tell | None,
        wait: Callable[[float], object] | None,
    ) -> None:
        self._log = log
        self._changed = lock
        self._stop = stop
        self._poll = poll
        self._tell = tell or (lambda notice: None)
        self._wait = wait or stop.wait
        self._took: list[float] = []
        """Seconds that the batches of this run took."""

    def carry(self, parcels: Sequence[Parcel]) -> None:
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
                land(parcel, error=error)
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
                land(parcel, came=came.get(call) or Came("no_result"))
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
            land(parcel, error=told)
        return True

    def _say(self, what: What, flight: _Flight, *, done: int = 0, until: float | None = None) -> None:
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
