"""One debate of a batch as a task: a room on disk is played to its end; a small object comes back.

What has been paid for is in the room's journal, so a task that is run again pays nothing twice.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from debateroom import resuming, settings
from debateroom.batch.lending import Lending
from debateroom.errors import DebateroomError, RoomBusy
from debateroom.room.room import OnEvent
from debateroom.room.summary import look
from debateroom.settings import Settings

_LOOK = 0.5
"""Seconds between two looks at a room that another worker still has."""
_PATIENCE = 600.0
"""Seconds after which such a room is given up: a worker that is only thought to be lost ends its debate."""
_ONE = threading.Lock()
"""Held while the models of this process are made."""


def play(folder: Path, chosen: Settings, lending: Lending, on_event: OnEvent | None = None) -> dict[str, Any]:
    """The object of the room in `folder` once its debate is over, however it ended. Raises only a fault of ours."""
    try:
        return dict(resuming.resume(folder, chosen, lend=lending.lend, on_event=on_event).summary)
    except DebateroomError as error:
        return failed(error, folder)


def play_here(folder: str, concurrency: int) -> dict[str, Any]:
    """The same on a worker of a cluster, with the keys and addresses of its own environment.

    `concurrency` is this process's part of the calls at once.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        found = play(Path(folder), settings.load({}), lending_of(concurrency))
        if found["exit_code"] != RoomBusy.exit_code or time.monotonic() > until:
            return found
        time.sleep(_LOOK)


def lending_of(concurrency: int) -> Lending:
    """The models of this process, whichever rooms ask; so many calls at once."""
    with _ONE:
        return _lending(concurrency)


@functools.cache
def _lending(concurrency: int) -> Lending:
    """Of this process, as long as it lives."""
    return Lending(concurrency)


def failed(error: Exception, folder: Path) -> dict[str, Any]:
    """The object for a debate that has no end: what its room says, and the error."""
    known: Mapping[str, Any] = {"room": str(folder.resolve()), "kind": "debate", "status": "failed"}
    with contextlib.suppress(DebateroomError):  # one that was not started has no room
        known = look(folder)
    code = error.exit_code if isinstance(error, DebateroomError) else 1
    hint = error.hint if isinstance(error, DebateroomError) else None
    return {**known, "ok": False, "exit_code": code, "error": str(error), "hint": hint}
