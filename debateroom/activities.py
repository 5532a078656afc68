"""What debateroom does, one function an activity: the main path of each, from a question to the files on disk."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import clock, context, files, settings
from debateroom.debating import arena as arenas
from debateroom.debating import baseline, budget, deciding, forecast, host, judging, rounds, synthesis
from debateroom.debating import plan as plans
from debateroom.debating.asking import OnProgress
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.errors import (
    BudgetSpent,
    CallFailed,
    DeadlinePassed,
    DebateroomError,
    NoModel,
    RoomError,
    TooFewReplies,
)
from debateroom.interruption import Interrupted, behind, held
from debateroom.language import in_marks, say, spoken
from debateroom.messages import Transcript
from debateroom.models.registry import Models, ModelSettings
from debateroom.report import html, markdown
from debateroom.room import stopping
from debateroom.room.events import State, apply
from debateroom.room.played import played
from debateroom.room.room import BRIEF, PAGE, REPORT, OnEvent, Room, command, event, folder_of
from debateroom.room.summary import summarize
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
    with open_models(chosen) as models:
        plan = plans.make(question, chosen, gathered, models)
        return run(plan, chosen, models, on_event=on_event, on_progress=on_progress)


def arena(
    task: str,
    *,
    seats: Sequence[str],
    rounds: int = 0,
    on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
    **given: Any,
) -> Outcome:
    """Has the models named in `seats` do `task`, and a judge of another maker compare what they wrote.

    With `rounds` they debate first. `given` are fields of `Settings`, such as `judge="gpt"`; callbacks and errors are
    as with `debate`.
    """
    chosen = settings.load(given)
    gathered = context.collect(chosen.context, chosen.note)
    with open_models(chosen) as models:
        plan = arenas.make(task, seats, chosen, gathered, models, rounds=rounds)
        return run(plan, chosen, models, on_event=on_event, on_progress=on_progress)


def open_models(chosen: Settings) -> Models:
    """The models of one run, opened as they are asked for."""
    return Models(model_settings(chosen))


def model_settings(chosen: Settings) -> ModelSettings:
    """What of the settings says how models are reached."""
    return ModelSettings(
        anthropic_url=chosen.anthropic_base_url,
        openai_url=chosen.openai_base_url,
        concurrency=chosen.concurrency,
    )


@contextlib.contextmanager
def closed_after(models: Models) -> Iterator[None]:
    """Closes `models` at the end, but not after Ctrl-C: closing may wait for a call, and the process ends anyway."""
    try:
        yield
    except Exception:
        models.close()
        raise
    models.close()


def run(
    plan: Plan, chosen: Settings, models: Models, *, on_event: OnEvent | None, on_progress: OnProgress | None
) -> Outcome:
    """Plays a planned debate in its room: rounds, synthesis, reports.

    Raises BudgetSpent, before there is a room, when the budget does not hold one round.
    """
    budget.hold(plan)
    folder = _room_of(plan, chosen)

    def opened() -> Room:
        return Room.create(folder, opening(plan), on_event=on_event)

    return play(opened, plan, models, on_progress=on_progress)


def _room_of(plan: Plan, chosen: Settings) -> Path:
    """The folder of the room: the one that was named, else the default one of its kind."""
    named = plan.kind == plans.DEBATE or "room" in chosen.model_fields_set
    return folder_of(chosen.active, chosen.room if named else arenas.ROOM)


def opening(plan: Plan) -> Mapping[str, Any]:
    """The room's first event: the plan, and what it is expected to come to at most."""
    return {**plan.opening_event(), "forecast": forecast.usual(plan).figures()}


def prepare(plan: Plan, chosen: Settings, *, handed_over: bool = True) -> Path:
    """Makes the room of a planned debate and leaves it to another process, which resumes it; its folder.

    `handed_over`: to one that is about to be started on this machine. Raises BudgetSpent as `run`.
    """
    budget.hold(plan)
    folder = _room_of(plan, chosen)
    Room.create(folder, opening(plan)).close(handed_over=handed_over)
    return folder


def play(opened: Callable[[], Room], plan: Plan, models: Models, *, on_progress: OnProgress | None) -> Outcome:
    """Plays what the journal of the room that `opened` opens does not hold yet, to the reports.

    Also how a room is resumed. However it ends, the room says so, and is given back.
    """
    return perform(opened, lambda room, begun: _played(room, plan, models, begun, on_progress), models)


class Ended(NamedTuple):
    """How a run came to an end."""

    stopped: str
    exit_code: int
    error: str | None = None
    """Why that was not its own end, for people; None when it was."""
    hint: str | None = None
    """What to do then."""
    status: str = "finished"
    """`failed` where a resume goes on, although there is an end to report."""


Act = Callable[[Room, float], Ended]
"""Plays in an open room, from a moment of `clock.monotonic()` on."""


def perform(opened: Callable[[], Room], act: Act, models: Models) -> Outcome:
    """What every activity does around its own: the room is opened, played in, reported on and given back.

    However it ends, the room says so.
    """
    begun = clock.monotonic()
    room: Room | None = None
    try:
        with held():  # a signal waits until there is a room that can say that it was interrupted
            room = opened()
        ended = act(room, begun)
        finished = event("room_finished", **ended._asdict(), seconds=_since(begun))
        outcome = write_reports(room, apply(room.state, finished))  # before the room says that it is finished
        room.write(finished)
        return outcome  # noqa: TRY300 - the room is written to and given back either way
    except DebateroomError as error:
        if room:
            _record_failure(room, error, begun)
        raise
    except BaseException as error:
        stop = error if isinstance(error, KeyboardInterrupt) else behind(error)
        if stop is None:
            raise
        models.stop.set()
        if room:
            _record_interruption(room, stop, begun)
        raise stop from None
    finally:
        if room:
            room.close()


def _played(room: Room, plan: Plan, models: Models, begun: float, on_progress: OnProgress | None) -> Ended:
    load([*(seat.model for seat in plan.seats), *([plan.judging.model] if plan.judging else [])], models)
    until = begun + plan.timeout if plan.timeout is not None else None
    started = room.state.baseline_started
    ended = Ended(**started["ended"]) if started else _debated(room, plan, models, until, on_progress)
    if plan.baseline is not None:
        write_reports(room)  # whatever becomes of the baseline, the debate has its reports
        in_time = baseline.play(room, plan, models, ended=ended._asdict(), until=until)
        if not in_time and not ended.exit_code:
            late = say(plan.language, "baseline_late", seconds=in_marks(plan.language, f"{plan.timeout or 0:g}"))
            hint = say(plan.language, "baseline_late_hint")
            ended = ended._replace(stopped="deadline", exit_code=DeadlinePassed.exit_code, error=late, hint=hint)
    return ended


def _debated(room: Room, plan: Plan, models: Models, until: float | None, on_progress: OnProgress | None) -> Ended:
    """Plays the rounds that the journal does not hold yet, and concludes."""
    purse = Purse(plan, models.stop)
    stopped = rounds.play(room, plan, models, purse=purse, until=until, on_progress=on_progress)
    if room.transcript.final_output is None and plan.judging is not None:
        judging.hold(room, plan, plan.judging, models, purse=purse, until=until)
    if room.transcript.final_output is None and plan.synthesis == plans.HOST:
        return _left_to_host(room, plan, stopped)
    if room.transcript.final_output is None and plan.kind == plans.ARENA:
        arenas.conclude(room, plan)
    elif room.transcript.final_output is None:
        synthesis.conclude(room, plan, models, purse=purse, until=until)
    decision = (room.transcript.final_output or {}).get("decision") or {}
    if decision.get("undecided_because") in _EXIT_CODES:
        stopped = decision["undecided_because"]
        return Ended(stopped, _EXIT_CODES[stopped], *_halted(plan, stopped))
    if purse.refused and (stopped == "rounds" or _is_extract(room, plan)):
        return Ended("budget", _EXIT_CODES["budget"], *_refused(plan))
    if until is not None and clock.monotonic() >= until and _is_extract(room, plan):
        stopped = "deadline"
    code = _EXIT_CODES.get(stopped) or deciding.exit_code(room.transcript.final_output)
    return Ended(stopped, code, *_cut_short(room, plan, stopped))


def _left_to_host(room: Room, plan: Plan, stopped: str) -> Ended:
    """The end of a run that leaves the synthesis to its caller, with a brief of what that one needs."""
    room.write_file(BRIEF, host.brief(room.folder, room.state, plan))
    why = _cut_short(room, plan, stopped)[:1]
    hint = host.hint(room.folder, plan.language)
    return Ended(stopped, _EXIT_CODES.get(stopped, 0), why[0] if why else None, hint, status=host.WAITING)


def load(names: Collection[str], models: Models) -> None:
    """Loads what is loaded late, on the main thread, before the first round: the embedded model."""
    for name in sorted(set(names)):
        start = getattr(models.open(name), "start", None)
        if start is not None:
            start()


_EXIT_CODES = {"budget": BudgetSpent.exit_code, "deadline": DeadlinePassed.exit_code}
"""Of runs that came to an end, but not to their own."""


def _refused(plan: Plan) -> tuple[str, str]:
    """What is said of a run that played all its rounds without a call that the budget did not hold any more."""
    budget = in_marks(plan.language, f"{plan.budget or 0:g}")
    return say(plan.language, "stopped_refused", budget=budget), say(plan.language, "budget_hint")


def _is_extract(room: Room, plan: Plan) -> bool:
    """Whether the moderator was to conclude and did not."""
    final = room.transcript.final_output or {}
    return plan.moderator != plans.NO_MODERATOR and final.get("synthesized_by") == "extract"


def _cut_short(room: Room, plan: Plan, stopped: str) -> tuple[str, ...]:
    """Why a run that came to an end, but not to its own, stopped, and what to do for more; else nothing.

    A room that has its verdict is finished: no resume goes on with it.
    """
    if stopped not in _EXIT_CODES:
        return ()
    figures = {
        "played": len(played(room.transcript)), "rounds": plan.rounds,
        "seconds": in_marks(plan.language, f"{plan.timeout or 0:g}"),
        "budget": in_marks(plan.language, f"{plan.budget or 0:g}"), "tokens": budget.least(plan),
    }  # fmt: skip
    why, option = _CUT_SHORT[stopped]
    if stopped == "budget" and room.transcript.cost is None:
        why = "stopped_unpriced"
    return say(plan.language, why, **figures), say(plan.language, "stopped_hint", option=option)


def _halted(plan: Plan, stopped: str) -> tuple[str, str]:
    """Why not all judgements were made, and what to do for a verdict."""
    language = plan.language
    budget, seconds = (in_marks(language, f"{value or 0:g}") for value in (plan.budget, plan.timeout))
    why = say(language, f"judged_{stopped}", budget=budget, seconds=seconds)
    return why, say(language, "judged_hint", option=_CUT_SHORT[stopped][1])


_CUT_SHORT = {"deadline": ("stopped_deadline", "--timeout"), "budget": ("stopped_budget", "--budget")}
"""What is said of such a run, and the option that lets another one go further."""


def _since(begun: float) -> float:
    return round(clock.monotonic() - begun, 3)


def _record_failure(room: Room, error: DebateroomError, begun: float) -> None:
    """Leaves `failed` and why in the journal, so that the room can be resumed; the error itself goes on."""
    spoken(error, room.transcript.language).room = room.folder.resolve()
    again = command("resume", room.folder)
    if isinstance(error, RoomError):
        error.hint = f"check the space and the permissions of {error.room}, then: {again}"
    elif isinstance(error, NoModel | CallFailed):  # what was paid for is kept: the mended key goes on from there
        error.hint = say(error.language, "hint_then", hint=error.hint, command=again) if error.hint else again
    error.hint = error.hint or again
    stopped = "quorum" if isinstance(error, TooFewReplies) else "error"
    ended = {"exit_code": error.exit_code, "error": str(error), "hint": error.hint}
    with contextlib.suppress(RoomError):  # on a full disk the journal may take this too, or not
        room.write(event("room_finished", status="failed", stopped=stopped, seconds=_since(begun), **ended))


def _record_interruption(room: Room, stop: BaseException, begun: float) -> None:
    """Leaves `interrupted` in the journal, unless the room had just finished."""
    if isinstance(stop, Interrupted):
        stop.room = room.folder
    if room.transcript.status == "finished":
        return
    code = stop.exit_code if isinstance(stop, Interrupted) else 130
    with contextlib.suppress(RoomError):  # on a full disk the room stays as it is, and the process still goes
        room.write(stopping.interrupted(room.folder, code, seconds=_since(begun)))


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
