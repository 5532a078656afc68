"""One writer a room: a lock that dies with its process, and beside it who holds it."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from debateroom import clock, files
from debateroom.errors import RoomBusy, RoomError

if TYPE_CHECKING:
    from filelock import FileLock

LOCK, OWNER = ".lock", ".owner.json"
STARTING = 15
"""Seconds a detached process may take until it holds the room."""


def take(folder: Path, *, what: str) -> FileLock:
    """The room's lock, held until it is released or the process ends.

    Raises RoomBusy naming the pid and start time of the process that holds it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RoomBusy(held_by(folder), hint=f"choose another room with --room, or wait for {folder.name}") from None
    except OSError as error:
        raise RoomError(f"cannot write {folder}: {error.strerror or error}") from error
    name_owner(folder, os.getpid(), what=what)
    return lock


def name_owner(folder: Path, pid: int, *, what: str) -> None:
    """Notes beside the lock which process has the room, or is about to take it."""
    value = {"pid": pid, "started": clock.now().isoformat(), "what": what}
    files.replace(folder / OWNER, files.dumps(value))


def starting(folder: Path) -> bool:
    """Whether a process that was sent to take the room is alive and has not had the time to."""
    known = owner(folder)
    if known is None:
        return False
    try:
        age = (clock.now() - datetime.fromisoformat(str(known.get("started")))).total_seconds()
        pid = int(known["pid"])
        return pid != os.getpid() and age < STARTING and alive(pid)
    except (KeyError, TypeError, ValueError):
        return False


def alive(pid: int) -> bool:
    """Whether a process with this id exists. Where that cannot be asked (Windows), True."""
    if os.name == "nt":  # there os.kill ends a process, whatever the signal: believe it, for the seconds that count
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


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


def held_by(folder: Path) -> str:
    known = owner(folder)
    if known is None:
        return f"the room {folder.name} is in use by another process"
    return f"the room {folder.name} is in use by process {known.get('pid')}, started {known.get('started')}"
