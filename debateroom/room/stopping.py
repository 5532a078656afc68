"""How a run that was told to leave says so in its room, or has it said when it was ended too soon."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from debateroom.errors import RoomBusy, RoomError
from debateroom.room.room import Room, command, event


def interrupted(folder: Path, code: int, *, seconds: float = 0.0) -> dict[str, Any]:
    """The event of a run in `folder` that ended with exit code `code` and can be resumed."""
    ended = {"exit_code": code, "error": "interrupted", "hint": command("resume", folder)}
    return event("room_interrupted", status="interrupted", seconds=seconds, **ended)


def close(folder: Path, code: int) -> None:
    """Says it for a run whose process is gone and had no time to; what has ended, or goes on, is left as it is."""
    with contextlib.suppress(RoomBusy, RoomError), Room.reopen(folder) as room:
        if room.transcript.status == "running":
            room.write(interrupted(folder, code))
