"""A room in one small object: what `--json` prints, what `status` and `wait` answer. A function of the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from debateroom.room import lock
from debateroom.room.events import State
from debateroom.room.room import CHAT, REPORT, read, resume_command

STILL_RUNNING = 124
"""Exit code that stands for a room that has not come to its end (DESIGN, section 6)."""


def summarize(folder: Path, state: State) -> dict[str, Any]:
    """The object for the room in `folder` as `state` has it; paths are absolute, what is not known yet is None."""
    transcript = state.transcript
    final = transcript.final_output or {}
    report = folder.resolve() / REPORT
    code = state.exit_code if state.exit_code is not None else STILL_RUNNING
    return {
        "ok": code == 0,
        "exit_code": code,
        "room": str(folder.resolve()),
        "kind": transcript.kind,
        "status": transcript.status,
        "outcome": final.get("outcome"),
        "summary": final.get("summary"),
        "recommended_action": final.get("recommended_action"),
        "sharpest_disagreement": final.get("sharpest_disagreement"),
        "rounds_played": len(state.finished_rounds),
        "agents": len(transcript.agents),
        "effective_agents": final.get("effective_agents"),
        "cost": transcript.cost,
        "report": str(report) if report.exists() else None,
        "transcript": str(folder.resolve() / CHAT),
        "error": state.error,
        "hint": state.hint,
    }


def look(folder: Path) -> dict[str, Any]:
    """The object for the room in `folder`, looked at from outside: a run whose process is gone is `interrupted`.

    Raises UsageError when there is no room.
    """
    value = summarize(folder, read(folder))
    if value["status"] == "running" and not lock.busy(folder) and not lock.starting(folder):
        value["status"], value["exit_code"] = "interrupted", 1
        value["error"] = "the process that ran this room is gone"
        value["hint"] = resume_command(folder)
    return value
