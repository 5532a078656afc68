"""How the three steps and the workers of a run stand, from its journal's events alone. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from debateroom.playbooks.decision import EVENT
from debateroom.playbooks.doing import ABOUT
from debateroom.room.events import Event
from debateroom.terminal import one_line

StepState = Literal["pending", "running", "ok", "failed", "skipped", "missing"]
_ACTIONS = ("tools_asked", "tool_called", EVENT, "reply", "worker_delegated")
"""Events by which a coordinator has begun."""


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A step of the playbook."""

    number: int
    text: str
    state: StepState
    evidence: str = ""
    """Of the last decision that settles it."""


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A worker of the run."""

    room: str
    task: str
    model: str
    state: str
    """`running`, `ok`, `failed`, or `missing` when the run ended before it did."""
    outcome: str = ""
    """`delivered`, `partial`, `refused` or why there is none; empty while it runs."""


def workers_of(events: Sequence[Event], status: str) -> Iterator[LiveWorker]:
    """The workers in the order in which they were started, in a run of that `status`."""
    started = {each["id"]: each for each in events if each["event"] == "worker_delegated"}
    ended = {each["id"]: each for each in events if each["event"] == "worker_ended"}
    for key, each in started.items():
        end, state, outcome = ended.get(key), "running" if status == "running" else "missing", ""
        if end is not None:
            state = "ok" if end["outcome"] == "delivered" else "failed"
            outcome = one_line(end.get("error") or end["outcome"], ABOUT)
        yield LiveWorker(each["room"], one_line(each["task"], ABOUT), each["model"], state, outcome)


def steps_of(
    playbook: Mapping[str, Any], events: Sequence[Event], workers: Sequence[LiveWorker], *, alive: bool
) -> Iterator[LiveStep]:
    """The steps of `playbook` as the journal has it: settled by the last decision on each, the first one that is not
    settled is under way. `alive`: the run has not ended.
    """
    noted = {each["step"]: each for each in events if each["event"] == EVENT and each.get("step")}
    under_way = alive and any(each["event"] in _ACTIONS for each in events)
    for number, step in enumerate(playbook["steps"], 1):
        text = str(step["do"])
        if playbook.get("follows_workers") and number == len(playbook["steps"]):
            yield LiveStep(number, text, _followed(workers, alive=alive))
        elif number in noted:
            yield LiveStep(number, text, noted[number]["outcome"], noted[number]["evidence"])
        elif under_way:
            under_way = False
            yield LiveStep(number, text, "running")
        else:
            yield LiveStep(number, text, "pending" if alive else "missing")


def _followed(workers: Sequence[LiveWorker], *, alive: bool) -> StepState:
    """The step that follows the workers: one that runs counts before one that failed, and that before all others."""
    states = {worker.state for worker in workers}
    order: tuple[StepState, ...] = ("running", "failed", "missing", "ok")
    return next((state for state in order if state in states), "pending" if alive else "missing")


def verdict(steps: Sequence[LiveStep]) -> str:
    """`complete`, `failed` or `incomplete`: a missing result never counts as a success, and neither do only skips."""
    states = {step.state for step in steps}
    if not states or not states <= {"ok", "failed", "skipped"} or states == {"skipped"}:
        return "incomplete"
    return "failed" if "failed" in states else "complete"
