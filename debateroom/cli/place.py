"""Which room a command means: a name below `active/`, a folder, or the default room."""

from __future__ import annotations

from pathlib import Path


def folder(room: str | None, active: str | None) -> Path:
    """The folder of `room`: the folder itself when one is named, else the room of that name below `active`."""
    from debateroom import settings

    if room and Path(room).is_dir():
        return Path(room)
    chosen = settings.load({"active": active})
    return chosen.active / (room or chosen.room)
