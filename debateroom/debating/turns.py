"""What landed becomes an event: a turn, a failure with its reason, or a paid answer that is asked for once more.

An error is never a turn, and neither is a refusal or an answer with nothing in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from debateroom.agents import tape as tapes
from debateroom.debating import prompts
from debateroom.debating.asking import Call, Landed, Told
from debateroom.debating.plan import Plan
from debateroom.debating.window import fitted
from debateroom.errors import CallFailed, DebateroomError
from debateroom.language import say, spoken
from debateroom.messages import Answer, Seat
from debateroom.models.quote import safe_line
from debateroom.project.citing import checked
from debateroom.project.folder import Project
from debateroom.reading.naming import names_of
from debateroom.reading.reply import Reply, read_reply
from debateroom.reading.topic import is_error_text, is_nothing, is_page
from debateroom.room.room import event
from debateroom.room.spending import spent
from debateroom.terminal import is_blank

REPAIR = 1_000
"""Tokens below which a reply is not asked for once more."""


Afford = Callable[[Call], Call | None]
"""A call that is to be made beyond those that were planned, as the budget holds it; None when it does not."""


def read(
    plan: Plan, landed: Landed | Told, number: int, afford: Afford, project: Project | None = None
) -> tuple[dict[str, Any], Call | None]:
    """The event of what landed or was told, and the repair call when the answer has no readable section.

    What a reply cites is looked up in the `project`; None where seats look nothing up.
    """
    if isinstance(landed, Told):
        return told(plan, landed, number), None
    event, asked_again = _landed(plan, landed, number, afford)
    if event["event"] == "reply" and project is not None:
        event["citations"] = [asdict(each) for each in checked(project, event["response"])]
    return event, asked_again


def told(plan: Plan, told: Told, number: int) -> dict[str, Any]:
    """The event of what a seat does on the way: an answer that asks for tools, or what became of one of them."""
    if told.step is None:
        return {**event(str((told.tool or {}).get("event"))), "round": number, **(told.tool or {})}
    step = told.step
    paid = spent(told.call.model.name, *step.paid, prices=plan.prices)
    return event("tools_asked", round=number, **tapes.asked(told.call.seat.name, step), **paid)


def _landed(plan: Plan, landed: Landed, number: int, afford: Afford) -> tuple[dict[str, Any], Call | None]:
    call, answer = landed.call, landed.answer
    paid = _paid(plan, landed)
    if answer is None:
        if call.first is None:
            return _failure(call.seat, number, _reason(plan, landed.error), **paid), None
        return _unrepaired(plan, call, call.first, number, **paid), None
    if plan.alone:  # it is in its own form, and nothing in it has to be read
        return _unrepaired(plan, call, answer, number, **paid), None
    found = _read(plan, call, answer, number)
    if found.sections:
        return _reply(call, answer, found, number, repaired=call.first is not None, **paid), None
    if call.first is not None:
        return _unrepaired(plan, call, call.first, number, **paid), None
    if answer.stop_reason == "refusal" or is_blank(answer.text):
        return _unrepaired(plan, call, answer, number, **paid), None  # the same question would be refused again
    wanted = repair(plan, call, answer)
    asked_again = afford(wanted) if wanted else None
    if asked_again is None:
        return _unrepaired(plan, call, answer, number, **paid), None
    return _unreadable(call, answer, number, paid), asked_again


def repair(plan: Plan, call: Call, answer: Answer) -> Call | None:
    """The call that asks for `answer` once more, because nothing can be read in it.

    Under a budget both share the tokens that the first one might have; None when too few of them are left.
    """
    asked = prompts.repair_request(plan, call.request, answer.text)
    if plan.budget is not None:
        asked = replace(asked, max_tokens=asked.max_tokens - answer.usage.output)
        if asked.max_tokens < min(REPAIR, plan.max_tokens):
            return None
    request, history = fitted(call.model, asked)
    history = call.history if history == "full" else history
    return replace(call, request=request, first=answer, history=history, kit=None)  # the form alone is asked for


def _paid(plan: Plan, landed: Landed) -> dict[str, Any]:
    """What the call was paid for, whatever came of it; empty when it was not."""
    came = landed.answer or landed.error
    return spent(landed.call.model.name, *(came.paid if came else ()), prices=plan.prices)


def _unrepaired(plan: Plan, call: Call, answer: Answer, number: int, **paid: Any) -> dict[str, Any]:
    """The event of an answer in which nothing can be read, and nobody will be asked again.

    It stays as it is, but for what is no speech: a refusal, an error's text, nothing at all. Those are failures.
    """
    reason = _no_speech(plan, answer)
    if reason:
        return _failure(call.seat, number, reason, **paid)
    return _reply(call, answer, _read(plan, call, answer, number), number, **paid)


def _no_speech(plan: Plan, answer: Answer) -> str:
    """Why an answer without a section is not a turn, for people; empty when it is one."""
    if is_nothing(answer.text):
        return say(plan.language, "empty")
    if answer.stop_reason == "refusal":
        return say(plan.language, "refused", words=safe_line(answer.text))
    if is_page(answer.text):
        return say(plan.language, "page_text")
    if is_error_text(answer.text):
        return say(plan.language, "error_text", words=safe_line(answer.text))
    return ""


def late(plan: Plan, landed: Landed | Told, number: int, reason: str) -> dict[str, Any]:
    """The event of a seat whose answer did not come in time; one that only its repair was late for has its answer.

    What came after the time is paid for and not read.
    """
    if isinstance(landed, Told):
        return told(plan, landed, number)
    call, paid = landed.call, _paid(plan, landed)
    if call.first is not None:
        return _unrepaired(plan, call, call.first, number, **paid)
    if isinstance(landed.error, CallFailed) and landed.error.cause == "rate_limit":
        reason = _reason(plan, landed.error)  # it was not the model that was slow
    return _failure(call.seat, number, reason, **paid)


def _read(plan: Plan, call: Call, answer: Answer, number: int) -> Reply:
    """What the seat wrote, read; `endorses` is a seat of this room or nobody."""
    found = read_reply(
        answer.text,
        kind=prompts.kind_of(number),
        language=plan.language,
        speaker=call.seat.name,
        problem=plan.problem,
        stop_reason=answer.stop_reason,
    )
    names = names_of(tuple((seat.name, seat.role) for seat in plan.seats))
    if found.endorses is None:  # a role's name alone means a seat only in a room that has it
        return replace(found, endorses=names.alone(found.sections.get("endorses", "")))
    return found if found.endorses in names.order else replace(found, endorses=None)


def _reply(
    call: Call, answer: Answer, found: Reply, number: int, *, repaired: bool = False, **paid: Any
) -> dict[str, Any]:
    """The event of a seat's reply, with what was read from it; `paid` when a call was paid for it just now."""
    seat = call.seat
    before = call.first.looked if call.first and call.first is not answer else ()
    looked = [asdict(each) for each in (*before, *answer.looked)]
    return event(
        "reply",
        round=number,
        agent=seat.name,
        role=seat.role,
        response=answer.text,
        confidence=found.confidence,
        endorses=found.endorses,
        repairs=list(found.repairs),
        model=answer.model,
        seconds=round(answer.seconds, 3),
        finish=answer.stop_reason,
        repaired=repaired,
        history=call.history,
        **({"tools": looked} if looked else {}),
        **paid,
    )


def _unreadable(call: Call, answer: Answer, number: int, paid: dict[str, Any]) -> dict[str, Any]:
    return event(
        "unreadable",
        round=number,
        agent=call.seat.name,
        response=answer.text,
        model=answer.model,
        seconds=round(answer.seconds, 3),
        finish=answer.stop_reason,
        **paid,
    )


def _reason(plan: Plan, error: DebateroomError | None) -> str:
    """Why a seat has no answer, for people, with what would help."""
    error = spoken(error, plan.language) if error else None
    hint = error.hint if error else None
    return say(plan.language, "reason_with_hint", reason=str(error).rstrip(".。"), hint=hint) if hint else str(error)


def _failure(seat: Seat, number: int, reason: str, **paid: Any) -> dict[str, Any]:
    return event("seat_failed", round=number, agent=seat.name, role=seat.role, reason=reason, **paid)
