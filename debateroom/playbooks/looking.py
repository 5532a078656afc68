"""A room's card, looked at from outside: the journal read, and whether the process that ran it is still there."""

from __future__ import annotations

from pathlib import Path

from debateroom import clock
from debateroom.playbooks.live import Live, compute_live
from debateroom.room import summary
from debateroom.room.room import journal


def look(folder: Path) -> Live:
    """The card of the room in `folder`. Raises UsageError when there is no room, RoomError for one that cannot be
    read. A run whose process is gone is `interrupted`.
    """
    seen = summary.look(folder)  # it raises, and knows whether the process is gone
    return compute_live(journal(folder).values, clock.now(), gone=seen["status"] == "interrupted")
