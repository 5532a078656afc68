"""A coordinator's worker: a worker's job in a room of its own beside the coordinator's, run by its own process."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom import clock
from debateroom.errors import DebateroomError
from debateroom.models.processes import Programs, Ran
from debateroom.playbooks import permits
from debateroom.playbooks.desk import Desk
from debateroom.room import lock
from debateroom.room.events import usage_json
from debateroom.room.room import JOURNAL, event, read
from debateroom.room.summary import look
from debateroom.terminal import one_line

SECONDS = 3_600.0
"""One worker may take."""
_TURNS = 10
_MOST = 1_000_000
"""Bytes of what its process writes."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is asked for."""

    id: str
    task: str
    model: str
    share: float | None = None
    """US dollars it may spend; None is no limit."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a worker."""

    room: Path
    outcome: str
    """`delivered`, `partial`, `refused`, or `broken` when it has none."""
    deliverable: str = ""
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it delivered what it was asked for."""
        return self.outcome == "delivered"


def identify(desk: Desk, task: str, model: str) -> str:
    """The worker's id: the same for the same task, so that a run that goes on finds the worker it had started."""
    text = "\0".join((desk.plan.uuid, model, task))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def run(desk: Desk, job: Job, programs: Programs, seconds: float) -> Result:
    """Has the task worked on, or goes on where it was left, or takes what was delivered before. Never raises
    for what the worker does: that is its result.
    """
    folder = desk.room.folder.with_name(f"{desk.room.folder.name[:60]}.worker-{job.id}")
    desk.write(event("worker_delegated", id=job.id, room=folder.name, task=job.task, model=job.model))
    error, until = None, clock.monotonic() + seconds
    if lock.busy(folder):  # it has outlived the process that started it
        error = _process(desk, folder.name, ["wait", "--timeout", f"{seconds:g}", "--", str(folder)], programs, until)
    if not _finished(folder):
        words = _resume(folder) if (folder / JOURNAL).exists() else _start(desk, folder, job)
        error = _process(desk, folder.name, words, programs, until)
    made = _result(folder, error)
    ended = {"outcome": made.outcome, "error": made.error, **_spent(folder)}
    desk.ended(job.id, event("worker_ended", id=job.id, room=folder.name, **ended))
    return made


def _finished(folder: Path) -> bool:
    try:
        return read(folder).transcript.status == "finished"
    except DebateroomError:
        return False


def _process(desk: Desk, worker: str, words: Sequence[str], programs: Programs, until: float) -> str | None:
    """Runs a process for the room `worker`; what went wrong with it, or what it says went wrong, if anything."""
    seconds = max(0.0, until - clock.monotonic())
    safe = [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]
    try:
        with programs.scratch() as scratch, permits.answering(desk, scratch, worker):
            ran = programs.run(
                [sys.executable, *safe, "-m", "debateroom", *words],
                folder=scratch,
                where=desk.project,
                environment={**os.environ, "PYTHONIOENCODING": "utf-8", permits.DOOR: str(scratch)},
                seconds=seconds,
                most=_MOST,
            )
    except TimeoutError:
        return f"not done within {max(1, round(seconds))} s"
    except Exception as error:
        return f"{type(error).__name__} {error}".strip()
    return _complaint(ran)


def _complaint(ran: Ran) -> str | None:
    """Why the process ended as it did, in its own words; None when it says that all went well."""
    try:
        told = json.loads(ran.out.strip().rpartition("\n")[2])
        return one_line(str(told["error"]), 300) if told["error"] else None
    except (ValueError, LookupError, TypeError):
        return f"exit code {ran.code}" if ran.code else None


def _start(desk: Desk, folder: Path, job: Job) -> list[str]:
    plan = desk.plan
    words = ["work", "--brief", str(desk.room.folder / "brief.md"), "--agent", plan.task.worker_agent or job.model]
    words += [
        "--model",
        job.model,
        "--room",
        folder.name,
        "--active",
        str(folder.parent),
        "--language",
        plan.language,
    ]
    words += ["--max-turns", str(_TURNS), "--parent", plan.uuid, "--call-timeout", str(plan.call_timeout)]
    words += ["--budget", str(job.share)] if job.share is not None else []
    return [*words, "--json", "-q", "--", job.task]


def _resume(folder: Path) -> list[str]:
    return ["resume", "--json", "-q", "--", str(folder)]


def _result(folder: Path, error: str | None) -> Result:
    """What the worker's room says."""
    try:
        value, final = look(folder), read(folder).transcript.final_output or {}
    except DebateroomError as problem:
        return Result(folder, "broken", error=error or one_line(str(problem), 300))
    outcome = str(final.get("outcome") or "")
    if value["status"] != "finished" or outcome not in ("delivered", "partial", "refused"):
        return Result(folder, "broken", error=error or one_line(str(value["error"] or value["status"]), 300))
    why = one_line(str(final.get("error") or ""), 300) if outcome != "delivered" else ""
    return Result(folder, outcome, str(final.get("deliverable", "")), why or None)


def _spent(folder: Path) -> dict[str, Any]:
    try:
        told = read(folder).transcript
    except DebateroomError:
        return {}
    return {"usage": usage_json(told.usage), "cost": told.cost}


def choices(models: Sequence[str]) -> list[str]:
    """The models a coordinator may choose from, as it is told them."""
    return list(dict.fromkeys(models))
