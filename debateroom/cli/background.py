"""A run in the background: its own session, nothing on standard input, its output in the room's `run.log`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from debateroom.cli import output
from debateroom.errors import RoomError


def start(folder: Path, what: str, *, verbose: int = 0, wake: bool = False) -> int:
    """Starts a process that resumes the room in `folder`, prints room and pid as one JSON object; 0.

    `verbose` is how much it says in `run.log`: as often as `-v` was given. `wake`: it wakes somebody when it fails.
    """
    from debateroom import files
    from debateroom.room import lock
    from debateroom.room.room import RUN_LOG, command

    whole = folder.resolve()
    _say_moved(whole)
    run = [sys.executable, *_safe_path(), "-m", "debateroom", "resume", str(whole), *["-v"] * verbose]
    run += ["--wake-on-failure"] if wake else []
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}  # the log's readers know no other encoding
    given = {"stdin": subprocess.DEVNULL, "env": environment, **_own_session()}
    try:
        with (whole / RUN_LOG).open("ab") as log:
            process = subprocess.Popen(run, stdout=log, stderr=log, **given)
    except OSError as error:
        raise RoomError(f"cannot start the run in {whole}: {error}", hint=command("resume", whole)) from error
    try:
        lock.name_owner(whole, process.pid, what=what)
    except BaseException:  # it is said that nothing was started, so nothing may be
        process.terminate()
        process.wait()
        raise
    value = {"ok": True, "status": "running", "room": str(whole), "pid": process.pid}
    output.line(files.dumps(value | {"hint": command("wait", whole, "--timeout 90")}).decode())
    return 0


def _say_moved(folder: Path) -> None:
    """Where the earlier run of a room that was just opened is kept now, if there was one."""
    from debateroom.room.room import journal

    opened, *more = journal(folder).values
    if [each["event"] for each in more] == ["moved_aside"]:
        output.note(output.moved(opened["language"], more[0]))


def _safe_path() -> list[str]:
    """What keeps modules of the current folder out of the new process, unless they are this one's as well."""
    return [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]


def _own_session() -> dict[str, Any]:
    """What lets a process outlive the shell that started it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
