"""One coordinator a project: which room has it is noted beside the rooms, and holds while that run goes on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from debateroom import files
from debateroom.errors import DebateroomError, RoomBusy
from debateroom.room import lock
from debateroom.room.room import command, read
from debateroom.room.summary import quiet
from debateroom.terminal import quoted
from debateroom.wake.workspace import Workspace, of_room

_FILE, _LOCK = "coordinator.json", "coordinator.lock"
_SECONDS = 10.0
"""To wait for another process that is just taking the place."""


@contextlib.contextmanager
def claiming(folder: Path) -> Iterator[None]:
    """A block in which the room in `folder` is opened as the project's coordinator's.

    Raises RoomBusy, with exit code 6, while another room's coordinator is at work.
    """
    from filelock import FileLock, Timeout

    place = of_room(folder)
    place.make()
    guard = FileLock(place.own / _LOCK, timeout=_SECONDS)
    try:
        guard.acquire()
    except Timeout:
        raise RoomBusy(f"another coordinator is just starting in {place.folder}", hint="try again") from None
    try:
        for room in (current(place), folder):
            if room is not None and at_work(room):
                raise _busy(room, place)
        yield
        files.replace(place.own / _FILE, files.dumps({"room": str(folder.resolve())}) + b"\n")
    finally:
        guard.release()


def current(place: Workspace) -> Path | None:
    """The room of the workspace's last coordinator; None when there was none or it is gone."""
    try:
        value = json.loads((place.own / _FILE).read_bytes())
        folder = Path(value["room"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    inside = of_room(folder) == place
    return folder if inside and folder.is_dir() else None


def at_work(folder: Path) -> bool:
    """Whether the coordinator in `folder` is at work: its process, or a program of which only the notes are known."""
    return lock.busy(folder) or lock.starting(folder) or (_is_outside(folder) and not quiet(folder))


def _is_outside(folder: Path) -> bool:
    """Whether in `folder` is an unfinished run of a coordinator that calls us."""
    try:
        state = read(folder)
    except DebateroomError:
        return False
    return state.transcript.status == "running" and bool(state.settings.get("outside"))


def _busy(other: Path, place: Workspace) -> RoomBusy:
    error = RoomBusy(f"the coordinator of {place.folder} is at work already, in the room {other.name}")
    finish = f"debateroom playbook finish --room {other.name} --active {quoted(str(other.resolve().parent))}"
    error.hint = finish if _is_outside(other) else f"{command('wait', other)}, or {command('stop', other)}"
    error.room = other.resolve()
    return error
