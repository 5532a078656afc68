"""How often a workspace may wake: once in five seconds, whichever process does it.

When it last did is the time of a file: that can be set on a full disk too, which is a reason to be woken.
"""

from __future__ import annotations

import os

from debateroom import clock
from debateroom.errors import RoomError
from debateroom.wake.workspace import Workspace

PAUSE = 5.0
"""Seconds from one attempt to the next, at least."""
_MARK, _LOCK = "wake.last", "wake.lock"
_WAIT = 2.0
"""Seconds that another process is waited for, which only looks at the time."""


def take_turn(workspace: Workspace) -> bool:
    """Whether a wake-up call may be made now; it then counts as made. Raises RoomError when that cannot be noted."""
    from filelock import FileLock, Timeout

    workspace.make()
    mark = workspace.own / _MARK
    try:
        with FileLock(workspace.own / _LOCK, timeout=_WAIT):
            now = clock.epoch()
            # a clock that was set back does not keep anybody asleep
            if mark.exists() and abs(now - mark.stat().st_mtime) < PAUSE:
                return False
            mark.touch()
            os.utime(mark, (now, now))
    except Timeout:
        return False
    except OSError as error:
        raise RoomError(f"{mark} cannot be written: {error.strerror or error}") from error
    return True
