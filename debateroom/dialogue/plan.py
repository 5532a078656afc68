"""The plan of a dialogue: every choice made, before the first call. What the journal keeps and `resume` reads."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom import templates
from debateroom.dialogue import brief as briefs
from debateroom.dialogue.scenario import Scenario
from debateroom.errors import UsageError
from debateroom.language import detect_language
from debateroom.messages import Seat
from debateroom.models import prices, reach
from debateroom.models.reach import Reach
from debateroom.models.registry import Models, choose_default, info, resolve
from debateroom.room.opening import read_opening, write_opening
from debateroom.settings import Settings

SIMULATOR, WORKER = "simple-simulator", "worker-agent"
"""Names of the seats that drive an agent."""
KINDS = ("simulation", "work")
ROOMS = {"simulation": "simulation", "work": "work"}
"""The default room of each kind."""
_WORDED = ("simulator", "worker")
"""Parts of what drivers are told that there are in short."""
PERSONAS = ("patient", "hurried", "angry")
"""Persons that ship, by name."""


@dataclass(frozen=True, slots=True)
class Job:
    """What the caller says about a dialogue beside the settings."""

    agent: str = ""
    """The `--agent` value."""
    agent_model: str | None = None
    start: str | None = None
    """Name of the first agent, where a file holds several."""
    max_turns: int = 10
    """Answers of the agent at most."""
    job_id: str = ""
    description: str = ""
    persona: str | None = None
    """The person of a simulation, or the style of a deliverable; None is the scenario's, or the default."""
    parent: str = ""
    """Of a coordinator's worker, the uuid of the coordinator's run; else empty."""
    folder: str = "."
    """Where the modules lie that a scenario names."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A dialogue with every choice made."""

    kind: str
    """`simulation` or `work`."""
    problem: str
    """The opening question, or the goals where the simulator asks one; the mission."""
    language: str
    seats: tuple[Seat, Seat]
    """Who drives, and the agent."""
    model: str
    """`provider:model` of the driver."""
    job: Job
    persona: str
    """The person, or the style of the deliverable, as a text."""
    scenario: Scenario | None
    """Of a simulation."""
    brief: str
    """Of a worker: the position, up to its end."""
    capabilities: tuple[str, ...]
    """What the agent can do, one line each; empty when not known."""
    call_timeout: float
    """Seconds one call may take."""
    max_tokens: int
    timeout: float | None
    """Seconds the whole run may take; None is no limit."""
    budget: float | None
    """US dollars the run may cost; None is no limit."""
    prices: Mapping[str, Mapping[str, Any]]
    concurrency: int
    reach: Reach
    """How the models are reached, so that resume asks the same ones."""
    fence: str
    """Tag around quoted text, drawn at random for this run."""
    uuid: str
    """Also the session's id."""
    short: bool = False
    """The driver is told its rules in short: its model is too small to follow many."""

    @property
    def rounds(self) -> int:
        """Turns at most."""
        return self.job.max_turns

    @property
    def driver(self) -> str:
        """Name of the seat that drives."""
        return self.seats[0].name

    @property
    def agent(self) -> str:
        """Name of the agent's seat."""
        return self.seats[1].name

    @property
    def worded(self) -> dict[str, Any]:
        """What the driver is told on the way, in the dialogue's language and at the length that it can follow."""
        words = templates.data(f"dialogue/{self.language}.toml")
        return {**words, **{part: words[part] | words[part]["short"] for part in _WORDED}} if self.short else words

    def opening_event(self) -> dict[str, Any]:
        """The first event of the journal: all that `from_event` needs to make this plan again."""
        told = {
            "kind": self.kind, "problem": self.problem, "context": self.brief, "language": self.language,
            "model": self.model, "rounds": self.job.max_turns,
        }  # fmt: skip
        scenario = self.scenario.model_dump(mode="json") if self.scenario else None
        return write_opening(self, told, scenario=scenario)


def from_event(opening: Mapping[str, Any]) -> Plan:
    """The plan that a room was opened with. Raises UsageError when the event is not a dialogue's."""
    return read_opening(Plan, opening, "a dialogue")


def of_simulation(
    scenario: Scenario,
    job: Job,
    agent: Seat,
    settings: Settings,
    models: Models,
    *,
    session: str,
    asks: Collection[str] = (),
) -> Plan:
    """The plan of a simulation against `agent`. Raises UsageError, NoModel."""
    spoken = " ".join((scenario.opening, scenario.goals, scenario.persona))
    language = _language(settings, scenario.opening or spoken)
    return _made(
        "simulation",
        scenario.opening or scenario.goals,
        language,
        SIMULATOR,
        agent,
        settings,
        models,
        job=job,
        session=session,
        scenario=scenario,
        persona=_persona(job.persona or scenario.persona, language),
        asks=asks,
    )


def of_work(
    mission: str, brief: str, job: Job, agent: Seat, settings: Settings, models: Models, *,
    session: str, capabilities: tuple[str, ...], asks: Collection[str] = (),
) -> Plan:  # fmt: skip
    """The plan of a worker's job with `agent`. Raises UsageError, NoModel."""
    if not mission.strip():
        raise UsageError("there is no mission", hint='debateroom work "Find …" --brief POSITION.md --agent AGENT')
    language = _language(settings, mission)
    position = briefs.read(brief)
    if not position.text:
        raise UsageError("the brief is empty before its -- END --")
    style = job.persona or templates.data(f"dialogue/{language}.toml")["personas"]["result"]
    return _made(
        "work",
        mission.strip(),
        language,
        WORKER,
        agent,
        settings,
        models,
        job=job,
        session=session,
        brief=position.text,
        persona=style,
        capabilities=capabilities,
        asks=asks,
    )


def _made(
    kind: str, problem: str, language: str, driver: str, agent: Seat, settings: Settings, models: Models, *,
    job: Job, session: str, persona: str, scenario: Scenario | None = None, brief: str = "",
    capabilities: tuple[str, ...] = (), asks: Collection[str] = (),
) -> Plan:  # fmt: skip
    if job.max_turns < 1:
        raise UsageError(f"--max-turns {job.max_turns}: the agent must be able to answer once")
    check_name(agent.name, driver)
    model = models.open(choose_default(settings.model).name)
    names = {model.name, *asks}
    if settings.budget is not None:
        prices.require(names, settings.prices)
    return Plan(
        kind=kind,
        problem=problem,
        language=language,
        seats=(Seat(driver, driver, "", model.name, model.vendor), agent),
        model=model.name,
        job=job,
        persona=persona,
        scenario=scenario,
        brief=brief,
        capabilities=capabilities,
        call_timeout=settings.call_timeout,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        budget=settings.budget,
        prices=settings.prices,
        concurrency=settings.concurrency,
        reach=reach.noted(names, models.settings),
        fence=f"said-{secrets.token_hex(4)}",
        uuid=session,
        short=not info(resolve(model.name)).moderates,
    )


def check_name(agent: str, driver: str) -> None:
    """Raises UsageError for an agent that is called like who drives it."""
    if agent == driver:
        raise UsageError(f"the agent may not be called {driver}: that is the name of the other seat")


def _language(settings: Settings, text: str) -> str:
    return detect_language(text) if settings.language == "auto" else settings.language


def _persona(persona: str, language: str) -> str:
    """The text of a person that ships, or the text itself."""
    known: Mapping[str, str] = templates.data(f"dialogue/{language}.toml")["personas"]
    return known[persona] if persona in PERSONAS else persona


def absolute(agent: str, folder: Path) -> str:
    """An `--agent` value with paths written in full, so that the room can be resumed from anywhere."""
    scheme, colon, rest = agent.partition(":")
    if colon and scheme == "scripted":
        return f"scripted:{folder / rest}"
    path = folder / agent
    return str(path) if not colon and path.is_file() else agent
