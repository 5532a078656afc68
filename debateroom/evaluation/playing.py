"""What playing a trial takes, wherever it is played: which are still to be played, its stage, and its end."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import clock
from debateroom.agents.agent import Agent
from debateroom.evaluation import conversation, journal
from debateroom.evaluation.checks import grade, verdict
from debateroom.evaluation.journal import Attempt, Key
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.stage import Stage, Tell
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial
from debateroom.evaluation.world import MakeWorld
from debateroom.language import detect_language
from debateroom.messages import Model
from debateroom.models.courier import Courier

OpenAgent = Callable[[str, int | None], Agent]
"""Opens the agent for one trial, given its session and seed. Called on the main thread."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What trials are played with."""

    customer: Model
    judge: Model | None
    agent: OpenAgent
    world: MakeWorld | None
    targets: Mapping[str, Any]
    """Task → the state that its reference solution leads to, where that is needed."""
    stop: threading.Event
    """Set when nothing more may be asked."""
    courier: Courier | None = None
    """Waits for all trials before it takes their calls to the providers' batches; None: each is made at once."""


class Waiting(NamedTuple):
    """A trial that is still to be played, or to be played on."""

    position: int
    """Among all trials; its seed follows from it, and its session."""
    task: Task
    number: int
    attempt: Attempt

    @property
    def key(self) -> Key:
        """Which trial it is."""
        return Key(self.task.id, self.number)


def at(plan: Plan, position: int, attempt: Attempt) -> Waiting:
    """The trial at a position among all of the plan."""
    index, number = divmod(position, plan.asked.trials)
    return Waiting(position, plan.tasks[index], number + 1, attempt)


def to_play(folder: Path, plan: Plan) -> deque[Waiting]:
    """The trials that have not ended, the first of every task before the second of any."""
    known, trials = journal.attempts(journal.events(folder)), plan.asked.trials
    all_ = (
        at(plan, index * trials + number, known.get(Key(task.id, number + 1)) or Attempt())
        for number in range(trials)
        for index, task in enumerate(plan.tasks)
    )
    return deque(each for each in all_ if not each.attempt.over)


def set_stage(
    plan: Plan, parts: Parts, waiting: Waiting, *, tell: Tell, may_call: Callable[[], None], until: float | None
) -> Stage:
    """The stage of a trial, its agent opened; a trial that begins is told. Raises UsageError, NoModel."""
    session, seed = f"{plan.uuid}-{waiting.position}", plan.seed + waiting.position
    stage = Stage(
        plan=plan,
        task=waiting.task,
        key=waiting.key,
        attempt=max(1, waiting.attempt.number),
        seed=seed,
        session=session,
        language=detect_language(f"{waiting.task.instruction} {waiting.task.known_info}"),
        customer=parts.customer,
        agent=parts.agent(session, seed),
        judge=parts.judge,
        world=parts.world(session) if parts.world else None,
        target=parts.targets.get(waiting.task.id),
        tell=tell,
        may_call=may_call,
        until=until,
        tape=waiting.attempt.tape,
    )
    if not waiting.attempt.tape:
        stage.tell(stage.event("trial_started", seed=seed))
    return stage


def play(stage: Stage) -> None:
    """Plays a trial to its end, which is told. Raises Over and NoModel: no more trials."""
    began = clock.monotonic()
    trial = conversation.play(stage)
    seconds = round(clock.monotonic() - began, 3)
    stage.tell(stage.event("trial_finished", **ended(stage.task, trial), seconds=seconds))


def ended(task: Task, trial: Trial) -> dict[str, Any]:
    """What the journal says of a trial that ended: the trial itself, and what its checks come to."""
    checks = grade(task, trial)
    told = {check.name: check.status for check in checks}
    return {"result": trial.model_dump(mode="json"), "status": verdict(checks), "checks": told}
