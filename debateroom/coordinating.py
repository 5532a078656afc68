"""Runs of playbooks, from a command to the files on disk: by a coordinator of ours, or by a program that calls us."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from debateroom import activities, clock
from debateroom.activities import Ended, Outcome
from debateroom.agents.agent import open_agent
from debateroom.agents.conversation import Equipped
from debateroom.agents.definition import read_agents
from debateroom.agents.load import Guard, equip
from debateroom.agents.subagents import asked
from debateroom.dialogue.plan import WORKER, absolute, check_name
from debateroom.errors import DebateroomError, RoomBusy, UsageError
from debateroom.messages import Seat
from debateroom.models.processes import Programs
from debateroom.models.quote import without_keys
from debateroom.models.registry import Models, choose_default
from debateroom.playbooks import approval, catalogue, claim, coordinator, decision, wording, worker
from debateroom.playbooks import plan as plans
from debateroom.playbooks.catalogue import Playbook
from debateroom.playbooks.coordinator import OnProgress
from debateroom.playbooks.desk import Ask, Desk
from debateroom.playbooks.plan import Plan, Task
from debateroom.playbooks.tools import MOST_WORKERS, tools
from debateroom.room.room import JOURNAL, OnEvent, Room, event, folder_of, opening_event, read
from debateroom.settings import Settings
from debateroom.wake import workspace

ROOM = "coordinator"
"""The default room."""
_PATIENCE, _PAUSE = 5.0, 0.05
"""Seconds that a command waits for another one in the same room, and between two tries."""
_PLAIN = "agent"
"""Name of a coordinator that has none of its own."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run whose coordinator is a program that calls us."""

    folder: Path
    plan: Plan

    @property
    def told(self) -> str:
        """What that program must do."""
        place = f"--room {self.folder.name} --active {self.folder.parent}"
        record = f"debateroom record --step N --what … --why … --evidence … --outcome ok|failed|skipped {place}"
        finish = f"debateroom playbook finish {place}"
        delegate = f'debateroom playbook delegate "TASK" --agent AGENT {place}'
        commands = wording.outside(self.plan, record=record, delegate=delegate, finish=finish)
        return "\n\n".join((wording.prompt(self.plan), commands))


def find(name: str, goal: str | None, chosen: Settings) -> tuple[Playbook, str]:
    """The playbook called `name` and the goal as it is told. Raises UsageError with the list of those there are."""
    own = workspace.of_active(chosen.active).own / catalogue.FOLDER
    playbook = catalogue.find(name, own, plans.language_of(chosen, goal))
    return playbook, catalogue.check_goal(playbook, goal)


def make(name: str, goal: str | None, task: Task, chosen: Settings, models: Models) -> Plan:
    """The plan of a run with a coordinator of ours. Raises UsageError, NoModel before there is a room."""
    playbook, told = find(name, goal, chosen)
    task = _placed(task, chosen)
    equipped = _equipped(task, models, None)
    seat = Seat(equipped.name, equipped.name, "", equipped.model.name, "")
    asks = {*asked(equipped), *_asked_by_workers(task, models)}
    return plans.make(playbook, told, task, seat, chosen, models, asks=asks)


def run(
    plan: Plan, chosen: Settings, models: Models, *, ask: Ask | None = None,
    on_event: OnEvent | None = None, on_progress: OnProgress | None = None,
) -> Outcome:  # fmt: skip
    """Plays a planned run in its room, to the reports. Raises RoomBusy while another coordinator is at work."""
    folder = room_of(chosen)

    def opened() -> Room:
        with claim.claiming(folder):
            return Room.create(folder, plan.opening_event(), on_event=on_event)

    return play(opened, plan, models, ask=ask, on_progress=on_progress)


def prepare(plan: Plan, chosen: Settings) -> Path:
    """Makes the room of a planned run and leaves it to another process, which resumes it; its folder."""
    folder = room_of(chosen)
    with claim.claiming(folder):
        Room.create(folder, plan.opening_event()).close(handed_over=True)
    return folder


def begin(name: str, goal: str | None, chosen: Settings, models: Models, *, on_event: OnEvent | None = None) -> Begun:
    """Opens the room of a run whose coordinator calls us. Raises UsageError, RoomBusy."""
    playbook, told = find(name, goal, chosen)
    seat = Seat(plans.OUTSIDE, plans.OUTSIDE, "", "", "")
    plan = plans.make(playbook, told, _placed(Task(), chosen), seat, chosen, models)
    folder = room_of(chosen)
    with claim.claiming(folder):
        Room.create(folder, plan.opening_event(), on_event=on_event).close()
    return Begun(folder.resolve(), plan)


def note(folder: Path, **given: Any) -> decision.Decision:
    """Notes a decision in the room of a coordinator that calls us.

    Raises UsageError for a room of another kind or one that has ended, BadEvidence, UsageError for a decision that is
    not as it must be.
    """
    plan = _outside(folder)
    made = decision.make(**given, project=Path(plan.task.folder), room=folder)
    with _under_way(folder) as room:
        room.write(made.event())
    return made


def delegate(folder: Path, text: str, task: Task, chosen: Settings, models: Models) -> worker.Result:
    """Gives the task `text` to a worker of the coordinator that calls us, and waits for what came of it.

    The worker drives `task.worker_agent` with the model of `chosen`. The room is only held to write in it: notes are
    made and other workers started meanwhile. Raises UsageError as `note` does, for an agent that no worker could
    drive and for one worker too many, NoModel.
    """
    plan, text = _outside(folder), without_keys(text.strip())
    if not text:
        raise UsageError("the task is empty: say all that the worker has to know")
    _asked_by_workers(task, models)
    model = models.open(choose_default(chosen.model).name).name
    given = replace(plan.task, worker_agent=_placed(task, chosen).worker_agent, approve=task.approve)
    with _under_way(folder) as room:
        room.write_file("brief.md", wording.brief(plan.language))
        desk = Desk(room, replace(plan, task=given))

    def tell(act: Callable[[], None]) -> None:
        with _under_way(folder) as desk.room:
            act()

    desk.tell = tell
    known = worker.identify(desk, text, model)
    place = desk.admit(known, MOST_WORKERS)
    if place is None:
        raise UsageError(f"at most {MOST_WORKERS} workers take part in one run")
    return worker.run(desk, worker.Job(known, text, model), models.shared(Programs), worker.SECONDS)


def finish(folder: Path) -> Outcome:
    """Ends the run of a coordinator that calls us: its verdict and reports. One that has ended only gets reports."""
    plan = _outside(folder)
    with _reopened(folder) as room:
        if room.transcript.status == "finished":
            return activities.write_reports(room)
        stopped, code = coordinator.conclude(room, plan, "done")
        ended = event("room_finished", status="finished", stopped=stopped, exit_code=code, seconds=_since(room))
        room.write(ended)
        return activities.write_reports(room)


def begun(folder: Path) -> Begun | None:
    """The unfinished run in `folder` of a coordinator that calls us, for one that goes on; None for any other room.

    Raises UsageError without a room.
    """
    state = read(folder)
    if state.transcript.status == "finished" or not state.settings.get("outside"):
        return None
    return Begun(folder.resolve(), _outside(folder))


@contextlib.contextmanager
def _under_way(folder: Path) -> Iterator[Room]:
    """The room of a run that has not ended, to write in it. Raises RoomBusy, UsageError."""
    with _reopened(folder) as room:
        if room.transcript.status == "finished":
            raise UsageError(f"the run in {folder.name} has ended", hint="debateroom playbook start ID")
        yield room


def _reopened(folder: Path) -> Room:
    """The room, once another command that writes in it is done. Raises RoomBusy when that takes long."""
    until = clock.monotonic() + _PATIENCE
    while True:
        try:
            return Room.reopen(folder)
        except RoomBusy:
            if clock.monotonic() > until:
                raise
            time.sleep(_PAUSE)


def _outside(folder: Path) -> Plan:
    if not (folder / JOURNAL).exists():
        raise UsageError(f"there is no run in {folder.resolve()}", hint="debateroom playbook start ID")
    told = opening_event(folder)
    if told.get("kind") != plans.KIND or not told.get("settings", {}).get("outside"):
        raise UsageError(
            f"the room {folder.name} has no coordinator that notes its own steps",
            hint="debateroom playbook start ID",
        )
    return plans.from_event(told)


def _since(room: Room) -> float:
    try:
        began = datetime.fromisoformat(room.transcript.started)
    except ValueError:
        return 0.0
    return max(0.0, round((clock.now() - began).total_seconds(), 3))


def room_of(chosen: Settings) -> Path:
    """The folder of the room: the one that was named, else the default one."""
    return folder_of(chosen.active, chosen.room if "room" in chosen.model_fields_set else ROOM)


def play(
    opened: Callable[[], Room], plan: Plan, models: Models, *, ask: Ask | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:  # fmt: skip
    """Plays what the journal of the room that `opened` opens does not hold yet. Also how a run is resumed."""

    def act(room: Room, begun: float) -> Ended:
        activities.load([plan.model], models)
        desk = Desk(room, plan, ask=ask)
        equipped = _equipped(plan.task, models, approval.guard(desk))
        equipped = replace(
            equipped, tools=_with_ours(equipped, desk, models.shared(Programs)), language=plan.language
        )
        until = begun + plan.timeout if plan.timeout is not None else None
        room.write_file("brief.md", wording.brief(plan.language))
        return Ended(*coordinator.run(desk, equipped, until=until, on_progress=on_progress))

    return activities.perform(opened, act, models)


def resume(
    folder: Path, plan: Plan, opened: Callable[[], Room], models: Models, *, ask: Ask | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:  # fmt: skip
    """Goes on with the run in `folder`. Raises RoomBusy while another coordinator is at work, UsageError for a run
    whose coordinator calls us: only that one can go on.
    """
    check_resumable(plan)

    def reopened() -> Room:
        with claim.claiming(folder):
            return opened()

    return play(reopened, plan, models, ask=ask, on_progress=on_progress)


def check_resumable(plan: Plan) -> None:
    """Raises UsageError for a run whose coordinator is a program that calls us."""
    if plan.outside:
        raise UsageError(
            "this run's coordinator notes its own steps: only that one can go on",
            hint="debateroom record …, then debateroom playbook finish",
        )


def _asked_by_workers(task: Task, models: Models) -> Collection[str]:
    """The models that the workers' agent asks. Raises UsageError, NoModel for one that no worker could drive."""
    if not task.worker_agent:
        return ()
    try:
        with contextlib.closing(open_agent(task.worker_agent, models=models)) as agent:
            check_name(agent.name, WORKER)
            return agent.asks
    except DebateroomError as error:
        raise type(error)(f"--worker-agent: {error}", hint=error.hint) from error


def _with_ours(equipped: Equipped, desk: Desk, programs: Programs) -> dict[str, Any]:
    """The agent's tools and, in place of any of the same name, ours."""
    return {**equipped.tools, **tools(desk, programs)}


def _placed(task: Task, chosen: Settings) -> Task:
    here = Path.cwd()
    driven = absolute(task.worker_agent, here) if task.worker_agent else None
    agent = absolute(task.agent, here) if task.agent and not task.agent.startswith("scripted:") else task.agent
    return replace(task, agent=agent, worker_agent=driven, folder=str(workspace.of_active(chosen.active).folder))


def _equipped(task: Task, models: Models, guard: Guard | None) -> Equipped:
    """The coordinator with its own tools: a file's agent, or a model alone. Raises UsageError for any other."""
    wanted = task.agent.strip()
    if Path(wanted).suffix.lower() in (".yaml", ".yml"):
        made = equip(read_agents(Path(wanted), start=task.start), models=models, model=task.agent_model, guard=guard)
    else:
        if task.start is not None:
            raise UsageError(f"--start names an agent of a YAML file, and {wanted!r} is none.")
        if wanted.partition(":")[0] in ("python", "http", "https", "command"):
            raise _no_tools(wanted)
        made = Equipped(_PLAIN, models.open(task.agent_model or wanted))
    if made.model.name.startswith("command:"):
        raise _no_tools(made.model.name)
    return made


def _no_tools(agent: str) -> UsageError:
    return UsageError(
        f"{agent} takes no tools of ours, and a coordinator needs them",
        hint="a YAML file or a model asked through an API; or let it coordinate itself: debateroom playbook start ID",
    )
