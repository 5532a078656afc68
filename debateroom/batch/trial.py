"""One trial of an evaluation as a task on a worker: played in its folder; a few figures come back.

What has been paid for is in the trial's file, so a task that is run again pays nothing twice.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import activities, clock, evaluations, settings
from debateroom.batch.lending import Lending
from debateroom.batch.task import lending_of
from debateroom.errors import DebateroomError, NoModel
from debateroom.evaluation import journal, playing
from debateroom.evaluation.journal import Attempt
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.playing import Parts
from debateroom.evaluation.remote import Booth, Task, place
from debateroom.evaluation.stage import Over
from debateroom.evaluation.world import MakeWorld
from debateroom.models import reach
from debateroom.models.quote import without_keys

_PATIENCE = 600.0
"""Seconds for which a trial is waited for that another worker, thought to be lost, still plays."""


class _Scene(NamedTuple):
    """What all trials of a run have in common on this worker."""

    plan: Plan
    world: MakeWorld | None
    targets: Mapping[str, Any]


def play_here(told: tuple[Any, ...], concurrency: int) -> dict[str, Any]:
    """Plays the trial that `told` (a `Task`) means, with the keys and addresses of this worker's environment.

    `concurrency` is this process's part of the calls at once. Raises only a fault of ours.
    """
    task = Task(*told)
    booth = Booth(place(Path(task.folder), task.uuid), task.position)
    try:
        with booth.held(_PATIENCE):
            stopped = _play(task, booth, lending_of(concurrency))
            return _came(booth, stopped=stopped)
    except NoModel as error:
        return _came(booth, error=str(error), no_model=True)
    except DebateroomError as error:
        return _came(booth, error=str(error))


def _came(booth: Booth, *, stopped: str = "", error: str = "", no_model: bool = False) -> dict[str, Any]:
    return {"lines": len(booth.events()), "stopped": stopped, "error": error, "no_model": no_model}


def _play(task: Task, booth: Booth, lending: Lending) -> str:
    """Plays a trial from where its file has it; why it was stopped, empty when it has its end."""
    scene = _scene(task.folder, task.uuid)
    told = booth.events()
    waiting = playing.at(scene.plan, task.position, Attempt())
    waiting = waiting._replace(attempt=journal.attempts(told).get(waiting.key) or Attempt())
    if waiting.attempt.over:
        return ""
    until = None if task.seconds is None else clock.monotonic() + task.seconds
    chosen = activities.model_settings(settings.load({}))
    with lending.lend(reach.again(scene.plan.reach, chosen), scene.plan.asks) as models:
        judge = models.open(scene.plan.judge) if scene.plan.judge else None
        opens = evaluations.opens(scene.plan.asked.agent, scene.plan.asked, models, scene.plan.agent_timeout)
        activities.load(scene.plan.asks, models)
        customer = models.open(scene.plan.model)
        parts = Parts(customer, judge, opens, scene.world, scene.targets, models.stop)
        log = booth.log()
        spent: list[float | None] = []

        def tell(event: Mapping[str, Any]) -> None:
            event = without_keys(event)
            log.append([event])
            if event.get("usage"):
                spent.append(event.get("cost"))

        def may_call() -> None:
            if booth.stopped():
                raise Over("stopped")
            if task.budget is not None and (None in spent or sum(map(float, filter(None, spent))) >= task.budget):
                raise Over("budget")
            if until is not None and clock.monotonic() >= until:
                raise Over("deadline")

        stage = playing.set_stage(scene.plan, parts, waiting, tell=tell, may_call=may_call, until=until)
        try:
            playing.play(stage)
        except Over as over:
            return over.why
        finally:
            stage.agent.close()
            log.close()
    return ""


_ONE = threading.Lock()
"""Held while a scene is made: it is once in a process."""


def _scene(folder: str, uuid: str) -> _Scene:
    with _ONE:
        return _made(folder, uuid)


@functools.lru_cache(maxsize=4)
def _made(folder: str, uuid: str) -> _Scene:
    """Read from the room, which has no key in it. Raises UsageError when its world cannot be made here."""
    plan = evaluations.plan_of(Path(folder))
    world = evaluations.world_of(plan)
    return _Scene(plan, world, evaluations.baseline(plan, world)[1])
