"""One writer a room: a lock that dies with its process, and beside it who holds it."""

from __future__ import annotations

import contextlib
import os
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from debateroom import clock, files
from debateroom.errors import RoomBusy, RoomError
from debateroom.models.quote import without_keys

if TYPE_CHECKING:
    from filelock import FileLock

LOCK, OWNER = ".lock", ".owner.json"
STARTING = 60
"""Seconds a detached process may take until it holds the room."""
_TRIES, _PAUSE = 5, 0.02
"""Times the lock is tried, and the seconds between: whoever only looks whether it is held holds it for a moment."""


def take(folder: Path) -> FileLock:
    """The room's lock, held until it is released or the process ends.

    Raises RoomBusy naming the pid and start time of the process that holds it.
    """
    try:
        lock = _acquired(folder)
    except OSError as error:
        hint = files.space_hint(folder / LOCK)
        raise RoomError(f"cannot write {folder}: {error.strerror or error}", hint=hint) from error
    if lock is None:
        raise RoomBusy(held_by(folder))
    return lock


def give_back(folder: Path, lock: FileLock, *, handed_over: bool = False) -> None:
    """Releases the room, and forgets who had it, unless it is `handed_over` to a process that is on its way."""
    if not handed_over:
        with contextlib.suppress(OSError):
            (folder / OWNER).unlink(missing_ok=True)
    lock.release()


def _acquired(folder: Path) -> FileLock | None:
    """The lock, or None when another process holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0)
    for _ in range(_TRIES):
        try:
            lock.acquire()
        except Timeout:
            time.sleep(_PAUSE)
        else:
            return lock
    return None


def name_owner(folder: Path, pid: int, *, what: str) -> None:
    """Notes beside the lock which process has the room, or is about to take it."""
    _note(folder, {"pid": pid, "started": clock.now().isoformat(), "what": without_keys(what)[:200]})


def note_stop(folder: Path) -> None:
    """Notes beside the lock that whoever has the room was told to leave: it may end before it can say so itself."""
    with contextlib.suppress(RoomError):  # a full disk keeps nobody in
        _note(folder, {**(owner(folder) or {}), "stopped": True})


def was_stopped(folder: Path) -> bool:
    """Whether the process that last took the room was told to leave."""
    return bool((owner(folder) or {}).get("stopped"))


def _note(folder: Path, value: dict[str, Any]) -> None:
    files.replace(folder / OWNER, files.dumps(value))


def starting(folder: Path) -> bool:
    """Whether a process that was sent to take the room is alive and has not had the time to.

    Not this one: it is named beside the lock, or its parent that sent it still is.
    """
    known = owner(folder)
    if known is None:
        return False
    try:
        age = (clock.now() - datetime.fromisoformat(str(known.get("started")))).total_seconds()
    except (TypeError, ValueError):
        return False
    return known["pid"] not in (os.getpid(), os.getppid()) and 0 <= age < STARTING and alive(known["pid"])


def alive(pid: int) -> bool:
    """Whether a process with this id is running. Where that cannot be asked (Windows), True."""
    if os.name == "nt":  # there os.kill ends a process, whatever the signal: believe it, for the seconds that count
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended and nobody has fetched its exit code, where the system tells (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] == ["Z"]


def owner(folder: Path) -> dict[str, Any] | None:
    """`pid`, `started` and `what` of the process that last took the room; None when unknown."""
    try:
        value = orjson.loads((folder / OWNER).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    if not isinstance(value, dict) or type(value.get("pid")) is not int or value["pid"] < 1:
        return None  # smaller numbers mean groups of processes, and a signal may be sent to this one
    return value


def busy(folder: Path) -> bool:
    """Whether a living process holds the room."""
    if not (folder / LOCK).exists():
        return False
    try:
        lock = _acquired(folder)
    except OSError:
        return False
    if lock is None:
        return True
    lock.release()
    return False


def held_by(folder: Path) -> str:
    known = owner(folder)
    if known is None:
        return f"the room {folder.name} is in use by another process"
    return f"the room {folder.name} is in use by process {known.get('pid')}, started {known.get('started')}"
