"""A run in the background: its own session, nothing on standard input, its output in the room's `run.log`."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from debateroom.cli import output
from debateroom.errors import RoomError


def start(folder: Path, what: str, *, verbose: int = 0) -> int:
    """Starts a process that resumes the room in `folder`, prints room and pid as one JSON object; 0.

    `verbose` is how much it says in `run.log`: as often as `-v` was given.
    """
    from debateroom import files
    from debateroom.room import lock
    from debateroom.room.room import resume_command

    command = [sys.executable, "-m", "debateroom", "resume", str(folder.resolve()), *["-v"] * verbose]
    try:
        with (folder / "run.log").open("ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **_own_session())
    except OSError as error:
        raise RoomError(f"cannot start the run in {folder}: {error}", hint=resume_command(folder)) from error
    lock.name_owner(folder, process.pid, what=what[:200])
    value = {"ok": True, "status": "running", "room": str(folder.resolve()), "pid": process.pid}
    output.line(files.dumps(value | {"hint": f"debateroom wait {shlex.quote(str(folder))} --timeout 90"}).decode())
    return 0


def _own_session() -> dict[str, Any]:
    """What lets a process outlive the shell that started it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
