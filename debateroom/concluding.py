"""Concluding a debate for its caller: the synthesis that was handed in becomes the room's final output."""

from __future__ import annotations

from pathlib import Path

from debateroom import activities
from debateroom.activities import Outcome
from debateroom.debating import deciding, host
from debateroom.debating import plan as plans
from debateroom.debating.plan import Plan
from debateroom.errors import UsageError
from debateroom.language import say
from debateroom.room.events import State, apply
from debateroom.room.room import Room, command, event, opening_event, read

LONGEST = 1_000_000
"""Bytes that a synthesis may have."""


def conclude(folder: Path, text: str) -> Outcome:
    """Writes the synthesis in `text`, a JSON object as the room's brief asks for it, and both reports.

    Raises UsageError when the room waits for none or the text is none of its, naming the field; RoomBusy when a
    run holds the room. Then the room is as it was.
    """
    told = opening_event(folder)
    if told.get("kind") != "debate":
        raise UsageError(f"the room {folder.name} is no debate", hint=command("report", folder))
    plan = plans.from_event(told)
    _hold_waiting(folder, plan, read(folder))
    given = host.read(text, plan)
    with Room.reopen(folder) as room:
        _hold_waiting(folder, plan, room.state)
        room.write(event("synthesized", final_output=host.final_output(room.state, plan, given), history="full"))
        stopped, code = room.transcript.stopped, deciding.exit_code(room.transcript.final_output)
        finished = event("room_finished", status="finished", stopped=stopped, exit_code=code, seconds=0.0)
        outcome = activities.write_reports(room, apply(room.state, finished))
        room.write(finished)
    return outcome


def _hold_waiting(folder: Path, plan: Plan, state: State) -> None:
    """Raises UsageError when the room does not wait for a synthesis, with what can be done with it instead."""
    status = state.transcript.status
    if status == host.WAITING:
        return
    verb = {"finished": "report", "running": "wait"}.get(status, "resume")
    raise UsageError(
        say(plan.language, "waits_for_none", status=say(plan.language, f"status_{status}")),
        hint=command(verb, folder),
    )
