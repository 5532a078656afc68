"""`debateroom stop`: ends the process that runs a room. What was answered stays, and can be resumed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import click

from debateroom import clock
from debateroom.cli import output, place
from debateroom.errors import RoomError

_PATIENCE = 5.0
"""Seconds a run has to leave."""


@click.command("stop", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
def stop(room: str | None, active: str | None) -> int:
    """Stop the run in ROOM as Ctrl-C would. Nothing that was answered is lost."""
    from debateroom.language import say
    from debateroom.room import stopping
    from debateroom.room.room import command, read
    from debateroom.room.summary import STOPPED

    folder = place.folder(room, active)
    language = read(folder).transcript.language
    ended = _end(folder)
    if ended:
        stopping.close(folder, STOPPED)
    if not ended or read(folder).transcript.status == "finished":
        output.note(say(language, "nothing_running", room=folder.resolve()))
    else:
        output.tell(say(language, "stopped_line", command=command("resume", folder)))
    return 0


def _end(folder: Path) -> bool:
    """Whether a run was there and has been ended. Raises RoomError when it does not leave."""
    from debateroom.room import lock

    held, known = lock.busy(folder), lock.owner(folder)
    if not held and not lock.starting(folder):
        return False
    if known is None:
        raise RoomError(f"a process has the room {folder}, and which one cannot be read", hint="end it yourself")
    pid = known["pid"]
    lock.note_stop(folder)
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return False
    except OSError as error:
        raise RoomError(f"process {pid} in {folder} cannot be stopped: {error.strerror}") from error
    until = clock.monotonic() + _PATIENCE
    while not _left(folder, pid, held=held):
        if clock.monotonic() >= until:
            raise RoomError(f"process {pid} in {folder} did not leave within {_PATIENCE:g} s", hint=f"kill -9 {pid}")
        time.sleep(0.05)
    return True


def _left(folder: Path, pid: int, *, held: bool) -> bool:
    """Whether the process has gone: one that `held` the room gave it back, one that had not may still take it."""
    from debateroom.room import lock

    return not lock.busy(folder) and (held or os.name == "nt" or not lock.alive(pid))
