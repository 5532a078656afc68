"""`debateroom wait`: until a room has come to its end, or the time is over."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from debateroom import clock
from debateroom.cli import output, place
from debateroom.errors import UsageError

STILL_RUNNING = 124
"""Exit code that says that the time was over before the room had come to its end (DESIGN, section 6)."""
_LOOK = 0.3
"""Seconds between two looks at the room."""


@click.command("wait", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--timeout", type=float, default=90.0, metavar="S", help="Seconds to wait at most.  [default: 90]")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
def wait(room: str | None, timeout: float, active: str | None) -> int:
    """Wait until ROOM ends; print its JSON object and end with its exit code. 124 means: still running."""
    if not timeout >= 0:
        raise UsageError(f"--timeout {timeout} is no time to wait")
    folder = place.folder(room, active)
    value = _watch(folder, clock.monotonic() + timeout)
    if value["status"] == "running":
        value |= {"ok": False, "exit_code": STILL_RUNNING}
    output.print_json(value)
    return int(value["exit_code"])


def _watch(folder: Path, until: float) -> dict[str, Any]:
    """The room's object when it has ended, or as it stands at `until`."""
    from debateroom.room.summary import look

    while True:
        value = look(folder)
        if value["status"] != "running" or clock.monotonic() >= until:
            return value
        time.sleep(max(0.0, min(_LOOK, until - clock.monotonic())))
