"""The loop: the model is asked, the tools it asks for are run, it is told what they gave, until it says something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from debateroom.agents.agent import OnEvent, ToolRecord
from debateroom.agents.arguments import BadArguments, check_arguments, read_arguments, renamed
from debateroom.agents.run import Run
from debateroom.agents.tools import Done, Job, Outcome, Tool, cut, run_all
from debateroom.agents.wording import say
from debateroom.errors import CallFailed
from debateroom.messages import Answer, Model, OnText, Paid, Purpose, Request, ToolCall, ToolResult, Turn

LEAST = 1_000
"""Tokens that a call has at least, where the calls of one answer share a limit and the earlier ones took it."""


class Listens(NamedTuple):
    """Who is told how an answer comes about, in the thread that waits for it."""

    on_text: OnText | None
    on_step: Callable[[Answer], None]
    """Called with an answer that asks for tools, before they are run."""


@dataclass(frozen=True, slots=True)
class Equipped:
    """A model with its instructions and everything that it can do."""

    name: str
    model: Model
    instructions: str = ""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """By the name that the model is told."""
    language: str = "en"

    def request(self, turns: Sequence[Turn], run: Run, *, schema: Mapping[str, Any] | None = None) -> Request:
        """What the model is asked for one answer of an agent."""
        purpose = Purpose("seat", self.name, run.turn)
        return Request(
            system=self.instructions,
            turns=tuple(turns),
            schema=schema,
            cache_key=run.session,
            purpose=purpose,
            seed=run.seed,
        )


@dataclass(frozen=True, slots=True)
class Taped:
    """A step of an answer that broke off: what the model asked for, and what of it was run."""

    answer: Answer
    ran: Mapping[str, ToolRecord] = field(default_factory=dict)
    """By the call's id."""
    begun: frozenset[str] = frozenset()
    """Ids of calls that are not made again whatever came of them: they may have changed something."""


@dataclass(slots=True)
class Conversation:
    """What came of one answer."""

    turns: list[Turn] = field(default_factory=list)
    """The conversation, tool calls and results included, up to the model's last word."""
    answer: Answer | None = None
    """The model's last one."""
    stop_reason: str = "stop"
    records: list[ToolRecord] = field(default_factory=list)
    paid: dict[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Calls to models, those of sub-agents included."""
    written: int = 0
    """Tokens that the model has written."""

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
    asked: Request,
    run: Run,
    on_event: OnEvent,
    *,
    talk: Conversation | None = None,
    listens: Listens | None = None,
    tape: Sequence[Taped] = (),
) -> Conversation:
    """What `equipped` says to `asked`, whose turns end with a user's. Raises CallFailed and NoModel of its model.

    After the last step that it may take it is to say something. What it asks for all the same is not run: it is told
    so, and asked once more.
    `talk` is where it is written down, for whoever wants to know how far it came when it fails. `tape` are the steps
    of the same answer that were made before it broke off: they are gone through again, and nothing in them is done
    a second time.
    """
    talk = talk or Conversation()
    talk.turns = list(asked.turns)
    asked = replace(asked, tools=tuple(tool.spec for tool in equipped.tools.values()))
    closed: set[str] = set()
    for step in range(run.limits.steps + 2):
        taped = tape[step] if step < len(tape) else None
        answer = taped.answer if taped else _asked(equipped, asked, run, talk, listens, step)
        _take(talk, answer)
        if not answer.calls:
            return talk
        within = step < run.limits.steps
        results = _run_calls(equipped, talk, run, on_event, closed, taped) if within else _refused(answer.calls, run)
        talk.turns.append(Turn("tools", results=results))
    talk.stop_reason = "steps"
    return talk


def _asked(
    equipped: Equipped, asked: Request, run: Run, talk: Conversation, listens: Listens | None, step: int
) -> Answer:
    """The model's next answer. One that asks for tools is told at once: it was paid for."""
    if run.left() <= 0:
        raise CallFailed(f"No answer within {run.limits.seconds:g} s.", cause="timeout")
    most = asked.max_tokens
    if run.limits.one_limit:
        most = min(most, max(most - talk.written, LEAST))
    request = replace(
        asked,
        turns=tuple(talk.turns),
        max_tokens=most,
        may_call=step < run.limits.steps,
        timeout=min(asked.timeout, max(run.left(), 0.0)),
        until=run.until,
    )
    try:
        answer = equipped.model.ask(request, on_text=listens.on_text if listens else None)
    except CallFailed as error:
        talk.pay(equipped.model.name, error.paid)
        raise
    talk.pay(equipped.model.name, answer.paid)
    if answer.calls and listens:
        listens.on_step(answer)
    return answer


def _take(talk: Conversation, answer: Answer) -> None:
    """Notes what the model said."""
    talk.answer, talk.stop_reason = answer, answer.stop_reason
    talk.written += answer.usage.output
    talk.turns.append(Turn("assistant", answer.text, calls=answer.calls, raw=answer.raw))


def _refused(calls: Sequence[ToolCall], run: Run) -> tuple[ToolResult, ...]:
    text = say(run.language, "no_more_steps")
    return tuple(ToolResult(call.id, text, is_error=True) for call in calls)


def _run_calls(
    equipped: Equipped,
    talk: Conversation,
    run: Run,
    on_event: OnEvent,
    closed: set[str],
    taped: Taped | None,
) -> tuple[ToolResult, ...]:
    """The result of each call of the last answer, in order. What can be run is run at the same time.

    What the tape has of them was run before, and is not run again.
    """
    calls = talk.answer.calls if talk.answer else ()
    prepared = [
        (taped and _recalled(talk, call, taped, run)) or _prepared(equipped, call, run, closed) for call in calls
    ]
    for call, job in zip(calls, prepared, strict=True):
        if isinstance(job, Job):
            told = {"agent": equipped.name, "id": call.id, "name": call.name, "arguments": job.arguments}
            on_event({"event": "tool_called", **told})
    done = iter(run_all([job for job in prepared if isinstance(job, Job)], run))
    results = []
    for call, job in zip(calls, prepared, strict=True):
        if not isinstance(job, Job):
            results.append(job)
            continue
        end = next(done)
        record = _noted(equipped, talk, call, job, end, run, on_event)
        if not end.outcome.again:
            closed.add(call.name)
        results.append(_told(call, record, run))
    return tuple(results)


def _told(call: ToolCall, record: ToolRecord, run: Run) -> ToolResult:
    return ToolResult(call.id, quoted(record.result, run.fence), is_error=not record.ok)


def _recalled(talk: Conversation, call: ToolCall, taped: Taped, run: Run) -> ToolResult | None:
    """What a call gave that was run before: it counts as one that was made. None for one that was not.

    Of one that was begun nobody knows whether it did its work: the model is told so.
    """
    record = taped.ran.get(call.id)
    if record is None and call.id not in taped.begun:
        return None
    run.budget.take()
    if record is None:
        return _not_run(call, say(run.language, "broke_off", name=call.name[:80]))
    _within(record.result, run)
    talk.records.append(record)
    return _told(call, record, run)


def quoted(text: str, fence: str) -> str:
    """`text` in the fence in which everything is quoted to the model; as it is without one."""
    return f"<{fence}>\n{text.replace(fence, 'said')}\n</{fence}>" if fence else text


def _prepared(equipped: Equipped, call: ToolCall, run: Run, closed: set[str]) -> Job | ToolResult:
    """The call ready to be run, or why it is not, for the model."""
    tool = equipped.tools.get(call.name)
    if tool is None:
        known = ", ".join(equipped.tools) or "-"
        return _not_run(call, say(run.language, "no_such_tool", name=call.name[:80], known=known))
    if call.name in closed:
        return _not_run(call, say(run.language, "not_again", name=call.name))
    try:
        arguments = renamed(read_arguments(call.arguments, run.language), tool.aliases)
        check_arguments(arguments, tool.spec.parameters, run.language)
    except BadArguments as error:
        return _not_run(call, str(error))
    if not run.budget.take():
        return _not_run(call, say(run.language, "no_more_calls"))
    return Job(tool, arguments)


def _not_run(call: ToolCall, why: str) -> ToolResult:
    return ToolResult(call.id, why, is_error=True)


def _noted(
    equipped: Equipped, talk: Conversation, call: ToolCall, job: Job, end: Done, run: Run, on_event: OnEvent
) -> ToolRecord:
    """Writes down what a tool came to, what happened inside it first."""
    outcome: Outcome = end.outcome
    for event in outcome.events:
        on_event(event)
    record = ToolRecord(call.name, job.arguments, _within(outcome.text, run), outcome.ok, end.seconds)
    talk.records += [*outcome.records, record]
    for model, paid in outcome.paid.items():
        talk.pay(model, paid)
    told: dict[str, Any] = {"paid": outcome.paid} if outcome.paid else {}
    on_event({"event": "tool_answered", "agent": equipped.name, "id": call.id, **asdict(record), **told})
    return record


def _within(text: str, run: Run) -> str:
    """`text`, cut to what is left of the characters that results may have."""
    return text if run.room is None else cut(text, run.language, run.room.take(len(text)))
