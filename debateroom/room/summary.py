"""A room in one small object: what `--json` prints, what `status` and `wait` answer. A function of the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from debateroom.language import say
from debateroom.messages import dollars
from debateroom.room import lock
from debateroom.room.events import State
from debateroom.room.room import CHAT, REPORT, command, read

_SAID = ("outcome", "summary", "recommended_action", "sharpest_disagreement")
"""What the final output says in words. One from elsewhere may hold anything."""
STOPPED = 143
"""Exit code of a run that was told to leave, as SIGTERM does it."""


def summarize(folder: Path, state: State) -> dict[str, Any]:
    """The object for the room in `folder` as `state` has it; paths are absolute, what is not known yet is None.

    `exit_code` is that of the run. While it goes on there is none, and `ok` is true: nothing has gone wrong.
    """
    transcript = state.transcript
    final = transcript.final_output or {}
    said = {key: value for key in _SAID for value in [final.get(key)] if isinstance(value, str)}
    effective = final.get("effective_agents")
    report = folder.resolve() / REPORT
    return {
        "ok": state.exit_code in (0, None),
        "exit_code": state.exit_code,
        "room": str(folder.resolve()),
        "kind": transcript.kind,
        "status": transcript.status,
        **dict.fromkeys(_SAID) | said,
        "rounds_played": len(state.finished_rounds),
        "agents": len(transcript.agents),
        "effective_agents": effective if isinstance(effective, int) else None,
        "cost": dollars(transcript.cost),
        "report": str(report) if report.exists() else None,
        "transcript": str(folder.resolve() / CHAT),
        "error": state.error,
        "hint": state.hint,
    }


def look(folder: Path) -> dict[str, Any]:
    """The object for the room in `folder`, looked at from outside: a run whose process is gone is `interrupted`.

    Raises UsageError when there is no room.
    """
    state = read(folder)
    if state.transcript.status == "running" and not lock.busy(folder) and not lock.starting(folder):
        state = read(folder)  # it may have ended between the first look and the second
        if state.transcript.status == "running":
            return _gone(folder, state)
    value = summarize(folder, state)
    if value["status"] == "running":
        value["hint"] = command("wait", folder)
    return value


def _gone(folder: Path, state: State) -> dict[str, Any]:
    """The object for a room whose process ended without a word."""
    value = summarize(folder, state)
    stopped = lock.was_stopped(folder)
    error = "interrupted" if stopped else say(state.transcript.language, "process_gone")
    ended = {"ok": False, "exit_code": STOPPED if stopped else 1, "error": error, "hint": command("resume", folder)}
    return value | {"status": "interrupted"} | ended
