"""One writer a room: a lock that dies with its process, and beside it who holds it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from debateroom import clock, files
from debateroom.errors import RoomBusy, RoomError

if TYPE_CHECKING:
    from filelock import FileLock

LOCK, OWNER = ".lock", ".owner.json"


def take(folder: Path, *, what: str) -> FileLock:
    """The room's lock, held until it is released or the process ends.

    Raises RoomBusy naming the pid and start time of the process that holds it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RoomBusy(_held_by(folder), hint=f"choose another room with --room, or wait for {folder.name}") from None
    except OSError as error:
        raise RoomError(f"cannot write {folder}: {error.strerror or error}") from error
    owner = {"pid": os.getpid(), "started": clock.now().isoformat(), "what": what}
    files.replace(folder / OWNER, files.dumps(owner))
    return lock


def owner(folder: Path) -> dict[str, Any] | None:
    """`pid`, `started` and `what` of the process that last took the room; None when unknown."""
    try:
        value = orjson.loads((folder / OWNER).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None


def busy(folder: Path) -> bool:
    """Whether a living process holds the room."""
    from filelock import FileLock, Timeout

    if not (folder / LOCK).exists():
        return False
    try:
        with FileLock(folder / LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _held_by(folder: Path) -> str:
    known = owner(folder)
    if known is None:
        return f"the room {folder.name} is in use by another process"
    return f"the room {folder.name} is in use by process {known.get('pid')}, started {known.get('started')}"
