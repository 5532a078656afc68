"""The baseline: single answers of the debate's models, at about its tokens, and a vote over what they recommend.

It comes after the debate and takes nothing from it: whatever fails here is said, and the debate stands. Each call is
in the journal as it lands, so that a resume pays for none of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from debateroom import clock, tokens
from debateroom.debating import baseline_cost, budget, poll, prompts, share, singles
from debateroom.debating.asking import Asking, Call, Landed
from debateroom.debating.budget import Allowance
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.played import Played
from debateroom.debating.poll import Poll
from debateroom.debating.purse import Purse
from debateroom.debating.window import fitted
from debateroom.errors import DebateroomError, RoomError
from debateroom.language import in_marks, say, spoken
from debateroom.messages import Request, Seat
from debateroom.models.quote import safe_line
from debateroom.models.registry import Models
from debateroom.reading import option
from debateroom.reading.reply import read_reply
from debateroom.reading.topic import is_error_text
from debateroom.room.events import usage_json
from debateroom.room.foreign import as_usage
from debateroom.room.room import Room, event
from debateroom.room.spending import spent

GRACE = 1.0
"""Seconds for what is about to land when the time is over: it was paid for."""
_OPTION = 200
"""Characters of a recommendation that stand for an option nobody declared."""


def play(room: Room, plan: Plan, models: Models, *, ended: Mapping[str, Any], until: float | None = None) -> bool:
    """Asks for the single answers that the journal does not hold yet, and journals their vote; whether in time.

    `ended` is how the debate ended, for a resume. After `until`, on the monotonic clock, nobody is asked any more.
    Raises RoomError only: nothing else that fails here takes anything from the debate.
    """
    if plan.baseline is None or room.transcript.baseline is not None:
        return True
    asking, purse = Asking(workers=plan.baseline), Purse(plan, models.stop)
    came, stopped = Poll(), ""
    try:
        run = _Baseline(room, plan, models, asking, purse, until)
        run.begin(ended)
        stopped = run.answer()
        came = poll.held(room, plan, models, purse, until)
    except RoomError:
        raise
    except DebateroomError as error:
        stopped = str(spoken(error, plan.language))
    finally:
        asking.close()
    told = poll.result(room.state, plan, came, stopped)
    room.write(event("baseline_finished", baseline=told, **(came.paid or {})))
    return told["comparable"] or until is None or clock.monotonic() < until


@dataclass(frozen=True, slots=True)
class _Baseline:
    """One run through the single answers of a room."""

    room: Room
    plan: Plan
    models: Models
    asking: Asking
    purse: Purse
    until: float | None

    def begin(self, ended: Mapping[str, Any]) -> None:
        """Writes down what the debate used and cost, unless the journal says it already."""
        if self.room.state.baseline_started is not None:
            return
        usage = self.room.transcript.usage
        cost = self.room.transcript.cost
        debate = {"tokens": baseline_cost.whole(usage), "usage": usage_json(usage), "cost": cost}
        self.room.write(event("baseline_started", answers=self.plan.baseline, debate=debate, ended=dict(ended)))

    def answer(self) -> str:
        """Asks until all together have used about as many tokens as the debate; why it stopped short, or nothing."""
        while wave := self._wave():
            if self.until is not None and clock.monotonic() >= self.until:
                return say(self.plan.language, "time_over")
            seconds = self.plan.round_timeout
            if self.until is not None:
                seconds = min(seconds, self.until - clock.monotonic())
            calls = self._afforded([self._call(number, seconds) for number in wave])
            if not calls:
                return say(self.plan.language, "not_afforded")
            self._ask(calls, seconds)
        return ""

    def _wave(self) -> list[int]:
        """The answers that are asked now: new ones, then others again, while that brings the total nearer.

        The first goes alone: it shows how long answers are, and leaves what all share in the provider's cache.
        """
        state = self.room.state
        started = state.baseline_started or {}
        seen = {each["answer"] for each in state.singles}
        new = [number for number in range(1, started["answers"] + 1) if number not in seen]
        sizes = singles.first_sizes(state)
        if not seen:
            return new[:1]
        target = int(started["debate"]["tokens"])
        if not sizes or not target:  # nothing is known to go by
            return new
        left = target - baseline_cost.whole(singles.used(state)) - self._ballot_size()
        if wave := share.again(left, dict.fromkeys(new, fmean(sizes))):
            return wave
        gone = {each["answer"] for each in singles.failed(state)}
        ready = sorted((len(singles.steps(state, number)), number) for number in {*singles.last(state)} - gone)
        return share.again(left, {number: self._size(number) for _, number in ready})

    def _size(self, number: int) -> float:
        """Tokens of asking answer `number` again, by what its calls so far came to; 0 where they told nothing."""
        steps = singles.steps(self.room.state, number)
        drafts = [str(each["response"]) for each in steps]
        asked = _estimated(prompts.alone_request(self.plan, number, drafts[:-1]))
        again = _estimated(prompts.alone_request(self.plan, number, drafts))
        output = fmean(as_usage(each.get("usage")).output / max(1, each.get("calls", 1)) for each in steps)
        last = as_usage(steps[-1].get("usage")).input / max(1, steps[-1].get("calls", 1))
        return float(last * again / asked + output)

    def _ballot_size(self) -> float:
        texts = singles.texts(self.room.state)
        request = baseline_cost.ballot_request(self.plan, [*texts, *texts[:1]])
        return baseline_cost.ballot_size(self.plan, self._played(), request, len(texts) + 1)

    def _played(self) -> Played:
        return Played(self.plan, self.room.transcript)

    def _call(self, number: int, seconds: float) -> Call:
        """The next call for answer `number`."""
        model = self.models.open(baseline_cost.model_of(self.plan, number))
        drafts = [str(each["response"]) for each in singles.steps(self.room.state, number)]
        asked = replace(prompts.alone_request(self.plan, number, drafts), until=clock.monotonic() + seconds)
        request = fitted(model, asked).request
        return Call(Seat(f"Answer {number}", "", "", model.name, model.vendor), model, request)

    def _afforded(self, calls: list[Call]) -> list[Call]:
        """As many of `calls` as the budget holds, each with the tokens that it may have; the ballot is kept for."""
        if self.plan.budget is None:
            return calls
        played, cost, kept, least = (
            self._played().careful(()),
            self.room.transcript.cost,
            0.0,
            budget.least(self.plan),
        )
        if self.plan.moderator != NO_MODERATOR:
            question = replace(baseline_cost.usual_ballot(self.plan), max_tokens=least)
            kept = played.at_most(self.plan.moderator, question) or 0.0
        while calls and cost is not None:
            most = _price(played, calls)
            limit = budget.longest(most, self.plan.budget - cost - kept, least, self.plan.max_tokens)
            if limit is not None:
                self.purse.begin(Allowance(limit, played, kept), cost)
                return [self._taken(call, limit) for call in calls]
            calls = calls[:-1]
        return []

    def _taken(self, call: Call, limit: int) -> Call:
        """`call` with the tokens it may have, counted by the purse."""
        return replace(call, request=self.purse.take(call.model.name, replace(call.request, max_tokens=limit)))

    def _ask(self, calls: Sequence[Call], seconds: float) -> None:
        """Asks all at once, and journals what lands, in the order it lands."""
        self.asking.ask(calls)
        for group in self.asking.landed(seconds=seconds):
            self.room.write(*(self._event(item) for item in group if isinstance(item, Landed)))
        late = say(self.plan.language, "late", seconds=in_marks(self.plan.language, f"{seconds:.3g}"))
        self.room.write(*(self._event(item, late) for item in self.asking.give_up(GRACE) if isinstance(item, Landed)))

    def _event(self, landed: Landed, late: str = "") -> dict[str, Any]:
        """What came of a call, as the journal has it; `late` is why an answer came too late to be read."""
        call, came = landed.call, landed.answer or landed.error
        paid = came.paid if came else ()
        self.purse.settle(call.request, paid)
        told = {
            "answer": int(call.seat.name.split()[-1]),
            "step": call.request.purpose.round if call.request.purpose else 1,
            **spent(call.model.name, *paid, prices=self.plan.prices),
        }
        reason = late or self._unusable(landed)
        if reason or landed.answer is None:
            return event("single_failed", **told, reason=reason)
        answer = landed.answer
        read = read_reply(answer.text, kind="opening", language=self.plan.language)
        recommended = read.sections.get("proposal") or read.sections.get("position") or answer.text.strip()
        return event(
            "single_answered",
            **told,
            response=answer.text,
            option=option.declared(answer.text) or " ".join(recommended.split())[:_OPTION],
            recommendation=recommended,
            confidence=read.confidence,
            model=answer.model,
            seconds=round(answer.seconds, 3),
            finish=answer.stop_reason,
        )

    def _unusable(self, landed: Landed) -> str:
        """Why there is no answer, for people; empty when there is one."""
        language, answer = self.plan.language, landed.answer
        if answer is None:
            return str(spoken(landed.error, language)) if landed.error else say(language, "empty")
        if not answer.text.strip():
            return say(language, "empty")
        if answer.stop_reason == "refusal":
            return say(language, "refused", words=safe_line(answer.text))
        return say(language, "error_text", words=safe_line(answer.text)) if is_error_text(answer.text) else ""


def _price(played: Played, calls: Sequence[Call]) -> Callable[[int], float | None]:
    """What `calls` may cost at most when each has so many tokens; None when nobody knows."""

    def most(size: int) -> float | None:
        costs = [played.at_most(call.model.name, replace(call.request, max_tokens=size)) for call in calls]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    return most


def _estimated(request: Request) -> int:
    return sum(map(tokens.estimate, request.texts))
