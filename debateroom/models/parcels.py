"""One call on its way to a provider's batch and back, and what is told of the batch that it is in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from debateroom.errors import CallFailed, DebateroomError, Wording
from debateroom.language import worded
from debateroom.messages import Purpose
from debateroom.models.vendor_batches import Came, Item, VendorBatches


class Desk(NamedTuple):
    """Where the calls of one batch go."""

    provider: str
    model: str
    """One of the models that are asked there, for errors."""
    group: str
    """Calls of one group may be in one batch."""
    batches: VendorBatches


What = Literal["sent", "taken_up", "waiting", "ended", "unreachable"]


class Notice(NamedTuple):
    """What is told of a batch."""

    what: What
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


def land(parcel: Parcel, *, came: Came | None = None, error: DebateroomError | None = None) -> None:
    """Gives a call what came of it, once; whoever waits for it goes on."""
    if not parcel.landed.is_set():
        parcel.came, parcel.error = came, error
        parcel.landed.set()


def stopped() -> CallFailed:
    """What is told of a call when the run was stopped before it came back."""
    return worded(CallFailed, Wording("fault_not_sent"), cause="stopped")
