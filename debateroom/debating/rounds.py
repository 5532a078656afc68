"""The rounds: all seats are asked at once, each answer is journaled as it lands, agreement ends the debate early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from debateroom import clock, tokens
from debateroom.debating import convergence, forecast, moderation, prompts
from debateroom.debating.asking import Asking, Call, Landed, OnProgress
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.spending import spent
from debateroom.errors import CallFailed, DeadlinePassed, DebateroomError, NoModel, TooFewReplies
from debateroom.language import say
from debateroom.messages import Answer, Model, Request, Round, Seat, Usage
from debateroom.models.registry import Models, info
from debateroom.reading.reply import read_reply
from debateroom.room.events import Event
from debateroom.room.room import Room, event


def play(room: Room, plan: Plan, models: Models, *, on_progress: OnProgress | None = None) -> str:
    """Plays the rounds that the journal does not hold yet; why it ended: `converged, rounds, budget, deadline`.

    Raises TooFewReplies when fewer seats than the quorum answered, NoModel when a key was refused, DeadlinePassed
    when the time was over before anybody had answered.
    """
    # twice the seats: a late call of one round may still hold a thread when the next round is asked
    asking = Asking(workers=2 * len(plan.seats))
    end = clock.monotonic() + (plan.timeout or float("inf"))
    try:
        return _Rounds(room, plan, models, asking, end, on_progress).play()
    finally:
        asking.close()


@dataclass(frozen=True, slots=True)
class _Rounds:
    """One run through the rounds of a room."""

    room: Room
    plan: Plan
    models: Models
    asking: Asking
    end: float
    """When the time of the whole run is over, on the monotonic clock."""
    on_progress: OnProgress | None

    def play(self) -> str:
        for number in range(1, self.plan.rounds + 1):
            if number not in self.room.state.finished_rounds:
                if number > 1 and self._too_dear():
                    return "budget"
                self._ask_seats(number)
                if self._is_late(number):
                    return "deadline"
                self._hold_quorum(number)
                self.room.write(event("round_finished", round=number))
            if self._agreed(number):
                return "converged"
        return "rounds"

    def _too_dear(self) -> bool:
        """Whether the next round and the synthesis after it would pass the budget."""
        spent_so_far = self.room.transcript.cost
        if self.plan.budget is None or spent_so_far is None:
            return False
        coming = forecast.rounds(self.plan, self.room.transcript)
        conclusion = [item for item in coming[1:] if item.name == "synthesis"]
        expected = forecast.total([coming[0], *conclusion]).cost
        return expected is None or spent_so_far + expected > self.plan.budget

    def _ask_seats(self, number: int) -> None:
        """Asks every seat without a reply in this round yet, and journals what lands, in the order it lands."""
        self.room.write(event("round_started", round=number))
        seconds = max(0.0, min(self.plan.round_timeout, self.end - clock.monotonic()))
        calls = self._calls(number, until=clock.monotonic() + seconds)
        self.asking.ask(calls, stagger=_staggered(self.plan, calls))
        refused: NoModel | None = None
        for group in self.asking.landed(seconds=seconds, on_progress=self.on_progress):
            read = [_read(self.plan, landed, number) for landed in group]
            self.room.write(*(what for what, _ in read))  # one sync for all that landed together
            self.asking.ask([repair for _, repair in read if repair])
            refused = refused or next((item.error for item in group if isinstance(item.error, NoModel)), None)
        reason = say(self.plan.language, "late", seconds=f"{seconds:.3g}")
        late = self.asking.give_up()
        self.room.write(*(_failure(seat, number, reason) for seat in self.plan.seats if seat.name in late))
        if refused:
            raise refused

    def _calls(self, number: int, *, until: float) -> list[Call]:
        """One call for each seat without a reply in round `number`; a repair where its answer was unreadable."""
        rounds = self.room.transcript.rounds
        shared = prompts.shared_blocks(self.plan, [item for item in rounds if item.round < number])
        given = sum(map(tokens.estimate, shared))
        answered = {entry.agent for item in rounds if item.round == number for entry in item.entries}
        waiting = self.room.state.unreadable
        return [
            self._call(shared, given, seat, number, waiting.get((number, seat.name)), until)
            for seat in self.plan.seats
            if seat.name not in answered
        ]

    def _call(
        self, shared: Sequence[str], given: int, seat: Seat, number: int, unreadable: Event | None, until: float
    ) -> Call:
        model = self.models.open(seat.model)
        asked = replace(prompts.seat_request(self.plan, shared, seat, number), until=until)
        request, history = _fitted(model, asked, given)
        if unreadable is None:
            return Call(seat, model, request, history)
        paid = {key: unreadable[key] for key in ("model", "seconds")}
        first = Answer(text=unreadable["response"], usage=Usage(), stop_reason=unreadable["finish"], **paid)
        return Call(seat, model, prompts.repair_request(self.plan, request, first.text), history, first)

    def _replies(self, number: int) -> int:
        return sum(len(item.entries) for item in self.room.transcript.rounds if item.round == number)

    def _is_late(self, number: int) -> bool:
        """Whether the time of the whole run is over. Raises DeadlinePassed when nobody has answered in it."""
        if clock.monotonic() < self.end:
            return False
        if number == 1 and not self._replies(number):
            raise DeadlinePassed(say(self.plan.language, "deadline", seconds=f"{self.plan.timeout or 0:g}"))
        return True

    def _hold_quorum(self, number: int) -> None:
        replies, seats = self._replies(number), len(self.plan.seats)
        if replies < self.plan.quorum:
            figures = {"replies": replies, "seats": seats, "round": number, "quorum": self.plan.quorum}
            failures = self._round(number).failures
            first = f" ({failures[0].agent}: {failures[0].reason})" if failures else ""
            raise TooFewReplies(say(self.plan.language, "too_few", **figures) + first)

    def _agreed(self, number: int) -> bool:
        """Whether the debate ends after round `number`: the seats really agree. Asks the moderator if need be."""
        moderated = self.plan.moderator != NO_MODERATOR
        known = self.room.state.decisions.get(number)
        if known is None:
            gate = convergence.gate(self._round(number), quorum=self.plan.quorum)
            if gate.open and moderated and number not in self.room.state.moderated:
                moderation.ask(self.room, self.plan, self.models, number)
            decision = convergence.decide(self._round(number), moderated=moderated, quorum=self.plan.quorum)
            known = event("decided", round=number, **decision.to_event())
            self.room.write(known)
        return bool(known["converged"]) and self.plan.early_stop

    def _round(self, number: int) -> Round:
        return next(item for item in self.room.transcript.rounds if item.round == number)


def _fitted(model: Model, request: Request, given: int) -> tuple[Request, str]:
    """`request`, whose shared blocks are `given` tokens, or only its last round when the window cannot hold all.

    A model that counts its own tokens decides for itself; what it cannot take at all fails when it is asked.
    """
    if hasattr(model, "fit"):
        try:
            fitted = model.fit(request)
        except CallFailed:
            return request, "full"
        return fitted.request, fitted.history
    window = model.window
    needed = given + tokens.estimate(request.own)
    if len(request.shared) <= 2 or needed + min(request.max_tokens, window // 4) <= window:
        return request, "full"
    return replace(request, shared=(request.shared[0], request.shared[-1])), "last_round"


def _staggered(plan: Plan, calls: Sequence[Call]) -> bool:
    """Whether the first seat goes ahead: without that, simultaneous cache misses pay one write each."""
    if plan.stagger != "auto" or not calls:
        return plan.stagger == "on"
    minimum = info(calls[0].model.name).cache_minimum
    return len(calls) >= 3 and 0 < minimum <= sum(map(tokens.estimate, calls[0].request.shared[-1:]))


def _read(plan: Plan, landed: Landed, number: int) -> tuple[dict[str, Any], Call | None]:
    """The event of what landed, and the repair call when the answer has no readable section."""
    call, answer = landed.call, landed.answer
    if answer is None:
        if call.first is None:
            return _failure(call.seat, number, _reason(landed.error)), None
        return _reply(plan, call, call.first, number), None  # the repair failed: the first answer stays
    paid = spent(call.model.name, answer.usage, prices=plan.prices)
    reply = read_reply(answer.text, kind=prompts.kind_of(number), language=plan.language)
    if reply.sections or not answer.text.strip():
        return _reply(plan, call, answer, number, repaired=call.first is not None, **paid), None
    if call.first is not None:
        return _reply(plan, call, call.first, number, **paid), None
    repair = prompts.repair_request(plan, call.request, answer.text)
    return _unreadable(call, answer, number, paid), replace(call, request=repair, first=answer)


def _reply(
    plan: Plan, call: Call, answer: Answer, number: int, *, repaired: bool = False, **paid: Any
) -> dict[str, Any]:
    """The event of a seat's reply, with what was read from it; `paid` when a call was paid for it just now."""
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


def _reason(error: DebateroomError | None) -> str:
    """Why a seat has no answer, for people, with what would help."""
    hint = error.hint if error else None
    return f"{error}; {hint}" if hint else str(error)


def _failure(seat: Seat, number: int, reason: str) -> dict[str, Any]:
    return event("seat_failed", round=number, agent=seat.name, role=seat.role, reason=reason)
