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
    from debateroom.room.room import read, resume_command

    folder = place.folder(room, active)
    read(folder)
    if not _end(folder):
        output.note(f"nothing is running in {folder}")
        return 0
    click.echo(f"stopped; continue with: {resume_command(folder)}")
    return 0


def _end(folder: Path) -> bool:
    """Whether a run was there and has been ended. Raises RoomError when it does not leave."""
    from debateroom.room import lock

    known = lock.owner(folder)
    if known is None or not (lock.busy(folder) or lock.starting(folder)):
        return False
    pid = int(known["pid"])
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return False
    except OSError as error:
        raise RoomError(f"process {pid} in {folder} cannot be stopped: {error.strerror}") from error
    until = clock.monotonic() + _PATIENCE
    while lock.busy(folder) and clock.monotonic() < until:
        time.sleep(0.05)
    if lock.busy(folder):
        raise RoomError(f"process {pid} in {folder} did not leave within {_PATIENCE:g} s", hint=f"kill -9 {pid}")
    return True
