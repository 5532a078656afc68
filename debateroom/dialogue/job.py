"""A whole worker's job: played, told in the journal as it goes, and put into the room's final output."""

from __future__ import annotations

from typing import Any

from debateroom import clock
from debateroom.dialogue import worker
from debateroom.dialogue.loop import Dialogue
from debateroom.dialogue.simulation import STOPPED
from debateroom.dialogue.worker import Ended
from debateroom.errors import DebateroomError, RoomError
from debateroom.room.room import event

FILE = "deliverable.md"
EXIT_CODES = {"delivered": 0, "partial": 3, "refused": 3}


def run(dialogue: Dialogue) -> tuple[str, int]:
    """Plays the job, writes deliverable and final output, and says why it stopped and with which exit code."""
    job = dialogue.plan.job
    dialogue.note("worker_started", jobId=job.job_id, maxIterations=job.max_turns, description=job.description)
    try:
        ended = worker.play(dialogue, dialogue.plan.problem)
        dialogue.finish()
    except RoomError:
        raise
    except DebateroomError as error:
        failed = {"error": str(error), "iterations": dialogue.number, "duration": _duration(dialogue)}
        dialogue.room.write(event("worker_failed", **failed))
        raise
    final = _final(dialogue, ended)
    dialogue.room.write_file(FILE, ended.conclusion.deliverable.rstrip("\n") + "\n")
    if dialogue.room.transcript.final_output is None:
        told = {key: final[key] for key in ("success", "summary", "iterations", "duration")}
        dialogue.note("worker_completed", **told)
        dialogue.room.write(event("synthesized", final_output=final))
    return ended.stopped, STOPPED.get(ended.stopped, EXIT_CODES[ended.outcome])


def _final(dialogue: Dialogue, ended: Ended) -> dict[str, Any]:
    return {
        "outcome": ended.outcome,
        "success": ended.outcome == "delivered",
        "deliverable": ended.conclusion.deliverable,
        "summary": ended.conclusion.summary,
        "confidence": ended.conclusion.confidence,
        "iterations": dialogue.number,
        "max_iterations": dialogue.plan.job.max_turns,
        "duration": _duration(dialogue),
        "error": ended.error,
        "turns": dialogue.number,
        "max_turns": dialogue.plan.job.max_turns,
        "tools": list(dialogue.executed),
        "findings": [finding._asdict() for finding in ended.findings],
        "job_id": dialogue.plan.job.job_id,
        "description": dialogue.plan.job.description,
    }


def _duration(dialogue: Dialogue) -> float:
    """Seconds, those of the runs before an interruption included."""
    return round((dialogue.room.transcript.seconds or 0.0) + clock.monotonic() - dialogue.begun, 3)
