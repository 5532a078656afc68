"""The loop: the model is asked, the tools it asks for are run, it is told what they gave, until it says something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from debateroom.agents.agent import OnEvent
from debateroom.agents.conversation import Conversation, Equipped, Taped
from debateroom.agents.run import Run
from debateroom.agents.step import Step
from debateroom.agents.wording import say
from debateroom.errors import CallFailed
from debateroom.messages import Answer, OnText, Request, ToolCall, ToolResult, Turn

LEAST = 1_000
"""Tokens that a call has at least, where the calls of one answer share a limit and the earlier ones took it."""


class Listens(NamedTuple):
    """Who is told how an answer comes about, in the thread that waits for it."""

    on_text: OnText | None
    on_step: Callable[[Answer], None]
    """Called with an answer that asks for tools, before they are run."""


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
        if step < run.limits.steps:
            results = Step(equipped, talk, run, on_event, closed, taped).make()
        else:
            results = _refused(answer.calls, run)
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
        talk.untold.clear()
    return answer


def _take(talk: Conversation, answer: Answer) -> None:
    """Notes what the model said."""
    talk.answer, talk.stop_reason = answer, answer.stop_reason
    talk.written += answer.usage.output
    talk.turns.append(Turn("assistant", answer.text, calls=answer.calls, raw=answer.raw))


def _refused(calls: Sequence[ToolCall], run: Run) -> tuple[ToolResult, ...]:
    text = say(run.language, "no_more_steps")
    return tuple(ToolResult(call.id, text, is_error=True) for call in calls)
