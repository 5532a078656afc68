"""The plan of a playbook's run: every choice, before the first call. What the journal keeps and `resume` reads."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from debateroom.language import detect_language
from debateroom.messages import Seat
from debateroom.models import prices, reach
from debateroom.models.reach import Reach
from debateroom.models.registry import Models
from debateroom.playbooks.catalogue import Playbook
from debateroom.room.opening import read_opening, write_opening
from debateroom.room.played import PLAYBOOK
from debateroom.settings import Settings

KIND = PLAYBOOK
Approve = Literal["ask", "never", "always"]
OUTSIDE = "coordinator"
"""The seat of a coordinator that is not ours."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the caller says about a run beside the settings."""

    agent: str = ""
    """The `--agent` value; empty for a coordinator that is not ours."""
    agent_model: str | None = None
    start: str | None = None
    approve: Approve = "ask"
    """What becomes of a tool that changes something."""
    worker_agent: str | None = None
    """Whom workers drive; None is the worker's own model, without tools."""
    worker_models: tuple[str, ...] = ()
    """Models that a worker may have; none is the coordinator's own."""
    steps: int = 60
    """Times that the coordinator may ask for tools."""
    folder: str = "."
    """Absolute path of the project's folder."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A run with every choice made."""

    kind: str
    problem: str
    """The title: `/id · Name`."""
    language: str
    seats: tuple[Seat, ...]
    """The coordinator alone."""
    model: str
    """`provider:model` of the coordinator; empty for one that is not ours."""
    playbook: Playbook
    goal: str
    task: Task
    call_timeout: float
    """Seconds one call may take."""
    max_tokens: int
    timeout: float | None
    """Seconds the whole run may take; None is no limit."""
    budget: float | None
    """US dollars the run may cost; None is no limit."""
    prices: Mapping[str, Mapping[str, Any]]
    ports: tuple[int, ...]
    """Ports of web addresses that may be asked beside 443."""
    concurrency: int
    reach: Reach
    """How the model is reached, so that resume asks the same one."""
    fence: str
    """Tag around quoted text, drawn at random for this run."""
    uuid: str

    @property
    def rounds(self) -> int:
        """One: the coordinator speaks once, with its tools."""
        return 1

    @property
    def outside(self) -> bool:
        """Whether the coordinator is a program that calls us, and not a model that we ask."""
        return not self.task.agent

    @property
    def name(self) -> str:
        """Name of the coordinator's seat."""
        return self.seats[0].name

    @property
    def worker_models(self) -> tuple[str, ...]:
        """Models that a worker may have, the first one where the coordinator names none."""
        return self.task.worker_models or (self.model,)

    def opening_event(self) -> dict[str, Any]:
        """The first event of the journal: all that `from_event` needs to make this plan again."""
        told = {
            "kind": KIND, "problem": self.problem, "context": self.goal, "language": self.language,
            "model": self.model, "rounds": 1,
        }  # fmt: skip
        return write_opening(self, told, outside=self.outside)


def from_event(opening: Mapping[str, Any]) -> Plan:
    """The plan that a room was opened with. Raises UsageError when the event is not a playbook's."""
    settings = {key: value for key, value in opening.get("settings", {}).items() if key != "outside"}
    return read_opening(Plan, {**opening, "settings": settings}, "a playbook")


def language_of(settings: Settings, goal: str | None) -> str:
    """The language of a run: the one that is set, else the goal's."""
    return detect_language(goal or "") if settings.language == "auto" else settings.language


def make(
    playbook: Playbook, goal: str, task: Task, coordinator: Seat, settings: Settings, models: Models, *,
    asks: Collection[str] = (),
) -> Plan:  # fmt: skip
    """The plan of a run of `playbook`, whose coordinator `asks` these models.

    Raises NoModel for a worker's model that does not exist, UsageError for a budget that could not be kept.
    """
    workers = tuple(models.open(name).name for name in task.worker_models)
    names = {*asks, *workers}
    if settings.budget is not None:
        prices.require(names, settings.prices)
    task_ = TypeAdapter(Task).validate_python({**asdict(task), "worker_models": workers})
    return Plan(
        kind=KIND,
        problem=f"/{playbook.id} · {playbook.name}",
        language=language_of(settings, goal),
        seats=(coordinator,),
        model=coordinator.model,
        playbook=playbook,
        goal=goal,
        task=task_,
        call_timeout=settings.call_timeout,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        budget=settings.budget,
        prices=settings.prices,
        ports=settings.web_ports,
        concurrency=settings.concurrency,
        reach=reach.noted(names, models.settings),
        fence=f"said-{secrets.token_hex(4)}",
        uuid=str(uuid.uuid4()),
    )
