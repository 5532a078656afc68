"""The judgements of a room: each is asked for twice, the second time the other way round, and journaled as it lands.

The judge sees two answers without names, made alike (see `blinding`), in an order that the room's seed draws; of more
than a few seats it rates each answer by itself. A judgement that was paid for is never asked for again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from debateroom import clock
from debateroom.debating import blinding, budget, convergence, judge, prefix, prompts, structured
from debateroom.debating.judge import Judging
from debateroom.debating.jury import Comparison, Jury, Question, Rating, shape_of
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.debating.structured import Structured
from debateroom.errors import CallFailed
from debateroom.language import say
from debateroom.messages import Entry, Purpose, Request, Transcript
from debateroom.models.registry import Models, info
from debateroom.reading.reply import read_reply
from debateroom.room.played import standing
from debateroom.room.room import Room, event
from debateroom.room.spending import spent
from debateroom.terminal import one_line

TIE = "tie"
BUDGET, DEADLINE = "budget", "deadline"
"""Why not all judgements were made."""
_WHY = 1_000
"""Characters of a judge's reason that are kept."""


def hold(
    room: Room, plan: Plan, judging: Judging, models: Models, *, purse: Purse, until: float | None = None
) -> None:
    """Asks for every judgement that the journal does not hold, and journals what stood against any.

    After `until`, on the monotonic clock, nobody is asked any more, nor when the `purse` does not hold it. Raises
    NoModel when the judge's key was refused, CallFailed when a call failed: the journal keeps what was answered.
    """
    answers = shown_answers(plan, room.transcript)
    made = {Question(tuple(each["shown"]), each["turn"]) for each in room.state.judgements}
    waiting = [each for each in questions(answers, judging.seed) if each not in made]
    if waiting:
        halted = _Hearing(room, plan, judging, models, purse, until).ask(waiting, answers)
        room.write(event("judging_finished", halted=halted))


@dataclass(frozen=True, slots=True)
class _Hearing:
    """One run of a judge over what is still to be judged in a room."""

    room: Room
    plan: Plan
    judging: Judging
    models: Models
    purse: Purse
    until: float | None
    """When the time of the whole run is over, on the monotonic clock; None is never."""

    def ask(self, waiting: Sequence[Question], answers: Mapping[str, str]) -> str:
        """Asks what is `waiting`; why not all of it was judged, empty when it was."""
        room, plan, purse = self.room, self.plan, self.purse
        if self.until is not None and clock.monotonic() >= self.until:
            return DEADLINE
        allowance = budget.judging_limit(plan, room.transcript, len(waiting), warm=purse.sent.warm())
        if allowance is None:
            purse.refuse()
            return BUDGET
        purse.begin(allowance, room.transcript.cost)
        room.write(event("judging_started", count=len(waiting)))
        asked = {each: self._request(each, answers, allowance.limit) for each in waiting}
        model, ahead = self.models.open(self.judging.model), self._goes_ahead(asked)
        jury = Jury(plan, model, purse, asked, self.until, ahead=ahead)
        try:
            self._gather(jury)
        finally:
            jury.close()
        return DEADLINE if jury.is_late() and jury.missing else ""

    def _gather(self, jury: Jury) -> None:
        """Journals what lands. Raises what stands against any judgement, or CallFailed when calls failed in time."""
        failed: list[str] = []
        refused: BaseException | None = None
        for landed in jury.landed():
            if landed.answer is None:
                refused = refused or landed.error
                jury.hurry()
                continue
            if landed.answer.failed:
                failed.append(landed.answer.problem)
            self.room.write(self._event(landed.question, landed.answer))
        if refused is not None:
            raise refused
        if failed and not jury.is_late():
            figures = {"count": len(failed), "reason": one_line(failed[0], 300)}
            raise CallFailed(say(self.plan.language, "judge_failed", **figures))

    def _request(self, asked: Question, answers: Mapping[str, str], limit: int) -> Request:
        texts = [answers[name] for name in asked.shown]
        purpose = Purpose("judge", "/".join(asked.shown), asked.turn)
        schema = structured.schema(shape_of(asked))
        request = prompts.judge_request(self.plan, texts, self.judging.rubric, schema, purpose)
        return replace(request, max_tokens=limit, until=self.until)

    def _goes_ahead(self, asked: Mapping[Question, Request]) -> bool:
        """Whether one judgement is asked for before the others, so that they find in the cache what all read."""
        shared, minimum = next(iter(asked.values())).shared, info(self.judging.model).cache_minimum
        missing = self.purse.sent.missing(self.judging.model, shared, minimum)
        return prefix.goes_ahead(self.plan.stagger, missing=missing, minimum=minimum, calls=len(asked))

    def _event(self, asked: Question, answer: Structured[Any]) -> dict[str, Any]:
        """What is kept of a judgement; of a call that failed only that, and what it cost: it is asked for again."""
        paid = spent(self.judging.model, *answer.paid, prices=self.plan.prices)
        told = {"shown": list(asked.shown), "turn": asked.turn}
        if answer.failed:
            return event("judge_failed", **told, reason=answer.problem, **paid)
        value = answer.value
        why = one_line(value.why, _WHY) if value is not None else ""
        made = {"model": answer.model, "seconds": round(answer.seconds, 3)}
        return event("judged", **told, **_said(asked, value), why=why, problem=answer.problem, **made, **paid)


def _said(asked: Question, value: Comparison | Rating | None) -> dict[str, Any]:
    """What came of a judgement: the seat whose answer is better, or `tie`; or a score; or nothing."""
    if isinstance(value, Rating):
        return {"score": value.score}
    if value is None:
        return {}
    return {"verdict": TIE if value.better == TIE else asked.shown[0 if value.better == "answer_1" else 1]}


def shown_answers(plan: Plan, transcript: Transcript) -> dict[str, str]:
    """The answers as a judge is shown them, by seat: the last ones that count, in seat order.

    What a seat wrote while it attacked by order is not what it stands for, and is not among them.
    """
    rounds = standing(transcript)
    about = f"{plan.problem}\n{plan.context}"
    names = [] if plan.alone else [seat.name for seat in plan.seats]
    return {
        entry.agent: blinding.alike(text, language=plan.language, about=about, seats=names)
        for entry in (convergence.voices(rounds[-1]) if rounds else ())
        for text in [entry.response if plan.alone else _stands_for(entry, rounds[-1].round)]
    }


def _stands_for(entry: Entry, number: int) -> str:
    """What a seat stands for after a round: its case in the first one, later its proposal as it refined it."""
    keys = ("position", "reasoning", "proposal", "concerns") if number == 1 else ("refined_proposal",)
    sections = read_reply(entry.response, kind=prompts.kind_of(number), speaker=entry.agent).sections
    return "\n\n".join(sections[key] for key in keys if sections.get(key)) or entry.response


def questions(answers: Mapping[str, str], seed: int) -> list[Question]:
    """Every judgement on the `answers` of seats, in the order that `seed` draws; each is followed by its reverse.

    Nobody is asked which of two is better that are the same.
    """
    names = list(answers)
    drawn = random.Random(seed)  # noqa: S311 - an order that can be drawn again, no secret
    if len(names) > judge.MOST_PAIRED:
        shuffled = drawn.sample(names, len(names))
        return [Question((name,), turn) for name in shuffled for turn in (1, 2)]
    pairs = list(combinations(names, 2)) if len(names) > 1 else []
    drawn.shuffle(pairs)
    turned = [pair if drawn.random() < 0.5 else pair[::-1] for pair in pairs]
    firsts = [pair for pair in turned if answers[pair[0]] != answers[pair[1]]]
    return [each for pair in firsts for each in (Question(pair, 1), Question(pair[::-1], 2))]
