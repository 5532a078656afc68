"""The tools that every coordinator has: note a decision, give a task to a worker, read the project, read a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from debateroom.agents.adapters import is_outside
from debateroom.agents.fetching import fetch_tool
from debateroom.agents.lookups import Lookup, list_files, read_file
from debateroom.agents.run import Run
from debateroom.agents.step import quoted
from debateroom.agents.tools import MOST_TEXT, Outcome, Tool, cut
from debateroom.errors import DebateroomError
from debateroom.language import spoken
from debateroom.messages import ToolSpec
from debateroom.models.processes import Programs
from debateroom.models.quote import without_keys
from debateroom.playbooks import approval, decision, worker
from debateroom.playbooks.approval import PATIENCE
from debateroom.playbooks.catalogue import STEPS
from debateroom.playbooks.desk import Desk
from debateroom.playbooks.purse import DELEGATE
from debateroom.playbooks.wording import say
from debateroom.project.folder import Project, Refused
from debateroom.terminal import one_line

MOST_WORKERS = 8
"""Workers of one run."""
_LONGEST_TASK = 20_000


def tools(desk: Desk, programs: Programs) -> dict[str, Tool]:
    """The four, by name, described in the run's language."""
    language = desk.plan.language
    made: tuple[Tool, ...] = (
        RecordDecision(_record_spec(language), desk),
        DelegateTask(_delegate_spec(desk), desk, programs),
        Lookup(_path_spec(desk), Project(desk.project, rooms=desk.room.folder.parent), read_path),
        fetch_tool(language, ports=desk.plan.ports),
    )
    return {tool.spec.name: tool for tool in made}


@dataclass(slots=True)
class RecordDecision:
    """Notes a decision."""

    spec: ToolSpec
    desk: Desk
    timeout: float = 30.0
    aliases: Mapping[str, str] = field(default_factory=dict)
    one_by_one: Literal[True] = True
    """The last one on a step counts."""

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """That it was noted, or why not. It is in the journal at once."""
        given: dict[str, Any] = {key: arguments.get(key) for key in ("what", "why", "evidence", "outcome", "step")}
        try:
            made = decision.make(**given, project=self.desk.project, room=self.desk.room.folder)
        except DebateroomError as error:
            return Outcome(say(run.language, "not_recorded", reason=str(spoken(error, run.language))), ok=False)
        self.desk.note(made)
        if made.step is None:
            return Outcome(say(run.language, "recorded", what=made.what))
        return Outcome(say(run.language, "recorded_step", step=made.step, outcome=made.outcome))


@dataclass(slots=True)
class DelegateTask:
    """Gives a task to a worker and waits for it."""

    spec: ToolSpec
    desk: Desk
    programs: Programs
    timeout: float = worker.SECONDS
    aliases: Mapping[str, str] = field(default_factory=dict)

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What the worker delivered, as data; a worker that did not deliver is a failure."""
        task = without_keys(str(arguments["task"]).strip())
        model = str(arguments.get("model") or self.desk.plan.worker_models[0])
        known = worker.identify(self.desk, task, model)
        place = self.desk.admit(known, MOST_WORKERS)
        if place is None:
            return Outcome(say(run.language, "no_more_workers", most=MOST_WORKERS), ok=False, executed=False)
        share = self.desk.purse.share()
        if share is not None and share <= 0.0:
            return Outcome(say(run.language, "nothing_left"), ok=False, executed=False)
        agent = self.desk.plan.task.worker_agent or ""
        if is_outside(agent):  # what it does by itself nobody is asked about: it is one tool that acts
            answer = approval.ask(self.desk, agent, {"task": task}, min(PATIENCE, run.left()))
            if not answer.approved:
                return approval.denied(run.language, agent, answer)
        seconds = max(1.0, min(self.timeout, run.left()) - 1.0)
        with place:
            made = worker.run(self.desk, worker.Job(known, task, model, share), self.programs, seconds)
        if made.outcome == "broken":
            return Outcome(say(run.language, "worker_broke", room=made.room.name, reason=made.error), ok=False)
        head = say(run.language, "worker_done", room=made.room.name, outcome=made.outcome)
        text = cut(made.deliverable, run.language, MOST_TEXT - 1_000)
        return Outcome(f"{head}\n{quoted(text, f'worker-{known}')}", ok=made.ok)


def read_path(project: Project, arguments: Mapping[str, Any], run: Run) -> str:
    """The lines of a file, or what is in a folder. Raises Refused."""
    try:
        return read_file(project, arguments, run)
    except Refused as refused:
        if refused.why != "no_file":
            raise
    return list_files(project, {"folder": arguments["path"]}, run)


def _record_spec(language: str) -> ToolSpec:
    properties: dict[str, Any] = {
        name: {"type": "string", "description": say(language, f"param_{name}")}
        for name in ("what", "why", "evidence")
    }
    properties["outcome"] = {
        "type": "string", "enum": list(decision.OUTCOMES), "description": say(language, "param_outcome")
    }  # fmt: skip
    properties["step"] = {
        "type": "integer", "minimum": 1, "maximum": STEPS, "description": say(language, "param_step")
    }  # fmt: skip
    required = ["what", "why", "evidence", "outcome"]
    return ToolSpec(decision.TOOL, say(language, "record_decision"), _schema(properties, required))


def _delegate_spec(desk: Desk) -> ToolSpec:
    language, models = desk.plan.language, worker.choices(desk.plan.worker_models)
    properties: dict[str, Any] = {
        "task": {"type": "string", "maxLength": _LONGEST_TASK, "description": say(language, "param_task")}
    }
    if (
        desk.plan.task.worker_models
    ):  # one that the user has named, never one that a model made up: a name may start a program
        properties["model"] = {"type": "string", "enum": models, "description": say(language, "param_model")}
    return ToolSpec(DELEGATE, say(language, "delegate_task"), _schema(properties, ["task"]))


def _path_spec(desk: Desk) -> ToolSpec:
    from debateroom.agents.lookups import MOST_LINES
    from debateroom.agents.wording import say as told

    language, rooms = desk.plan.language, one_line(desk.room.folder.parent.name, 80)
    properties: dict[str, Any] = {
        "path": {"type": "string", "description": told(language, "param_path")},
        "from_line": {"type": "integer", "minimum": 1, "description": told(language, "param_from_line")},
        "lines": {
            "type": "integer", "minimum": 1, "description": told(language, "param_lines", most=MOST_LINES)
        },
    }  # fmt: skip
    return ToolSpec("read_path", say(language, "read_path", rooms=rooms), _schema(properties, ["path"]))


def _schema(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
