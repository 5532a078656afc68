"""The rounds: all seats are asked at once, each answer is journaled as it lands, agreement ends the debate early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debateroom import tokens
from debateroom.debating import convergence, moderation, prompts
from debateroom.debating.asking import Asking, Call, Landed, OnProgress
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.spending import spent
from debateroom.errors import NoModel, TooFewReplies
from debateroom.language import say
from debateroom.messages import Answer, Request, Round, Seat
from debateroom.models.registry import Models, info
from debateroom.reading.reply import read_reply
from debateroom.room.room import Room, event


def play(room: Room, plan: Plan, models: Models, *, on_progress: OnProgress | None = None) -> str:
    """Plays the rounds that the journal does not hold yet; why the debate ended: `converged` or `rounds`.

    Raises TooFewReplies when fewer seats than the quorum answered, NoModel when a key was refused.
    """
    # twice the seats: a late call of one round may still hold a thread when the next round is asked
    asking = Asking(workers=2 * len(plan.seats))
    try:
        for number in range(1, plan.rounds + 1):
            if number not in room.state.finished_rounds:
                _play_round(room, plan, models, asking, number, on_progress)
            if _agreed(room, plan, models, number):
                return "converged"
        return "rounds"
    finally:
        asking.close()


def _play_round(
    room: Room, plan: Plan, models: Models, asking: Asking, number: int, on_progress: OnProgress | None
) -> None:
    earlier = [item for item in room.transcript.rounds if item.round < number]
    present = next((item for item in room.transcript.rounds if item.round == number), Round(number))
    room.write(event("round_started", round=number))
    _ask_seats(room, plan, models, asking, earlier, present, on_progress)
    room.write(event("round_finished", round=number))
    replies = room.transcript.rounds[number - 1].entries
    if len(replies) < plan.quorum:
        raise TooFewReplies(
            say(
                plan.language,
                "too_few",
                replies=len(replies),
                seats=len(plan.seats),
                round=number,
                quorum=plan.quorum,
            )
        )


def _ask_seats(
    room: Room,
    plan: Plan,
    models: Models,
    asking: Asking,
    earlier: Sequence[Round],
    present: Round,
    on_progress: OnProgress | None,
) -> None:
    """Asks every seat that has no reply in this round yet, and journals what lands, in the order it lands."""
    shared = prompts.shared_blocks(plan, earlier)
    answered = {entry.agent for entry in present.entries}
    calls = [
        _call(room, plan, models, shared, seat, present.round) for seat in plan.seats if seat.name not in answered
    ]
    refused: NoModel | None = None
    asking.ask(calls, stagger=_staggered(plan, shared, calls))
    for group in asking.landed(seconds=plan.round_timeout, on_progress=on_progress):
        repairs = [_journal(room, plan, landed, present.round) for landed in group]
        asking.ask([call for call in repairs if call])
        refused = refused or next((item.error for item in group if isinstance(item.error, NoModel)), None)
    roles = {seat.name: seat.role for seat in plan.seats}
    late = asking.give_up()
    reason = say(plan.language, "late", seconds=f"{plan.round_timeout:g}")
    room.write(*(_failure(name, roles[name], present.round, reason) for name in late))
    if refused:
        raise refused


def _call(room: Room, plan: Plan, models: Models, shared: Sequence[str], seat: Seat, number: int) -> Call:
    model = models.open(seat.model)
    request = prompts.seat_request(plan, shared, seat, number)
    request, history = _fitted(request, model.window)
    waiting = room.state.unreadable.get((number, seat.name))
    if waiting is None:
        return Call(seat, model, request, history)
    first = Answer(
        waiting["response"], room.transcript.usage, waiting["finish"], waiting["model"], waiting["seconds"]
    )
    return Call(seat, model, prompts.repair_request(plan, request, first.text), history, first)


def _fitted(request: Request, window: int) -> tuple[Request, str]:
    """`request` as it is, or with only the last round quoted when the model's window cannot hold all rounds."""
    needed = sum(map(tokens.estimate, request.shared)) + tokens.estimate(request.own)
    if len(request.shared) <= 2 or needed + min(request.max_tokens, window // 4) <= window:
        return request, "full"
    return replace(request, shared=(request.shared[0], request.shared[-1])), "last_round"


def _staggered(plan: Plan, shared: Sequence[str], calls: Sequence[Call]) -> bool:
    """Whether the first seat goes ahead: without that, simultaneous cache misses pay one write each."""
    if plan.stagger != "auto":
        return plan.stagger == "on"
    minimum = info(calls[0].model.name).cache_minimum if calls else 0
    return len(calls) >= 3 and 0 < minimum <= sum(map(tokens.estimate, shared[-1:]))


def _journal(room: Room, plan: Plan, landed: Landed, number: int) -> Call | None:
    """Puts what landed into the journal; the repair call when the answer has no readable section."""
    call = landed.call
    if landed.answer is None:
        if call.first is None:
            room.write(_failure(call.seat.name, call.seat.role, number, str(landed.error)))
        else:  # the repair failed: the first answer stays as it is
            room.write(_reply(plan, call, call.first, number, repaired=False, paid=None))
        return None
    reply = read_reply(landed.answer.text, kind=prompts.kind_of(number), language=plan.language)
    if reply.sections or not landed.answer.text.strip():
        room.write(_reply(plan, call, landed.answer, number, repaired=call.first is not None, paid=landed.answer))
        return None
    if call.first is not None:
        room.write(_reply(plan, call, call.first, number, repaired=False, paid=landed.answer))
        return None
    room.write(_unreadable(plan, call, landed.answer, number))
    repair = prompts.repair_request(plan, call.request, landed.answer.text)
    return replace(call, request=repair, first=landed.answer)


def _reply(
    plan: Plan, call: Call, answer: Answer, number: int, *, repaired: bool, paid: Answer | None
) -> dict[str, object]:
    """The event of a seat's reply; `paid` is the answer whose tokens it adds, None when nothing new was paid."""
    seat = call.seat
    reply = read_reply(
        answer.text,
        kind=prompts.kind_of(number),
        language=plan.language,
        speaker=seat.name,
        problem=plan.problem,
        stop_reason=answer.stop_reason,
    )
    names = {other.name for other in plan.seats}
    return event(
        "reply",
        round=number,
        agent=seat.name,
        role=seat.role,
        response=answer.text,
        confidence=reply.confidence,
        endorses=reply.endorses if reply.endorses in names else None,
        repairs=list(reply.repairs),
        model=answer.model,
        seconds=round(answer.seconds, 3),
        finish=answer.stop_reason,
        repaired=repaired,
        history=call.history,
        **(spent(call.model.name, paid.usage, prices=plan.prices) if paid else {}),
    )


def _unreadable(plan: Plan, call: Call, answer: Answer, number: int) -> dict[str, object]:
    return event(
        "unreadable",
        round=number,
        agent=call.seat.name,
        response=answer.text,
        model=answer.model,
        seconds=round(answer.seconds, 3),
        finish=answer.stop_reason,
        **spent(call.model.name, answer.usage, prices=plan.prices),
    )


def _failure(agent: str, role: str, number: int, reason: str) -> dict[str, object]:
    return event("seat_failed", round=number, agent=agent, role=role, reason=reason)


def _agreed(room: Room, plan: Plan, models: Models, number: int) -> bool:
    """Whether the debate ends after round `number` because the seats really agree. Asks the moderator if need be."""
    known = room.state.decisions.get(number)
    if known is None:
        item = room.transcript.rounds[number - 1]
        gate = convergence.gate(item, quorum=plan.quorum)
        if gate.open and plan.moderator != NO_MODERATOR and not item.moderation:
            moderation.ask(room, plan, models, number)
            item = room.transcript.rounds[number - 1]
        decision = convergence.decide(item, moderated=plan.moderator != NO_MODERATOR, quorum=plan.quorum)
        known = event("decided", round=number, **decision.to_event())
        room.write(known)
    return bool(known["converged"]) and plan.early_stop
