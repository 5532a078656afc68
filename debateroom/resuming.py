"""Going on with what is on disk: an unfinished room, a `chat.json` without a journal, a room whose run is gone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from debateroom import activities, coordinating, dialogues, evaluations, files
from debateroom.activities import Outcome, opening, write_reports
from debateroom.debating import forecast, history
from debateroom.debating import plan as plans
from debateroom.debating.asking import OnProgress
from debateroom.debating.plan import Plan
from debateroom.dialogue import broken
from debateroom.dialogue import plan as dialogue_plans
from debateroom.errors import DebateroomError, RoomError, UsageError
from debateroom.evaluation import journal as trials
from debateroom.evaluation import plan as evaluation_plans
from debateroom.evaluation.remote import Workers
from debateroom.language import spoken
from debateroom.models import reach
from debateroom.models.parcels import Tell
from debateroom.models.registry import Models, ModelSettings, OnWait
from debateroom.playbooks import plan as playbook_plans
from debateroom.playbooks.desk import Ask
from debateroom.room import room as room_files
from debateroom.room.events import Event
from debateroom.room.room import OnEvent, Room, command, event
from debateroom.room.transcript import read_chat
from debateroom.settings import Settings

Lend = Callable[[ModelSettings, Collection[str]], contextlib.AbstractContextManager[Models]]
"""Lends models that are reached as the settings say, among them those that are named."""


def resume(
    folder: Path,
    chosen: Settings,
    *,
    on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
    on_wait: OnWait | None = None,
    on_batch: Tell | None = None,
    workers: Workers | None = None,
    expected: Mapping[str, Any] | None = None,
    ask: Ask | None = None,
    lend: Lend | None = None,
) -> Outcome:
    """Goes on with the room in `folder` from its journal. A finished room only gets its reports written again.

    Of `chosen` only logins of addresses are used: the rest is as the room was started. Raises UsageError when a field
    of the plan is not what the caller `expected` of it. `ask` permits a coordinator's tools. `lend` has models that
    several rooms share; without it the room has its own.
    """
    finished = is_finished(folder)
    if not finished or any((expected or {}).values()):
        plan, told = _as_started(folder, expected or {})
    if finished:
        return render_again(folder)
    with _models_of(plan, folder, chosen, lend, on_batch) as models:
        if lend is None:
            models.on_wait = on_wait

        def opened() -> Room:
            with contextlib.ExitStack() as failing:
                room = failing.enter_context(Room.reopen(folder, on_event=on_event))
                if on_event:
                    on_event({key: value for key, value in told.items() if key != "forecast"})  # that was then
                if isinstance(plan, Plan):
                    _recover(room, plan)
                room.note_damage()
                room.write(_resumed(plan, room, chosen))
                failing.pop_all()
            return room

        if isinstance(plan, evaluation_plans.Plan):
            return evaluations.play(opened, plan, models, workers=workers)
        if isinstance(plan, dialogue_plans.Plan):
            return dialogues.play(opened, plan, models, on_progress=on_progress)
        if isinstance(plan, playbook_plans.Plan):
            return coordinating.resume(folder, plan, opened, models, ask=ask, on_progress=on_progress)
        return activities.play(opened, plan, models, on_progress=on_progress)


def _recover(room: Room, plan: Plan) -> None:
    """Takes answers whose lines are damaged from a transcript of the same run that still holds them."""
    if not room.damaged:
        return
    for path in (room.chat_path, room.folder / room_files.ORIGINAL):
        with contextlib.suppress(UsageError, RoomError):
            transcript = read_chat(path)
            if transcript.uuid == room.transcript.uuid:
                room.write(*history.missing(transcript, room.state, plan))


AnyPlan = Plan | dialogue_plans.Plan | evaluation_plans.Plan | playbook_plans.Plan


def prepare(folder: Path, chosen: Settings, expected: Mapping[str, Any] | None = None) -> AnyPlan:
    """Leaves the unfinished room in `folder` to another process, which resumes it; its plan.

    Raises what `resume` would raise before its first call.
    """
    plan, _ = _as_started(folder, expected or {})
    with _models_of(plan, folder, chosen), Room.reopen(folder) as room:
        room.write(_resumed(plan, room, chosen))
        room.close(handed_over=True)
    return plan


def _as_started(folder: Path, expected: Mapping[str, Any]) -> tuple[AnyPlan, Event]:
    """The plan that the room was started with, and the event that says so."""
    told = room_files.opening_event(folder)
    plan = _plan(told)
    _compare(plan, expected)
    return plan, told


def _plan(told: Event) -> AnyPlan:
    if told.get("kind") in dialogue_plans.KINDS:
        return dialogue_plans.from_event(told)
    if told.get("kind") == evaluation_plans.KIND:
        return evaluation_plans.from_event(told)
    if told.get("kind") == playbook_plans.KIND:
        plan = playbook_plans.from_event(told)
        coordinating.check_resumable(plan)
        return plan
    return plans.from_event(told)


def _resumed(plan: AnyPlan, room: Room, chosen: Settings) -> dict[str, Any]:
    """The event of a room that goes on: what is still to come at most, and which addresses are not those of here."""
    elsewhere = reach.elsewhere(plan.reach, activities.model_settings(chosen))
    known: dict[str, Any] = {"finished": len(room.state.finished_rounds), "elsewhere": elsewhere}
    if isinstance(plan, evaluation_plans.Plan):
        known["finished"] = sum(each.over for each in trials.attempts(trials.events(room.folder)).values())
    if isinstance(plan, Plan):  # what an agent will cost cannot be told before
        known["forecast"] = forecast.remaining(plan, room.state).figures()
    return event("room_resumed", **known)


@contextlib.contextmanager
def _models_of(
    plan: AnyPlan, folder: Path, chosen: Settings, lend: Lend | None = None, on_batch: Tell | None = None
) -> Iterator[Models]:
    """The models of the room, reached as when it was started; opened now, so that a missing key is told at once."""
    try:
        settings = reach.again(plan.reach, activities.model_settings(chosen))
    except UsageError as error:
        error.room = folder.resolve()
        error.hint = f"{error.hint} {command('resume', folder)}" if error.hint else None
        raise
    settings = replace(settings, concurrency=plan.concurrency)
    if isinstance(plan, Plan) and plan.provider_batch and lend is None:
        what = "this debate is one of a batch whose calls go into batches of its provider"
        raise UsageError(what, hint="give the command of the batch again: debateroom batch … --provider-batch")
    if lend:
        opened = lend(settings, _names(plan))
    elif isinstance(plan, evaluation_plans.Plan) and plan.provider_batch:
        opened = _closed_after(evaluations.open_models(folder, settings, plan.poll, on_batch))
    else:
        opened = _closed_after(Models(settings))
    with opened as models:
        for name in _names(plan):
            models.open(name)
        yield models


@contextlib.contextmanager
def _closed_after(models: Models) -> Iterator[Models]:
    with activities.closed_after(models):
        yield models


def _names(plan: AnyPlan) -> set[str]:
    """The models that the room asks by itself."""
    if isinstance(plan, evaluation_plans.Plan):
        return set(plan.asks)
    if not isinstance(plan, Plan):
        return {plan.model}
    judges = [plan.judging.model] if plan.judging else []
    return {*(seat.model for seat in plan.seats), plan.moderator, *judges} - {plans.NO_MODERATOR}


def _compare(plan: AnyPlan, expected: Mapping[str, Any]) -> None:
    """Raises UsageError that names every difference between the room and what was asked of it."""
    found = []
    for name, wanted in expected.items():
        there = len(plan.seats) if name == "agents" else getattr(plan, name, None)
        if wanted is not None and wanted != there:
            found.append(f"{name} {there}, not {wanted}")
    if found:
        raise UsageError(
            f"this room was started with {'; '.join(found)}; a resumed room keeps its settings",
            hint=f"leave the option{'s' if len(found) > 1 else ''} out, or start a new debate",
        )


def adopt(
    chat: Path,
    chosen: Settings,
    *,
    model: str | None = None,
    rounds: int | None = None,
    expected: Mapping[str, Any] | None = None,
) -> Path:
    """Gives a `chat.json` without a journal one, so that it can be resumed in its folder; that folder.

    `model` is the one that the caller wants on every seat; without it each keeps its own. `rounds` is how many the
    caller wants at most; without it as many as the file was to have. What is kept of the file is said in `history`.
    Raises UsageError when it is missing, cannot be read, holds no debate that can go on or is not as `expected`.
    """
    try:
        transcript = read_chat(chat, strict=True)
    except (UsageError, RoomError) as error:  # what the caller named is at fault, not a room of ours
        raise UsageError(str(error), hint="name another file, or start a new debate") from error
    folder = chat.parent if chat.name == room_files.CHAT else chat.parent / chat.stem
    if (folder / room_files.JOURNAL).exists() and room_files.is_opened(folder):
        raise UsageError(
            f"{folder} has a journal: resume the room, not its chat.json", hint=command("resume", folder)
        )
    with activities.open_models(chosen) as models:
        try:
            plan = plans.from_transcript(transcript, chosen, models, model=model, rounds=rounds)
        except DebateroomError as error:
            raise spoken(error, transcript.language) from error.__cause__
    _compare(plan, {**(expected or {}), "rounds": rounds})
    original = chat.read_bytes()
    with Room.create(folder, opening(plan)) as room:
        files.replace(folder / room_files.ORIGINAL, original)  # it may hold what we do not know
        room.write(*history.events(transcript, plan))
    return folder


def is_finished(folder: Path) -> bool:
    """Whether the room in `folder` has come to its end.

    Raises UsageError when there is no room, or when its journal does not say how it was opened.
    """
    state = room_files.read(folder)
    if not state.transcript.agents:
        room_files.opening_event(folder)
    return state.transcript.status == "finished"


def is_dialogue(folder: Path) -> bool:
    """Whether two parties talk in turns in the room in `folder`. Raises UsageError when there is no room."""
    return kind_of(folder) in dialogue_plans.KINDS


def kind_of(folder: Path) -> str:
    """What the room in `folder` is: `debate`, `simulation`, `work`, `playbook`. Raises UsageError without a room."""
    return room_files.read(folder).transcript.kind


def is_evaluation(folder: Path) -> bool:
    """Whether an agent is evaluated in the room in `folder`. Raises UsageError when there is no room."""
    return room_files.read(folder).transcript.kind == evaluation_plans.KIND


def render_again(folder: Path) -> Outcome:
    """Both reports of the room in `folder`, written anew from its journal.

    When lines of a journal cannot be read, or its first is gone, the transcript that was written from the whole one
    is better, and kept.
    """
    room_files.read(folder)
    with Room.reopen(folder) as room:
        if (room.damaged or not room.transcript.agents) and room.chat_path.exists():
            whole = read_chat(room.chat_path)
            kept = replace(room.state, transcript=replace(whole, notes=(*room.transcript.notes, *whole.notes)))
            return write_reports(room, kept)
        room.project()
        state = broken.unanswered(room.state) if room.transcript.kind in dialogue_plans.KINDS else None
        return write_reports(room, state)
