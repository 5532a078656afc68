"""Which room a command means: a name below `active/`, a folder, or the default room."""

from __future__ import annotations

from pathlib import Path


def folder(room: str | None, active: str | None) -> Path:
    """The folder of `room`: the room of that name below `active`, else the folder itself when one is named."""
    from debateroom import settings

    chosen = settings.load({"active": active})
    named = chosen.active / (room or chosen.room)
    if room and not _is_room(named) and Path(room).is_dir():
        return Path(room)
    return named


def _is_room(folder: Path) -> bool:
    from debateroom.room.room import CHAT, JOURNAL

    return (folder / JOURNAL).is_file() or (folder / CHAT).is_file()
