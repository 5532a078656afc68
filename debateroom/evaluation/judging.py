"""The judge of a trial: whether each criterion is met, by a model other than the customer's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from debateroom import templates
from debateroom.errors import CallFailed
from debateroom.evaluation.stage import Stage
from debateroom.evaluation.trial import Call, Judgement, Message
from debateroom.matching.evidence import short
from debateroom.messages import Purpose, Request
from debateroom.reading.objects import find_object
from debateroom.room.spending import spent_by_model

MAX_TOKENS = 4_000
_SCHEMA = {
    "type": "object",
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "met": {"type": "boolean"},
                    "reasoning": {"type": "string"},
                },
                "required": ["number", "met", "reasoning"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["criteria"],
    "additionalProperties": False,
}


def judge(stage: Stage, messages: Sequence[Message], calls: Sequence[Call]) -> tuple[Judgement, ...] | None:
    """The judge's answer on each criterion of the task; None when it has none, or nobody is there to judge.

    A call that fails, or an answer that cannot be read, is no judgement on any. Raises NoModel, Over.
    """
    criteria = [each for each in stage.task.checks.judge or () if each.strip()]
    if not criteria or stage.judge is None:
        return None
    taped = stage.taped("judge")
    if taped is not None:
        return read_judgements(taped["text"], criteria)
    request = Request(
        own=_question(stage, criteria, messages, calls),
        schema=_SCHEMA,
        max_tokens=MAX_TOKENS,
        timeout=stage.plan.model_timeout,
        cache_key=stage.session,
        until=stage.until,
        purpose=Purpose("seat", f"judge {stage.key.task}", 1),
    )
    stage.may_call()
    try:
        answer = stage.judge.ask(request)
    except CallFailed as error:
        stage.failed("judge", error, stage.judge.name)
        return tuple(Judgement(criterion=each, met=None, reasoning=str(error)) for each in criteria)
    stage.say(
        "judge",
        answer.text,
        model=answer.model,
        seconds=round(answer.seconds, 3),
        finish=answer.stop_reason,
        **spent_by_model({stage.judge.name: answer.paid}, prices=stage.plan.prices),
    )
    return read_judgements(answer.text, criteria)


def read_judgements(text: str, criteria: Sequence[str]) -> tuple[Judgement, ...]:
    """What a judge wrote on each criterion; `met` is None for one that it passed over or answered twice."""
    found = find_object(text)
    value = found.value if found is not None and isinstance(found.value, Mapping) else {}
    given = value.get("criteria")
    entries = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    return tuple(_judgement(each, [e for e in entries if e.get("number") == n]) for n, each in enumerate(criteria, 1))


def _judgement(criterion: str, entries: Sequence[Mapping[str, Any]]) -> Judgement:
    if len(entries) != 1 or not isinstance(entries[0].get("met"), bool):
        return Judgement(criterion=criterion, met=None)
    reasoning = entries[0].get("reasoning")
    return Judgement(
        criterion=criterion,
        met=entries[0]["met"],
        reasoning=reasoning if isinstance(reasoning, str) else "",
    )


def _question(stage: Stage, criteria: Sequence[str], messages: Sequence[Message], calls: Sequence[Call]) -> str:
    fence = stage.plan.fence
    return templates.render(
        f"prompts/{stage.language}/criteria.j2",
        fence=fence,
        criteria=criteria,
        messages=[message.model_copy(update={"text": message.text.replace(fence, "said")}) for message in messages],
        calls=[_told(call).replace(fence, "said") for call in calls],
    ).strip()


def _told(call: Call) -> str:
    return f"{call.tool} {short(call.args)} → {'' if call.ok else '✗ '}{short(call.result)}"
