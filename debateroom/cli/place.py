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


def coordinated(room: str | None, active: str | None) -> Path:
    """The folder of `room`; without one, that of the project's coordinator, be it there or not."""
    from debateroom.coordinating import ROOM

    return coordinator(room, active, otherwise=ROOM)


def coordinator(room: str | None, active: str | None, *, otherwise: str | None = None) -> Path:
    """The folder of `room`; without one, that of the project's coordinator, else `otherwise` or the default room."""
    from debateroom import settings
    from debateroom.playbooks import claim
    from debateroom.wake import workspace

    if room is None:
        chosen = settings.load({"active": active})
        found = claim.current(workspace.of_active(chosen.active))
        if found is not None and found.resolve().parent == chosen.active.resolve():
            return found
    return folder(room or otherwise, active)


def _is_room(folder: Path) -> bool:
    from debateroom.room.room import CHAT, JOURNAL

    return (folder / JOURNAL).is_file() or (folder / CHAT).is_file()
