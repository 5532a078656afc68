"""The rounds: all seats are asked at once, each answer is journaled as it lands, agreement ends the debate early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from debateroom import clock, tokens
from debateroom.agents.tape import tape
from debateroom.debating import budget, convergence, devil, moderation, prefix, prompts, turns
from debateroom.debating.asking import Asking, Call, Landed, OnProgress, Told
from debateroom.debating.budget import Allowance
from debateroom.debating.looking import Desk
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.purse import Purse
from debateroom.debating.window import fitted
from debateroom.errors import BudgetSpent, DeadlinePassed, NoModel, TooFewReplies
from debateroom.language import in_marks, say
from debateroom.messages import Answer, Request, Round, Seat, Usage
from debateroom.models.registry import Models, info
from debateroom.room.events import Event
from debateroom.room.room import Room, event

GRACE = 1.0
"""Seconds for what is about to land when a key was refused or the time is over: it was paid for."""


def play(
    room: Room,
    plan: Plan,
    models: Models,
    *,
    purse: Purse,
    until: float | None = None,
    on_progress: OnProgress | None = None,
) -> str:
    """Plays the rounds that the journal does not hold yet; why it ended: `converged, rounds, budget, deadline`.

    `until` is when the time of the whole run is over, on the monotonic clock. Raises TooFewReplies when fewer seats
    than the quorum answered, NoModel when a key was refused, DeadlinePassed when the time was over before anybody
    had answered, BudgetSpent when the budget was before enough had.
    """
    # twice the seats: a late call of one round may still hold a thread when the next round is asked
    asking = Asking(workers=2 * len(plan.seats))
    try:
        return _Rounds(room, plan, models, asking, purse, until, on_progress, _desk(plan, models)).play()
    finally:
        asking.close()


def _desk(plan: Plan, models: Models) -> Desk | None:
    """What the seats look things up with; its programs and servers are ended with `models`."""
    if plan.tools is None:
        return None
    return Desk(plan.tools, models, language=plan.language, fence=plan.fence, seconds=plan.round_timeout)


@dataclass(frozen=True, slots=True)
class _Rounds:
    """One run through the rounds of a room."""

    room: Room
    plan: Plan
    models: Models
    asking: Asking
    purse: Purse
    until: float | None
    """When the time of the whole run is over, on the monotonic clock; None is never."""
    on_progress: OnProgress | None
    desk: Desk | None
    """What the seats look things up with; None for nothing."""

    def play(self) -> str:
        for number in range(1, self.plan.rounds + 1):
            if number not in self.room.state.finished_rounds:
                if self._is_late():
                    return "deadline"
                allowance = self._allowance(number)
                if allowance is None:
                    return "budget"
                self._ask_seats(number, allowance)
                if self._is_late():
                    if self._replies(number) >= self.plan.quorum:
                        self.room.write(event("round_finished", round=number))
                    return "deadline"
                if self._short_of_money(number):
                    return "budget"
                self._hold_quorum(number)
                self.room.write(event("round_finished", round=number))
            if self._agreed(number):
                return "converged"
        return "rounds"

    def _is_late(self) -> bool:
        """Whether the time of the whole run is over. Raises DeadlinePassed when nobody has answered in it."""
        if self.until is None or clock.monotonic() < self.until:
            return False
        if not self._anything():
            raise DeadlinePassed(
                say(
                    self.plan.language,
                    "deadline",
                    seconds=in_marks(self.plan.language, f"{self.plan.timeout or 0:g}"),
                )
            )
        return True

    def _anything(self) -> bool:
        return any(item.entries for item in self.room.transcript.rounds)

    def _allowance(self, number: int) -> Allowance | None:
        """What the replies of round `number` may have; None when the round and a synthesis may pass the budget.

        A cost that became unknown on the way keeps no budget: a provider did not say what was used. Raises
        BudgetSpent before the first reply: there is nothing that could be synthesised.
        """
        rounds, spent = self.room.transcript.rounds, self.room.transcript.cost
        if spent is None and self.plan.budget is not None and self._anything():
            return None
        finished = replace(self.room.transcript, rounds=tuple(item for item in rounds if item.round < number))
        answered = {entry.agent for item in rounds if item.round == number for entry in item.entries}
        if not self._anything():
            budget.hold(self.plan, spent or 0.0)
        warm = self.purse.sent.warm()
        return budget.limit(self.plan, finished, spent or 0.0, answered=answered, warm=warm)

    def _ask_seats(self, number: int, allowance: Allowance) -> None:
        """Asks every seat without a reply in this round yet, and journals what lands, in the order it lands."""
        there = [entry for item in self.room.transcript.rounds if item.round == number for entry in item.entries]
        answered = {entry.agent: entry.confidence for entry in there}
        attack = devil.appointed(self.plan, self.room.transcript, self.room.state.decisions, number)
        told = attack._asdict() if attack else {}
        self.room.write(event("round_started", round=number, answered=answered, **told))
        seconds = self.plan.round_timeout
        if self.until is not None:
            seconds = max(0.0, min(seconds, self.until - clock.monotonic()))
        self.purse.begin(allowance, self.room.transcript.cost)
        calls = self._calls(number, allowance.limit, until=clock.monotonic() + seconds)
        self.asking.ask(calls, stagger=self._staggered(calls))
        refused: NoModel | None = None
        project = self.desk.project if self.desk else None
        for group in self.asking.landed(seconds=seconds, on_progress=self.on_progress):
            self._settle(group)
            read = [turns.read(self.plan, landed, number, self._afford, project) for landed in group]
            self.room.write(*(what for what, _ in read))  # one sync for all that landed together
            self._remember(group)
            errors = (item.error for item in group if isinstance(item, Landed))
            refused = refused or next((error for error in errors if isinstance(error, NoModel)), None)
            if refused:
                self.asking.hurry(GRACE)
            else:
                self.asking.ask([repair for _, repair in read if repair])
        late = self.asking.give_up(0.0 if refused else GRACE)
        if refused:
            raise refused
        reason = say(self.plan.language, "late", seconds=in_marks(self.plan.language, f"{seconds:.3g}"))
        self.room.write(*(turns.late(self.plan, landed, number, reason) for landed in late))

    def _settle(self, group: Sequence[Landed | Told]) -> None:
        for item in group:
            if isinstance(item, Told):
                self.purse.told(item.call.request, item.step.paid if item.step else ())
            else:
                came = item.answer or item.error
                self.purse.settle(item.call.request, came.paid if came else ())

    def _afford(self, call: Call) -> Call | None:
        """`call`, a repair, when the budget holds it beside what is under way; else None."""
        request = self.purse.afford(call.model.name, call.request)
        return replace(call, request=request) if request else None

    def _remember(self, group: Sequence[Landed | Told]) -> None:
        for item in group:
            if isinstance(item, Landed) and item.answer is not None:
                seconds = item.answer.seconds
                self.purse.sent.note(item.call.model.name, item.call.request.shared, seconds=seconds)

    def _staggered(self, calls: Sequence[Call]) -> set[str]:
        """The models whose first seat goes ahead of their others: those that would have enough to write."""
        first = {call.model.name: call for call in reversed(calls)}
        found = set()
        for name, call in first.items():
            minimum = info(name).cache_minimum
            missing = self.purse.sent.missing(name, call.request.shared, minimum)
            if prefix.goes_ahead(self.plan.stagger, missing=missing, minimum=minimum, calls=len(calls)):
                found.add(name)
        return found

    def _calls(self, number: int, limit: int, *, until: float) -> list[Call]:
        """One call for each seat without a reply in round `number`; a repair where its answer was unreadable."""
        rounds = self.room.transcript.rounds
        shared = prompts.shared_blocks(self.plan, self._rounds_to(number - 1))
        given = sum(map(tokens.estimate, shared))
        answered = {entry.agent for item in rounds if item.round == number for entry in item.entries}
        waiting = self.room.state.unreadable
        round_ = self._round(number)
        attacked = next((seat for seat in self.plan.seats if seat.name == round_.attacks), None)
        return [
            self._call(replace(asked, max_tokens=limit, until=until), given, seat, waiting.get((number, seat.name)))
            for seat in self.plan.seats
            if seat.name not in answered
            for attacks in [attacked if seat.name == round_.devil else None]
            for asked in [prompts.seat_request(self.plan, shared, seat, number, attacks=attacks)]
        ]

    def _call(self, asked: Request, given: int, seat: Seat, unreadable: Event | None) -> Call:
        model = self.models.open(seat.model)
        kit = None
        if self.desk and self.plan.tools:
            number = asked.purpose.round if asked.purpose else 0
            steps = self.room.state.looked.get((number, seat.name), ())
            kit = self.desk.kit(seat, model, tape(steps, repeatable=True))  # look-ups change nothing
            asked = replace(asked, reserve=self.plan.tools.reserve(model.window))
        request, history = fitted(model, asked, given=given)
        call = Call(seat, model, self.purse.take(model.name, request), history, kit=kit)
        if unreadable is None:
            return call
        paid = {key: unreadable[key] for key in ("model", "seconds")}
        first = Answer(text=unreadable["response"], usage=Usage(), stop_reason=unreadable["finish"], **paid)
        return turns.repair(self.plan, call, first) or call

    def _replies(self, number: int) -> int:
        return sum(len(item.entries) for item in self.room.transcript.rounds if item.round == number)

    def _short_of_money(self, number: int) -> bool:
        """Whether too few seats answered in round `number` because the budget held no further try of theirs.

        Raises BudgetSpent when no earlier round could be synthesised.
        """
        if not self.purse.refused_now or self._replies(number) >= self.plan.quorum:
            return False
        if number > 1:
            return True
        raise BudgetSpent(self._too_few(number), hint=say(self.plan.language, "budget_hint"))

    def _hold_quorum(self, number: int) -> None:
        if self._replies(number) < self.plan.quorum:
            raise TooFewReplies(self._too_few(number))

    def _too_few(self, number: int) -> str:
        """That too few seats answered in round `number`, and why the first of the others did not."""
        replies, seats = self._replies(number), len(self.plan.seats)
        figures = {"count": replies, "seats": seats, "round": number, "quorum": self.plan.quorum}
        failures = self._round(number).failures
        first = f" ({failures[0].agent}: {failures[0].reason})" if failures else ""
        return say(self.plan.language, "too_few", **figures) + first

    def _agreed(self, number: int) -> bool:
        """Whether the debate ends after round `number`: the seats really agree. Asks the moderator if need be."""
        moderated = self.plan.moderator != NO_MODERATOR
        known = self.room.state.decisions.get(number)
        if known is None:
            gate = convergence.gate(self._round(number), quorum=self.plan.quorum)
            if gate.open and moderated and number not in self.room.state.moderated:
                read = moderation.ask(self.room, self.plan, self.models, number, purse=self.purse, until=self.until)
                if read and self.plan.tools is None:  # tools stand before everything: hers is another beginning
                    self.purse.sent.note(self.plan.moderator, read)
            decision = convergence.decide(self._round(number), moderated=moderated, quorum=self.plan.quorum)
            known = event("decided", round=number, **decision.to_event())
            self.room.write(known)
        return bool(known["converged"]) and self.plan.early_stop

    def _rounds_to(self, number: int) -> list[Round]:
        return [item for item in self.room.transcript.rounds if item.round <= number]

    def _round(self, number: int) -> Round:
        return next(item for item in self.room.transcript.rounds if item.round == number)
