"""The plan of an evaluation: every choice made, before the first call. What the journal keeps and `resume` reads."""

from __future__ import annotations

import secrets
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from debateroom.errors import UsageError
from debateroom.evaluation import junit
from debateroom.evaluation.dataset import Dataset
from debateroom.evaluation.gate import Gate, read_gate
from debateroom.evaluation.task import Task
from debateroom.language import detect_language
from debateroom.messages import Model, Seat
from debateroom.models import batched, prices, reach
from debateroom.models.reach import Reach
from debateroom.models.registry import Models, choose_default
from debateroom.models.sampling import ignored
from debateroom.room.opening import read_opening, write_opening
from debateroom.room.played import EVALUATION
from debateroom.settings import Settings

CUSTOMER, JUDGE = "customer", "judge"
"""Names of the seats beside the agent."""
KIND = EVALUATION
ROOM = "eval"
"""The default room."""
MOST_TRIALS = 1_000
MOST_TOGETHER = 1_000
"""Trials at once in the providers' batches; each is a thread that waits."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller says about an evaluation beside the settings."""

    agent: str = ""
    """The `--agent` value."""
    agent_model: str | None = None
    start: str | None = None
    """Name of the first agent, where a file holds several."""
    world: str = ""
    """`python:module:World`; empty for none."""
    folder: str = "."
    """Where the world's module may lie."""
    trials: int = 1
    """Of each task."""
    customer: str | None = None
    """The customer's model; None is the default one."""
    judge: str | None = None
    """The judge's model; None for none."""
    gate: str = ""
    """`pass^1>=0.7`; empty for none."""
    seed: int | None = None
    """Of the first trial; None is drawn."""
    junit: str = ""
    """File for the results as JUnit XML; empty for none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An evaluation with every choice made."""

    problem: str
    """The dataset as it was named."""
    language: str
    """Of the report."""
    seats: tuple[Seat, ...]
    """The customer, the agent, and the judge where there is one."""
    model: str
    """`provider:model` of the customer."""
    judge: str
    """`provider:model` of the judge; empty for none."""
    asked: Asked
    tasks: tuple[Task, ...]
    seed: int
    """Of the first trial."""
    asks: tuple[str, ...]
    """`provider:model` of each model that is asked here, the agent's included."""
    ignores: Mapping[str, tuple[str, ...]]
    """For each model of customer and agent, or an outside agent, that uses its own temperature or seed: which."""
    call_timeout: float
    """Seconds one call may take."""
    timeout: float | None
    """Seconds the whole run may take; None is no limit."""
    budget: float | None
    """US dollars the run may cost; None is no limit."""
    prices: Mapping[str, Mapping[str, Any]]
    concurrency: int
    """Trials at once."""
    reach: Reach
    """How the models are reached, so that resume asks the same ones."""
    fence: str
    """Tag around quoted text, drawn at random for this run."""
    uuid: str

    kind: str = KIND
    provider_batch: bool = False
    """Whether calls go into batches of the providers, at half the price: what all trials ask next is one."""
    poll: float = 60.0
    """Seconds between two looks at such a batch."""
    direct: tuple[str, ...] = ()
    """Who is asked at once all the same, at the full price: models without batches, and an agent from outside."""

    @property
    def rounds(self) -> int:
        """Trials of each task."""
        return self.asked.trials

    @property
    def model_timeout(self) -> float:
        """Seconds that a call to a model may take."""
        return prices.BATCH_SECONDS if self.provider_batch else self.call_timeout

    @property
    def agent_timeout(self) -> float:
        """Seconds that a call of the agent may take; one from outside knows nothing of batches."""
        return self.model_timeout if self.seats[1].model in self.asks else self.call_timeout

    @property
    def gate(self) -> Gate | None:
        """What must be reached."""
        return read_gate(self.asked.gate) if self.asked.gate else None

    def opening_event(self) -> dict[str, Any]:
        """The first event of the journal: all that `from_event` needs to make this plan again."""
        told = {"kind": self.kind, "problem": self.problem, "language": self.language, "model": self.model}
        return write_opening(self, told, tasks=[task.model_dump(mode="json") for task in self.tasks])


def from_event(opening: Mapping[str, Any]) -> Plan:
    """The plan that a room was opened with. Raises UsageError when the event is not an evaluation's."""
    return read_opening(Plan, opening, "an evaluation")


def make(
    dataset: Dataset, asked: Asked, agent: Seat, settings: Settings, models: Models, *, asks: Sequence[str]
) -> Plan:
    """The plan of an evaluation of `agent`, which asks the models `asks`. Raises UsageError, NoModel."""
    if not 1 <= asked.trials <= MOST_TRIALS:
        raise UsageError(f"--trials {asked.trials}: each task is tried 1 to {MOST_TRIALS:,} times")
    if agent.name in (CUSTOMER, JUDGE):
        raise UsageError(f"the agent may not be called {agent.name}: that is the name of another seat")
    if asked.gate:
        read_gate(asked.gate)
    if asked.junit:
        junit.check_place(asked.junit)
    customer = models.open(choose_default(asked.customer or settings.model).name)
    judge = models.open(choose_default(asked.judge).name) if asked.judge else None
    if judge is not None and judge.name == customer.name:
        raise UsageError(
            f"--judge {judge.name} is the customer's model, which would judge itself",
            hint="name another model with --judge, or leave it out: criteria are then inconclusive",
        )
    seats = [Seat(CUSTOMER, CUSTOMER, "", customer.name, customer.vendor), agent]
    seats += [Seat(JUDGE, JUDGE, "", judge.name, judge.vendor)] if judge else []
    names = {customer.name, *([judge.name] if judge else []), *asks}
    if settings.budget is not None:
        prices.require(names, settings.prices)
    return Plan(
        problem=dataset.source,
        language=_language(settings, dataset.tasks),
        seats=tuple(seats),
        model=customer.name,
        judge=judge.name if judge else "",
        asked=asked,
        tasks=dataset.tasks,
        seed=asked.seed if asked.seed is not None else secrets.randbelow(2**31),
        asks=tuple(sorted(names)),
        ignores=_ignored([customer, *map(models.open, asks)], "" if asks else agent.model),
        call_timeout=settings.call_timeout,
        timeout=settings.timeout,
        budget=settings.budget,
        prices=settings.prices,
        concurrency=settings.concurrency,
        reach=reach.noted(names, models.settings),
        fence=f"said-{secrets.token_hex(4)}",
        uuid=str(uuid.uuid4()),
    )


def in_batches(plan: Plan, settings: Settings, asks: Sequence[str]) -> Plan:
    """The same evaluation, its calls in the providers' batches; `asks` are the agent's models.

    All trials go on together unless the settings name how many. Raises UsageError when nothing can go into a batch.
    """
    names = {plan.model, *asks, *([plan.judge] if plan.judge else [])}
    direct = [name for name in sorted(names) if not batched.takes_batches(name)]
    if len(direct) == len(names):
        batched.require(names)
    direct += [] if asks else [plan.seats[1].model or plan.seats[1].name]
    together = min(len(plan.tasks) * plan.asked.trials, MOST_TOGETHER)
    trials = plan.concurrency if "concurrency" in settings.model_fields_set else together
    return replace(plan, provider_batch=True, poll=settings.poll, direct=tuple(direct), concurrency=trials)


def _ignored(asked: Sequence[Model], outside: str) -> dict[str, tuple[str, ...]]:
    """What of temperature and seed the models `asked` are not sent; an agent from outside is sent no seed."""
    found = {model.name: tuple(sorted(ignored(model))) for model in asked} | ({outside: ("seed",)} if outside else {})
    return {name: what for name, what in found.items() if what}


def _language(settings: Settings, tasks: tuple[Task, ...]) -> str:
    """The language that was asked for, else the one in which most tasks are written."""
    if settings.language != "auto":
        return settings.language
    return Counter(detect_language(task.instruction) for task in tasks).most_common(1)[0][0]


def absolute(reference: str) -> str:
    """The folder in which the module of a world may lie: that of the agent's file, else the current one."""
    path = Path(reference)
    return str(path.resolve().parent if path.suffix.lower() in (".yaml", ".yml") else Path.cwd())
