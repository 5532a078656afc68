"""The loop: the model is asked, the tools it asks for are run, it is told what they gave, until it says something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from debateroom.agents.agent import OnEvent, ToolRecord
from debateroom.agents.arguments import BadArguments, check_arguments, read_arguments, renamed
from debateroom.agents.run import Run
from debateroom.agents.tools import Done, Job, Outcome, Tool, run_all
from debateroom.agents.wording import say
from debateroom.errors import CallFailed
from debateroom.messages import Answer, Model, Paid, Purpose, Request, ToolCall, ToolResult, Turn

_MODEL_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Equipped:
    """A model with its instructions and everything that it can do."""

    name: str
    model: Model
    instructions: str = ""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """By the name that the model is told."""
    language: str = "en"


@dataclass(slots=True)
class Conversation:
    """What came of one answer."""

    turns: list[Turn]
    """The conversation, tool calls and results included, up to the model's last word."""
    answer: Answer | None = None
    """The model's last one."""
    stop_reason: str = "stop"
    records: list[ToolRecord] = field(default_factory=list)
    paid: dict[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Calls to models, those of sub-agents included."""

    def pay(self, model: str, paid: Sequence[Paid]) -> None:
        """Notes calls that were paid for."""
        if paid:
            self.paid[model] = (*self.paid.get(model, ()), *paid)

    @property
    def all_paid(self) -> tuple[Paid, ...]:
        """The same, whichever model it was."""
        return tuple(each for paid in self.paid.values() for each in paid)


def converse(
    equipped: Equipped,
    turns: Sequence[Turn],
    run: Run,
    on_event: OnEvent,
    *,
    schema: Mapping[str, Any] | None = None,
    talk: Conversation | None = None,
) -> Conversation:
    """What `equipped` says to `turns`, which end with a user's. Raises CallFailed and NoModel of its model.

    After the last step that it may take, what it asks for is not run: it is told so, and asked once more.
    `talk` is where it is written down, for whoever wants to know how far it came when it fails.
    """
    talk = talk or Conversation([])
    talk.turns = list(turns)
    specs = tuple(tool.spec for tool in equipped.tools.values())
    closed: set[str] = set()
    for step in range(run.limits.steps + 2):
        if run.left() <= 0:
            raise CallFailed(f"No answer within {run.limits.seconds:g} s.", cause="timeout")
        request = Request(
            system=equipped.instructions,
            turns=tuple(talk.turns),
            tools=specs,
            schema=schema,
            timeout=min(_MODEL_SECONDS, max(run.left(), 0.0)),
            until=run.until,
            cache_key=run.session,
            purpose=Purpose("seat", equipped.name, run.turn),
        )
        try:
            talk.answer = equipped.model.ask(request)
        except CallFailed as error:
            talk.pay(equipped.model.name, error.paid)
            raise
        talk.pay(equipped.model.name, talk.answer.paid)
        talk.turns.append(Turn("assistant", talk.answer.text, calls=talk.answer.calls, raw=talk.answer.raw))
        if not talk.answer.calls:
            talk.stop_reason = talk.answer.stop_reason
            return talk
        within = step < run.limits.steps
        results = _run_calls(equipped, talk, run, on_event, closed) if within else _refused(talk.answer.calls, run)
        talk.turns.append(Turn("tools", results=results))
    talk.stop_reason = "steps"
    return talk


def _refused(calls: Sequence[ToolCall], run: Run) -> tuple[ToolResult, ...]:
    text = say(run.language, "no_more_steps")
    return tuple(ToolResult(call.id, text, is_error=True) for call in calls)


def _run_calls(
    equipped: Equipped, talk: Conversation, run: Run, on_event: OnEvent, closed: set[str]
) -> tuple[ToolResult, ...]:
    """The result of each call of the last answer, in order. What can be run is run at the same time."""
    calls = talk.answer.calls if talk.answer else ()
    prepared = [_prepared(equipped, call, run, closed) for call in calls]
    for call, job in zip(calls, prepared, strict=True):
        if isinstance(job, Job):
            on_event({"event": "tool_called", "agent": equipped.name, "name": call.name, "arguments": job.arguments})
    done = iter(run_all([job for job in prepared if isinstance(job, Job)], run))
    results = []
    for call, job in zip(calls, prepared, strict=True):
        if isinstance(job, str):
            results.append(ToolResult(call.id, job, is_error=True))
            continue
        end = next(done)
        _note(equipped, talk, call, job, end, on_event)
        if not end.outcome.again:
            closed.add(call.name)
        results.append(ToolResult(call.id, end.outcome.text, is_error=not end.outcome.ok))
    return tuple(results)


def _prepared(equipped: Equipped, call: ToolCall, run: Run, closed: set[str]) -> Job | str:
    """The call ready to be run, or why it is not, for the model."""
    tool = equipped.tools.get(call.name)
    if tool is None:
        return say(run.language, "no_such_tool", name=call.name[:80], known=", ".join(equipped.tools) or "-")
    if call.name in closed:
        return say(run.language, "not_again", name=call.name)
    try:
        arguments = renamed(read_arguments(call.arguments, run.language), tool.aliases)
        check_arguments(arguments, tool.spec.parameters, run.language)
    except BadArguments as error:
        return str(error)
    if not run.budget.take():
        return say(run.language, "no_more_calls")
    return Job(tool, arguments)


def _note(equipped: Equipped, talk: Conversation, call: ToolCall, job: Job, end: Done, on_event: OnEvent) -> None:
    """Writes down what a tool came to, what happened inside it first."""
    outcome: Outcome = end.outcome
    for event in outcome.events:
        on_event(event)
    record = ToolRecord(call.name, job.arguments, outcome.text, outcome.ok, end.seconds)
    talk.records += [*outcome.records, record]
    for model, paid in outcome.paid.items():
        talk.pay(model, paid)
    on_event(
        {
            "event": "tool_answered",
            "agent": equipped.name,
            "name": call.name,
            "arguments": record.arguments,
            "result": record.result,
            "ok": record.ok,
            "seconds": record.seconds,
        }
    )
