"""A room's card, looked at from outside: the journal read, and whether the process that ran it is still there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from debateroom import clock
from debateroom.errors import RoomError
from debateroom.playbooks.live import Live, compute_live
from debateroom.room import lock, summary
from debateroom.room.room import journal, read


def look(folder: Path) -> Live:
    """The card of the room in `folder`, with what of its journal cannot be read. A run whose process is gone is
    `interrupted`. Raises UsageError when there is no room, RoomError for one of which nothing can be read.
    """
    seen = summary.look(folder)  # it raises, and knows whether the process is gone
    if seen["status"] == summary.UNREADABLE and not lock.busy(folder):  # else it is just being opened
        raise RoomError(seen["error"], hint=seen["hint"])
    live = compute_live(journal(folder).values, clock.now(), gone=seen["status"] == "interrupted")
    return replace(live, damage=" ".join(read(folder).transcript.notes))
