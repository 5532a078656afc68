"""The activities in which two parties talk in turns, from a scenario or a mission to the files on disk."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom import activities, settings
from debateroom.activities import Ended, Outcome
from debateroom.agents.agent import Agent, Declares, open_agent
from debateroom.agents.references import NoSuchCallable, find_callable
from debateroom.dialogue import job, simulation, verdict
from debateroom.dialogue import plan as plans
from debateroom.dialogue import scenario as scenarios
from debateroom.dialogue.loop import Dialogue, OnProgress
from debateroom.dialogue.plan import Job, Plan
from debateroom.errors import AgentFailed, DebateroomError, UsageError
from debateroom.language import say
from debateroom.messages import Seat
from debateroom.models.registry import Models
from debateroom.playbooks import permits
from debateroom.room.room import OnEvent, Room, folder_of
from debateroom.settings import Settings


@dataclass(frozen=True, slots=True)
class Cast:
    """A planned dialogue and the agent that will take part in it."""

    plan: Plan
    agent: Agent


def simulate(
    scenario: str | Path | Mapping[str, Any],
    *,
    agent: str | Agent,
    persona: str | None = None,
    max_turns: int = 10,
    agent_model: str | None = None,
    start: str | None = None,
    job_id: str = "",
    description: str = "",
    on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
    **given: Any,
) -> Outcome:
    """Plays a simulated person against `agent` and returns what came of it; `given` are fields of `Settings`.

    `scenario` is a file's path or its content; `agent` what `--agent` takes, or an `Agent`. The verdict is the
    transcript's `final_output`, the exit code stands in `summary`: 0 passed, 3 failed or inconclusive. `on_event`
    gets each journal event on the calling thread. Raises a DebateroomError when the run itself is broken.
    """
    chosen = settings.load(given)
    folder = str(Path.cwd() if isinstance(scenario, Mapping) else Path(scenario).resolve().parent)
    told = Job(named(agent), agent_model, start, max_turns, job_id, description, persona, folder=folder)
    with activities.open_models(chosen) as models:
        cast = cast_simulation(_scenario(scenario), told, chosen, models, agent)
        return run(cast, chosen, models, on_event=on_event, on_progress=on_progress)


def work(
    mission: str,
    *,
    brief: str | Path,
    agent: str | Agent,
    result_persona: str | None = None,
    max_turns: int = 10,
    agent_model: str | None = None,
    start: str | None = None,
    job_id: str = "",
    description: str = "",
    on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
    **given: Any,
) -> Outcome:
    """Has a worker drive `agent` towards a deliverable and returns what came of it; `given` are fields of `Settings`.

    `brief` is the path of a position. The transcript's `final_output` has `success, deliverable, summary, confidence,
    iterations, max_iterations, duration, error`; the exit code stands in `summary`: 0 delivered, 3 partial or
    refused. `on_event` and errors are as with `simulate`.
    """
    chosen = settings.load(given)
    told = Job(named(agent), agent_model, start, max_turns, job_id, description, result_persona)
    with activities.open_models(chosen) as models:
        cast = cast_work(mission, scenarios.read_text(Path(brief), "brief"), told, chosen, models, agent)
        return run(cast, chosen, models, on_event=on_event, on_progress=on_progress)


def cast_work(mission: str, brief: str, told: Job, chosen: Settings, models: Models, agent: str | Agent) -> Cast:
    """The plan of a worker's job, with its agent opened. Raises UsageError, NoModel before there is a room."""
    with _opened_for_plan(agent, told, chosen, models) as (opened, session):
        plan = plans.of_work(
            mission, brief, told, _seat(opened), chosen, models,
            session=session, capabilities=opened.capabilities, asks=opened.asks,
        )  # fmt: skip
        return Cast(plan, opened)


def cast_simulation(
    scenario: scenarios.Scenario, told: Job, chosen: Settings, models: Models, agent: str | Agent
) -> Cast:
    """The plan of a simulation, with its agent opened. Raises UsageError, NoModel before there is a room."""
    with _opened_for_plan(agent, told, chosen, models) as (opened, session):
        plan = plans.of_simulation(scenario, told, _seat(opened), chosen, models, session=session, asks=opened.asks)
        return Cast(plan, opened)


def without_tool(cast: Cast) -> tuple[str, ...]:
    """The tools that a simulation's scenario names and that its agent has not, as far as that is known."""
    if cast.plan.scenario is None or not isinstance(cast.agent, Declares):
        return ()
    return verdict.without_tool(cast.plan.scenario, cast.agent.declared, cast.agent.declared)


@contextmanager
def _opened_for_plan(agent: str | Agent, told: Job, chosen: Settings, models: Models) -> Iterator[tuple[Agent, str]]:
    """The agent and its new session; it stays open, but is closed when no plan can be made with it."""
    session = str(uuid.uuid4())
    opened = _opened(agent, told, models, session, chosen.call_timeout)
    try:
        yield opened, session
    except BaseException:
        opened.close()
        raise


def run(
    cast: Cast, chosen: Settings, models: Models, *, on_event: OnEvent | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:  # fmt: skip
    """Plays a planned dialogue in its room, to the reports."""
    folder = room_of(cast.plan, chosen)

    def opened() -> Room:
        return Room.create(folder, cast.plan.opening_event(), on_event=on_event)

    return play(opened, cast.plan, models, agent=cast.agent, on_progress=on_progress)


def prepare(cast: Cast, chosen: Settings) -> Path:
    """Makes the room of a planned dialogue and leaves it to another process, which resumes it; its folder."""
    cast.agent.close()
    folder = room_of(cast.plan, chosen)
    Room.create(folder, cast.plan.opening_event()).close(handed_over=True)
    return folder


def room_of(plan: Plan, chosen: Settings) -> Path:
    """The folder of the room: the one that was named, else the default one of this kind."""
    return folder_of(chosen.active, chosen.room if "room" in chosen.model_fields_set else plans.ROOMS[plan.kind])


def play(
    opened: Callable[[], Room], plan: Plan, models: Models, *, agent: Agent | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:  # fmt: skip
    """Plays what the journal of the room that `opened` opens does not hold yet. Also how a room is resumed."""
    speaking = agent or _opened(plan.job.agent, plan.job, models, plan.uuid, plan.call_timeout, plan.language)

    def act(room: Room, begun: float) -> Ended:
        activities.load([plan.model], models)
        until = begun + plan.timeout if plan.timeout is not None else None
        dialogue = Dialogue(room, plan, models.open(plan.model), speaking, until=until, on_progress=on_progress)
        if plan.scenario is None:
            return Ended(*job.run(dialogue))
        _prepare_world(plan.scenario, Path(plan.job.folder), plan.uuid)
        return Ended(*simulation.run(dialogue, plan.scenario))

    try:
        return activities.perform(opened, act, models)
    finally:
        speaking.close()


def named(agent: str | Agent) -> str:
    """The `--agent` value as the journal keeps it; empty for an object."""
    return plans.absolute(agent, Path.cwd()) if isinstance(agent, str) else ""


def _scenario(given: str | Path | Mapping[str, Any]) -> scenarios.Scenario:
    return scenarios.parse(given, "the scenario") if isinstance(given, Mapping) else scenarios.read(Path(given))


def _opened(
    agent: str | Agent, told: Job, models: Models, session: str, call_timeout: float, language: str = "en"
) -> Agent:
    if not isinstance(agent, str):
        return agent
    if not agent:
        raise UsageError(say(language, "agent_by_python"), hint="start it again")
    return open_agent(
        told.agent,
        models=models,
        model=told.agent_model,
        start=told.start,
        session=session,
        call_timeout=call_timeout,
        guard=permits.guard() if told.parent else None,
    )


def _seat(agent: Agent) -> Seat:
    return Seat(agent.name, agent.name, "", agent.model, "")


def _prepare_world(scenario: scenarios.Scenario, folder: Path, session: str) -> None:
    """Calls the scenario's `before` with the session's id. Raises UsageError, AgentFailed when it fails."""
    if not scenario.before:
        return
    try:
        before = find_callable(scenario.before.removeprefix("python:"), folder)
    except NoSuchCallable as error:
        raise UsageError(f"before: {error}") from error
    try:
        before(session)
    except DebateroomError:
        raise
    except Exception as error:
        raise AgentFailed(f"before: {scenario.before} failed: {type(error).__name__}: {error}") from error
