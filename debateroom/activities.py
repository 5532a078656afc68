"""What debateroom does, one function an activity: the main path of each, from a question to the files on disk."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from debateroom import clock, context, files, settings
from debateroom.debating import forecast, rounds, synthesis
from debateroom.debating import plan as plans
from debateroom.debating.asking import OnProgress
from debateroom.debating.plan import Plan
from debateroom.errors import BudgetSpent, DeadlinePassed, DebateroomError, RoomError, TooFewReplies, UsageError
from debateroom.interruption import Interrupted
from debateroom.messages import Entry, Transcript
from debateroom.models.registry import Models, ModelSettings
from debateroom.report import html, markdown
from debateroom.room import room as room_files
from debateroom.room.events import State, apply
from debateroom.room.room import PAGE, REPORT, OnEvent, Room, event, folder_of
from debateroom.room.summary import summarize
from debateroom.room.transcript import read_chat
from debateroom.settings import Settings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an activity left behind."""

    transcript: Transcript
    folder: Path
    """The room."""
    report: Path
    """Absolute path of `chatroom_report.md`."""
    page: Path
    """Absolute path of `chatroom_report.html`."""
    chat: Path
    """Absolute path of `chat.json`."""
    summary: Mapping[str, Any]
    """The small object that `--json` prints."""


def debate(
    question: str,
    *,
    on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
    **given: Any,
) -> Outcome:
    """Debates `question` and returns what came of it; `given` are fields of `Settings`, such as `agents=5`.

    `on_event` gets each journal event, on the calling thread. Raises a DebateroomError: see `errors` for the tree.
    Everything answered before an error is in the room.
    """
    chosen = settings.load(given)
    gathered = context.collect(chosen.context, chosen.note)
    with open_models(chosen.concurrency) as models:
        plan = plans.make(question, chosen, gathered, models)
        return run(plan, chosen, models, on_event=on_event, on_progress=on_progress)


def open_models(concurrency: int) -> Models:
    """The models of one run, opened as they are asked for; at most `concurrency` calls at once per provider."""
    return Models(ModelSettings(concurrency=concurrency))


def run(
    plan: Plan, chosen: Settings, models: Models, *, on_event: OnEvent | None, on_progress: OnProgress | None
) -> Outcome:
    """Plays a planned debate in its room: rounds, synthesis, reports.

    Raises BudgetSpent, before there is a room, when the budget does not hold one round.
    """
    forecast.hold_budget(plan)
    folder = folder_of(chosen.active, chosen.room)
    with Room.create(folder, opening(plan), on_event=on_event) as room:
        return play(room, plan, models, on_progress=on_progress)


def opening(plan: Plan) -> Mapping[str, Any]:
    """The room's first event: the plan, and what it is expected to come to at most."""
    expected = forecast.worst(plan)
    worst = {"calls": expected.calls, "input": expected.usage.input, "cost": expected.cost}
    return {**plan.opening_event(), "forecast": worst}


def prepare(plan: Plan, chosen: Settings) -> Path:
    """Makes the room of a planned debate and leaves it to another process, which resumes it; its folder.

    Raises BudgetSpent as `run`.
    """
    forecast.hold_budget(plan)
    folder = folder_of(chosen.active, chosen.room)
    Room.create(folder, opening(plan)).close()
    return folder


def play(room: Room, plan: Plan, models: Models, *, on_progress: OnProgress | None) -> Outcome:
    """Plays what the room's journal does not hold yet, to the reports. Also how a room is resumed."""
    begun = clock.monotonic()
    _load(plan, models)
    until = begun + plan.timeout if plan.timeout is not None else None
    try:
        stopped = rounds.play(room, plan, models, until=until, on_progress=on_progress)
        if room.transcript.final_output is None:
            synthesis.conclude(room, plan, models, until=until)
        if until is not None and clock.monotonic() >= until and _is_extract(room, plan):
            stopped = "deadline"
    except DebateroomError as error:
        _record_failure(room, error, begun)
        raise
    except (Interrupted, KeyboardInterrupt) as stop:
        models.stop.set()
        if isinstance(stop, Interrupted):
            stop.room = room.folder
        code = stop.exit_code if isinstance(stop, Interrupted) else 130
        ended = {"exit_code": code, "error": "interrupted", "hint": room_files.resume_command(room.folder)}
        with contextlib.suppress(RoomError):  # on a full disk the room stays as it is, and the process still goes
            room.write(event("room_interrupted", status="interrupted", seconds=_since(begun), **ended))
        raise
    code = _EXIT_CODES.get(stopped, 0)
    finished = event("room_finished", status="finished", stopped=stopped, exit_code=code, seconds=_since(begun))
    outcome = write_reports(room, apply(room.state, finished))  # before the room says that it is finished
    room.write(finished)
    return outcome


def _load(plan: Plan, models: Models) -> None:
    """Loads what is loaded late, on the main thread, before the first round: the embedded model."""
    for name in sorted({seat.model for seat in plan.seats}):
        start = getattr(models.open(name), "start", None)
        if start is not None:
            start()


_EXIT_CODES = {"budget": BudgetSpent.exit_code, "deadline": DeadlinePassed.exit_code}
"""Of runs that came to an end, but not to their own."""


def _is_extract(room: Room, plan: Plan) -> bool:
    """Whether the moderator was to conclude and did not."""
    final = room.transcript.final_output or {}
    return plan.moderator != plans.NO_MODERATOR and final.get("synthesized_by") == "extract"


def _since(begun: float) -> float:
    return round(clock.monotonic() - begun, 3)


def _record_failure(room: Room, error: DebateroomError, begun: float) -> None:
    """Leaves `failed` and why in the journal, so that the room can be resumed; the error itself goes on."""
    error.room = room.folder.resolve()
    if isinstance(error, RoomError):
        again = room_files.resume_command(room.folder)
        error.hint = f"check the space and the permissions of {room.folder}, then: {again}"
        return
    error.hint = error.hint or room_files.resume_command(room.folder)
    stopped = "quorum" if isinstance(error, TooFewReplies) else "error"
    ended = {"exit_code": error.exit_code, "error": str(error), "hint": error.hint}
    room.write(event("room_finished", status="failed", stopped=stopped, seconds=_since(begun), **ended))


def resume(
    folder: Path,
    on_event: OnEvent | None,
    on_progress: OnProgress | None,
    expected: Mapping[str, Any] | None = None,
) -> Outcome:
    """Goes on with the room in `folder` from its journal. A finished room only gets its reports written again.

    Raises UsageError when a field of the plan is not what the caller `expected` of it.
    """
    finished = is_finished(folder)
    if finished and not any(expected or {}):
        return render_again(folder)
    opening = room_files.opening_event(folder)
    plan = plans.from_event(opening)
    _compare(plan, expected or {})
    if finished:
        return render_again(folder)
    models = open_models(plan.concurrency)
    try:
        for name in {*(seat.model for seat in plan.seats), plan.moderator} - {plans.NO_MODERATOR}:
            models.open(name)
        with Room.reopen(folder, on_event=on_event) as room:
            if on_event:
                on_event(opening)
            room.write(event("room_resumed"))
            outcome = play(room, plan, models, on_progress=on_progress)
    except DebateroomError:  # not after Ctrl-C: closing may wait for a call
        models.close()
        raise
    models.close()
    return outcome


def _compare(plan: Plan, expected: Mapping[str, Any]) -> None:
    """Raises UsageError that names the difference between the room and what was asked of it."""
    for name, wanted in expected.items():
        there = len(plan.seats) if name == "agents" else getattr(plan, name)
        if wanted is not None and wanted != there:
            raise UsageError(
                f"this room was started with {name} {there}, not {wanted}; a resumed room keeps its settings",
                hint="leave the option out, or start a new debate",
            )


def adopt(chat: Path, chosen: Settings) -> Path:
    """Gives a `chat.json` without a journal one, so that it can be resumed in its folder; that folder.

    Replies and failures are kept as they are; a round in which a seat has neither counts as unfinished. Raises
    UsageError when the file is missing, cannot be read or holds no debate that can go on.
    """
    try:
        transcript = read_chat(chat)
    except RoomError as error:  # what the caller named is at fault, not a room of ours
        raise UsageError(str(error), hint="name another file, or start a new debate") from error
    folder = chat.parent if chat.name == room_files.CHAT else chat.parent / chat.stem
    if (folder / room_files.JOURNAL).exists() and room_files.is_opened(folder):
        raise UsageError(
            f"{folder} has a journal: resume the room, not its chat.json", hint=room_files.resume_command(folder)
        )
    with open_models(chosen.concurrency) as models:
        plan = plans.from_transcript(transcript, chosen, models)
    events: list[dict[str, Any]] = []
    for item in transcript.rounds:
        events += [_kept(item.round, entry) for entry in item.entries]
        events += [event("seat_failed", round=item.round, **asdict(failure)) for failure in item.failures]
        heard_of = {entry.agent for entry in item.entries} | {failure.agent for failure in item.failures}
        if heard_of >= {seat.name for seat in plan.seats}:
            events.append(event("round_finished", round=item.round))
    original = chat.read_bytes()
    with Room.create(folder, opening(plan)) as room:
        files.replace(folder / "chat.original.json", original)  # it may hold what we do not know
        room.write(*events)
        if transcript.final_output is not None:
            final = event("synthesized", final_output=transcript.final_output)
            room.write(final, event("room_finished", status="finished", stopped=transcript.stopped, exit_code=0))
    return folder


def _kept(number: int, entry: Entry) -> dict[str, Any]:
    """The event of a reply that was there before."""
    return event("reply", round=number, repairs=[], **{**asdict(entry), "usage": None})


def is_finished(folder: Path) -> bool:
    """Whether the room in `folder` has come to its end. Raises UsageError when there is no room."""
    return room_files.read(folder).transcript.status == "finished"


def render_again(folder: Path) -> Outcome:
    """Both reports of the room in `folder`, written anew from its journal.

    When lines of a journal cannot be read, the transcript that was written from the whole one is better, and kept.
    """
    room_files.read(folder)
    with Room.reopen(folder, note_damage=False) as room:
        if room.damaged and room.chat_path.exists():
            kept = replace(room.state, transcript=read_chat(room.chat_path))
            return write_reports(room, kept)
        room.project()
        return write_reports(room)


def write_text(path: Path, text: str) -> Path:
    """Puts `text` at `path`, whole or not at all; its absolute path."""
    files.replace(path, files.whole_characters(text).encode())
    return path.resolve()


def write_reports(room: Room, state: State | None = None) -> Outcome:
    """Writes both reports, from the room's state or the one that is about to be."""
    state = state or room.state
    transcript = state.transcript
    report = room.write_file(REPORT, markdown.render(transcript))
    page = room.write_file(PAGE, html.render(transcript))
    summary = summarize(room.folder, state)
    return Outcome(transcript, room.folder.resolve(), report, page, room.chat_path, summary)
