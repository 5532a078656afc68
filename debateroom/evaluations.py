"""The activity that evaluates an agent: tasks × trials with a simulated customer, from a dataset to the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from debateroom import activities, settings
from debateroom.activities import Ended, Outcome
from debateroom.agents.agent import Agent, open_agent
from debateroom.dialogue.plan import absolute
from debateroom.errors import BudgetSpent, DeadlinePassed, UsageError
from debateroom.evaluation import journal, junit, results
from debateroom.evaluation import meta as customers
from debateroom.evaluation import plan as plans
from debateroom.evaluation.checks import Status
from debateroom.evaluation.customer_judge import CustomerJudge, OnJudged
from debateroom.evaluation.dataset import Dataset, read_dataset
from debateroom.evaluation.meta import Meta
from debateroom.evaluation.plan import Asked, Plan
from debateroom.evaluation.planting import plant
from debateroom.evaluation.playing import OpenAgent, Parts
from debateroom.evaluation.reference import do_nothing, reference_trial
from debateroom.evaluation.remote import RemoteTrials, Workers, collect
from debateroom.evaluation.running import Trials
from debateroom.evaluation.world import MakeWorld, find_world
from debateroom.language import say
from debateroom.messages import Seat
from debateroom.models.batch_log import BatchLog
from debateroom.models.batched import BatchedModels
from debateroom.models.courier import Courier
from debateroom.models.parcels import Tell
from debateroom.models.registry import Models, ModelSettings
from debateroom.room.room import OnEvent, Room, command, event, folder_of
from debateroom.settings import Settings

MakeAgent = Callable[[str], Agent]
"""Makes the agent of one trial, given its session."""
GATE_MISSED = 3
"""Exit code of an evaluation whose gate was not reached."""
_EXIT_CODES = {"budget": BudgetSpent.exit_code, "deadline": DeadlinePassed.exit_code}


@dataclass(frozen=True, slots=True)
class Cast:
    """A planned evaluation, and how its agent is opened for each trial."""

    plan: Plan
    agent: OpenAgent


def evaluate(
    dataset: str | Path,
    *,
    agent: str | MakeAgent,
    world: str = "",
    trials: int = 1,
    customer: str | None = None,
    judge: str | None = None,
    agent_model: str | None = None,
    start: str | None = None,
    gate: str = "",
    seed: int | None = None,
    junit: str = "",
    on_event: OnEvent | None = None,
    **given: Any,
) -> Outcome:
    """Tries every task of `dataset` on `agent` and returns what came of it; `given` are fields of `Settings`.

    `agent` is what `--agent` takes, or a function that makes the agent of one trial, given its session. The figures
    are the transcript's `final_output`; the exit code stands in `summary`: 0, 3 when the gate was missed, 1 when
    trials broke, 7 and 124 when budget or time ended it. Raises a DebateroomError when the run itself is broken.
    """
    chosen = settings.load(given)
    asked = Asked(
        agent=named(agent), agent_model=agent_model, start=start, world=world, folder=_folder(agent), trials=trials,
        customer=customer, judge=judge, gate=gate, seed=seed, junit=str(Path(junit).resolve()) if junit else "",
    )  # fmt: skip
    with activities.open_models(chosen) as models:
        return run(cast(read_dataset(str(dataset)), asked, chosen, models, agent), chosen, models, on_event=on_event)


def cast(
    dataset: Dataset,
    asked: Asked,
    chosen: Settings,
    models: Models,
    agent: str | MakeAgent,
    *,
    provider_batch: bool = False,
) -> Cast:
    """The plan of an evaluation, with everything that can be wrong before the first call looked at.

    With `provider_batch` its calls go into the providers' batches; `models` are then such as `open_models` opens.
    Raises UsageError, NoModel before there is a room.
    """
    opened = opens(agent, asked, models, chosen.call_timeout)("plan", None)
    try:
        seat, asks = Seat(opened.name, opened.name, "", opened.model), opened.asks
    finally:
        opened.close()
    plan = plans.make(dataset, asked, seat, chosen, models, asks=asks)
    if provider_batch:
        plan = plans.in_batches(plan, chosen, asks)
    baseline(plan, world_of(plan))
    return Cast(plan, opens(agent, asked, models, plan.agent_timeout))


def open_models(folder: Path, settings: ModelSettings, poll: float, tell: Tell | None) -> BatchedModels:
    """Models that are asked in the providers' batches, which are noted in the room in `folder`."""
    courier = Courier(BatchLog(folder), poll=poll, tell=tell)
    models = BatchedModels(settings, courier)
    models.keep(courier)
    return models


def run(
    cast: Cast,
    chosen: Settings,
    models: Models,
    *,
    on_event: OnEvent | None = None,
    workers: Workers | None = None,
) -> Outcome:
    """Plays a planned evaluation in its room, to the reports; its trials by `workers`, or else by threads here."""
    folder = room_of(chosen)

    def opened() -> Room:
        return Room.create(folder, cast.plan.opening_event(), on_event=on_event)

    return play(opened, cast.plan, models, agent=cast.agent, workers=workers)


def prepare(plan: Plan, chosen: Settings) -> Path:
    """Makes the room of a planned evaluation and leaves it to another process, which resumes it; its folder."""
    folder = room_of(chosen)
    Room.create(folder, plan.opening_event()).close(handed_over=True)
    return folder


def room_of(chosen: Settings) -> Path:
    """The folder of the room: the one that was named, else the default one of this kind."""
    return folder_of(chosen.active, chosen.room if "room" in chosen.model_fields_set else plans.ROOM)


def play(
    opened: Callable[[], Room],
    plan: Plan,
    models: Models,
    *,
    agent: OpenAgent | None = None,
    workers: Workers | None = None,
) -> Outcome:
    """Plays the trials that the journal of the room that `opened` opens does not hold yet. Also how it is resumed."""
    if plan.asked.junit:
        junit.check_place(plan.asked.junit)
    agent_of = agent or opens(plan.asked.agent, plan.asked, models, plan.agent_timeout)

    def act(room: Room, begun: float) -> Ended:
        until = begun + plan.timeout if plan.timeout is not None else None
        world = world_of(plan)
        idle, targets = baseline(plan, world)
        if workers:
            stopped = RemoteTrials(room, plan, workers, until).play()
        else:
            stopped = _in_threads(room, plan, models, agent_of, world, targets, until)
        final = results.collect(room.folder, plan, idle)
        room.write(event("synthesized", final_output=final))
        if plan.asked.junit:
            activities.write_reports(room)  # whatever becomes of that file, what was paid for has its reports
            missing = [(task, number) for task, number in final["figures"]["missing_trials"]]
            text = junit.to_junit(room.folder, plan.tasks, name=plan.problem, missing=missing)
            activities.write_text(Path(plan.asked.junit), text)
        return _ended(plan, room.folder, stopped, final)

    return activities.perform(opened, act, models)


def _in_threads(
    room: Room,
    plan: Plan,
    models: Models,
    agent: OpenAgent,
    world: MakeWorld | None,
    targets: Mapping[str, Any],
    until: float | None,
) -> str:
    """Plays the trials in this process, after what workers of an earlier run left; why it stopped, or empty."""
    collect(room, plan)
    activities.load(plan.asks, models)
    judge = models.open(plan.judge) if plan.judge else None
    courier = models.courier if isinstance(models, BatchedModels) else None
    parts = Parts(models.open(plan.model), judge, agent, world, targets, models.stop, courier)
    return Trials(room, plan, parts, until).play()


def regrade(folder: Path, tasks: Dataset | None = None) -> list[str]:
    """What the checks find in the stored trials other than when they ended; no model is asked, nothing is written.

    `tasks` are those of a dataset that was changed since; None are those that the room was opened with.
    """
    plan = plan_of(folder)
    return results.differences(folder, tasks.tasks if tasks else plan.tasks)


def unplayed(folder: Path) -> list[tuple[str, int]]:
    """Task and number of every planned trial that has not ended in the room in `folder`, or broke."""
    return results.unplayed(folder, plan_of(folder))


def plan_of(folder: Path) -> Plan:
    """The plan of the evaluation in `folder`. Raises UsageError when there is none."""
    from debateroom.room.room import JOURNAL, opening_event

    if not (folder / JOURNAL).is_file():
        raise UsageError(f"there is no room in {folder}", hint="start one: debateroom eval DATASET --agent AGENT")
    told = opening_event(folder)
    if told.get("kind") != plans.KIND:
        raise UsageError(f"the room in {folder} is no evaluation", hint="debateroom rooms")
    return plans.from_event(told)


def baseline(plan: Plan, world: MakeWorld | None) -> tuple[dict[str, Status], dict[str, Any]]:
    """The verdict on each task when nothing is done, and the state that its solution leads to, where it is needed.

    Raises UsageError when the world breaks, or the solution of a task cannot be played.
    """
    idle: dict[str, Status] = {}
    targets: dict[str, Any] = {}
    made = world(f"{plan.uuid}-reference") if world else None
    for task in plan.tasks:
        try:
            idle[task.id] = do_nothing(task, made)
            state = task.checks.db_state
            if made is not None and task.reference and state is not None and state.expected is None:
                targets[task.id] = reference_trial(task, made).final
        except UsageError as error:
            raise UsageError(f"task {task.id}: {error}", hint="debateroom eval --lint DATASET --world …") from error
    return idle, targets


def named(agent: str | MakeAgent) -> str:
    """The `--agent` value as the journal keeps it; empty for a function."""
    return absolute(agent, Path.cwd()) if isinstance(agent, str) else ""


def _folder(agent: str | MakeAgent) -> str:
    return plans.absolute(agent) if isinstance(agent, str) else str(Path.cwd())


def opens(agent: str | MakeAgent, asked: Asked, models: Models, call_timeout: float) -> OpenAgent:
    """How the agent of a trial is opened. Raises UsageError when it was given by a program that is not here."""
    if not isinstance(agent, str):
        return lambda session, seed: agent(session)
    if not agent:
        raise UsageError(say("en", "agent_by_python"), hint="start it again")

    def opened(session: str, seed: int | None) -> Agent:
        return open_agent(
            asked.agent or agent, models=models, model=asked.agent_model, start=asked.start, session=session,
            call_timeout=call_timeout, seed=seed,
        )  # fmt: skip

    return opened


def world_of(plan: Plan) -> MakeWorld | None:
    """How the world of a trial is made; None without one. Raises UsageError when there is none by that name."""
    return find_world(plan.asked.world, Path(plan.asked.folder)) if plan.asked.world else None


def _ended(plan: Plan, folder: Path, stopped: str, final: Mapping[str, Any]) -> Ended:
    """How the run ended: trials that broke before a gate, since they are played again; both after budget and time."""
    language = plan.language
    if stopped in _EXIT_CODES:
        done = final["figures"]["trials"]
        text = say(language, f"eval_{stopped}", done=done, count=len(plan.tasks) * plan.asked.trials)
        return Ended(stopped, _EXIT_CODES[stopped], text, say(language, "eval_more", option=_OPTION[stopped]))
    if final["replayed"]:
        text = say(language, "eval_broken", count=final["replayed"])
        return Ended("error", 1, text, command("resume", folder), status="failed")
    if final["figures"]["errors"]:  # of these the checks cannot be made: playing them again would change nothing
        text = say(language, "eval_unchecked", count=final["figures"]["errors"])
        return Ended("error", 1, text, command("eval regrade", folder, "--dataset FILE"))
    gate = final["gate"]
    if gate is not None and not gate["ok"]:
        value = "-" if gate["value"] is None else f"{gate['value']:.4g}"
        return Ended("gate", GATE_MISSED, say(language, "eval_missed", gate=gate["text"], value=value))
    return Ended("done", 0)


_OPTION = {"budget": "--budget", "deadline": "--timeout"}


def meta(
    folder: Path,
    chosen: Settings,
    *,
    judge: str | None,
    rules_only: bool,
    planted: int = 0,
    on_judged: OnJudged | None = None,
) -> Meta:
    """How well the customers in the room in `folder` were played: by rules, and by a judge unless `rules_only`.

    `planted` is how many faults are put into clean conversations, to see how many are found. The judge's answers are
    kept in the room: none is asked for twice. Raises UsageError when there is no judge, or it is the customer's own
    model; NoModel; RoomBusy while a run has the room.
    """
    plan = plan_of(folder)
    if rules_only:
        return _looked_at(folder, plan, None, planted)
    name = judge or plan.judge
    if not name:
        raise UsageError("there is no judge", hint="--judge MODEL, another than the customers', or --rules-only")
    with activities.open_models(chosen) as models:
        model = models.open(name)
        if model.name == plan.model:
            raise UsageError(f"--judge {model.name} is the customer's model, which would judge itself")
        activities.load([model.name], models)
        with Room.reopen(folder) as room:
            asked = CustomerJudge(
                room, plan, model,
                timeout=chosen.call_timeout, concurrency=chosen.concurrency, on_judged=on_judged,
            )  # fmt: skip
            try:
                found = _looked_at(folder, plan, asked, planted)
            finally:
                room.project()  # what it cost is the room's
            activities.write_reports(room)
            return replace(found, spent=asked.spent, asked=asked.asked)


def _looked_at(folder: Path, plan: Plan, judge: CustomerJudge | None, planted: int) -> Meta:
    tasks = {task.id: task for task in plan.tasks}
    ended = (trial for trial, _ in journal.finished(folder) if trial.task in tasks and trial.stop.cause != "error")
    found = customers.look([(tasks[trial.task], trial) for trial in ended], judge)
    if not planted:
        return found
    clean = [(each.task, each.trial) for each in found.played if not each.findings]
    return replace(found, recall=customers.recall(plant(clean, planted, seed=plan.seed), judge))
