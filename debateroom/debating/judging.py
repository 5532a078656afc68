"""The judgements of a room: each is asked for twice, the second time the other way round, and journaled as it lands.

The judge sees two answers without names, made alike (see `blinding`), in an order that the room's seed draws; of more
than a few seats it rates each answer by itself. A judgement that was paid for is never asked for again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from debateroom import clock
from debateroom.debating import blinding, budget, convergence, judge, prefix, prompts, structured
from debateroom.debating.judge import Judging
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.debating.structured import Structured
from debateroom.errors import CallFailed
from debateroom.language import say
from debateroom.messages import Entry, Model, Purpose, Request, Transcript
from debateroom.models.registry import Models, info
from debateroom.reading.reply import read_reply
from debateroom.room.played import standing
from debateroom.room.room import Room, event
from debateroom.room.spending import spent
from debateroom.terminal import one_line

TIE = "tie"
BUDGET, DEADLINE = "budget", "deadline"
"""Why not all judgements were made."""
_BEST = 10
_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""
_GRACE = 1.0
"""Seconds for what is about to land when a key was refused or the time is over: it was paid for."""
_WHY = 1_000
"""Characters of a judge's reason that are kept."""


class Comparison(BaseModel):
    """What a judge says of two answers."""

    model_config = ConfigDict(frozen=True)
    why: str
    better: Literal["answer_1", "answer_2", "tie"]


class Rating(BaseModel):
    """What it says of one."""

    model_config = ConfigDict(frozen=True)
    why: str
    score: int


class Question(NamedTuple):
    """One judgement that is to be made."""

    shown: tuple[str, ...]
    """The seats whose answers are shown, in order: two, or one."""
    turn: int
    """1, or 2 for the other way round."""


class _Landed(NamedTuple):
    question: Question
    answer: Structured[Any] | None
    error: BaseException | None = None


def hold(
    room: Room, plan: Plan, judging: Judging, models: Models, *, purse: Purse, until: float | None = None
) -> None:
    """Asks for every judgement that the journal does not hold, and journals what stood against any.

    After `until`, on the monotonic clock, nobody is asked any more, nor when the `purse` does not hold it. Raises
    NoModel when the judge's key was refused, CallFailed when a call failed: the journal keeps what was answered.
    """
    answers = shown_answers(plan, room.transcript)
    waiting = [each for each in questions(list(answers), judging.seed) if each not in _made(room)]
    if waiting:
        halted = _held(room, plan, judging, models, waiting, answers, purse, until)
        room.write(event("judging_finished", halted=halted))


def _held(
    room: Room,
    plan: Plan,
    judging: Judging,
    models: Models,
    waiting: Sequence[Question],
    answers: Mapping[str, str],
    purse: Purse,
    until: float | None,
) -> str:
    """Asks what is `waiting`; why not all of it was judged, empty when it was."""
    if until is not None and clock.monotonic() >= until:
        return DEADLINE
    allowance = budget.judging_limit(plan, room.transcript, len(waiting), warm=purse.sent.warm())
    if allowance is None:
        purse.refuse()
        return BUDGET
    purse.begin(allowance, room.transcript.cost)
    room.write(event("judging_started", count=len(waiting)))
    requests = {
        each: replace(_request(plan, judging, each, answers), max_tokens=allowance.limit, until=until)
        for each in waiting
    }
    ahead = _goes_ahead(plan, judging, purse, requests)
    asking = _Asking(plan, models.open(judging.model), purse, requests, until, ahead=ahead)
    try:
        _gather(room, plan, judging, asking)
    finally:
        asking.close()
    return DEADLINE if asking.is_late() and asking.missing else ""


def shown_answers(plan: Plan, transcript: Transcript) -> dict[str, str]:
    """The answers as a judge is shown them, by seat: the last ones that count, in seat order."""
    rounds = standing(transcript)
    about = f"{plan.problem}\n{plan.context}"
    names = [seat.name for seat in plan.seats]
    return {
        entry.agent: blinding.alike(text, language=plan.language, about=about, seats=names)
        for entry in (convergence.counted(rounds[-1]) if rounds else ())
        for text in [entry.response if plan.alone else _stands_for(entry, rounds[-1].round)]
    }


def _stands_for(entry: Entry, number: int) -> str:
    """What a seat stands for after a round: its case in the first one, later its proposal as it refined it."""
    keys = ("position", "reasoning", "proposal", "concerns") if number == 1 else ("refined_proposal",)
    sections = read_reply(entry.response, kind=prompts.kind_of(number), speaker=entry.agent).sections
    return "\n\n".join(sections[key] for key in keys if sections.get(key)) or entry.response


def questions(names: Sequence[str], seed: int) -> list[Question]:
    """Every judgement on the answers of `names`, in the order that `seed` draws; each is followed by its reverse."""
    drawn = random.Random(seed)  # noqa: S311 - an order that can be drawn again, no secret
    if len(names) > judge.MOST_PAIRED:
        shuffled = drawn.sample(names, len(names))
        return [Question((name,), turn) for name in shuffled for turn in (1, 2)]
    pairs = list(combinations(names, 2)) if len(names) > 1 else []
    drawn.shuffle(pairs)
    firsts = [pair if drawn.random() < 0.5 else pair[::-1] for pair in pairs]
    return [each for pair in firsts for each in (Question(pair, 1), Question(pair[::-1], 2))]


def _made(room: Room) -> set[Question]:
    return {Question(tuple(each["shown"]), each["turn"]) for each in room.state.judgements}


def _request(plan: Plan, judging: Judging, asked: Question, answers: Mapping[str, str]) -> Request:
    shape = Comparison if len(asked.shown) == 2 else Rating
    texts = [answers[name] for name in asked.shown]
    purpose = Purpose("judge", "/".join(asked.shown), asked.turn)
    return prompts.judge_request(plan, texts, judging.rubric, structured.schema(shape), purpose)


def _goes_ahead(plan: Plan, judging: Judging, purse: Purse, requests: Mapping[Question, Request]) -> bool:
    """Whether one judgement is asked for before the others, so that they find in the cache what all read."""
    shared, minimum = next(iter(requests.values())).shared, info(judging.model).cache_minimum
    missing = purse.sent.missing(judging.model, shared, minimum)
    return prefix.goes_ahead(plan.stagger, missing=missing, minimum=minimum, calls=len(requests))


def _gather(room: Room, plan: Plan, judging: Judging, asking: _Asking) -> None:
    """Journals what lands. Raises what stands against any judgement, or CallFailed when calls failed in time."""
    failed: list[str] = []
    refused: BaseException | None = None
    for landed in asking.landed():
        if landed.answer is None:
            refused = refused or landed.error
            asking.hurry()
            continue
        if landed.answer.failed:
            failed.append(landed.answer.problem)
        room.write(_event(plan, judging, landed.question, landed.answer))
    if refused is not None:
        raise refused
    if failed and not asking.is_late():
        raise CallFailed(say(plan.language, "judge_failed", count=len(failed), reason=one_line(failed[0], 300)))


def _event(plan: Plan, judging: Judging, asked: Question, answer: Structured[Any]) -> dict[str, Any]:
    """What is kept of a judgement; of a call that failed only that, and what it cost: it is asked for again."""
    paid = spent(judging.model, *answer.paid, prices=plan.prices)
    told = {"shown": list(asked.shown), "turn": asked.turn}
    if answer.failed:
        return event("judge_failed", **told, reason=answer.problem, **paid)
    value = answer.value
    found: dict[str, Any] = {}
    if isinstance(value, Comparison):
        found = {"verdict": _better(asked, value.better)}
    elif isinstance(value, Rating):
        found = {"score": value.score}
    why = one_line(value.why, _WHY) if value is not None else ""
    made = {"model": answer.model, "seconds": round(answer.seconds, 3)}
    return event("judged", **told, **found, why=why, problem=answer.problem, **made, **paid)


def _better(asked: Question, said: str) -> str:
    """The seat whose answer is better, or `tie`."""
    return TIE if said == TIE else asked.shown[0 if said == "answer_1" else 1]


class _Asking:
    """The judgements that are under way. Worker threads only ask; what lands comes back to the main thread."""

    def __init__(
        self,
        plan: Plan,
        model: Model,
        purse: Purse,
        requests: Mapping[Question, Request],
        until: float | None,
        *,
        ahead: bool,
    ) -> None:
        """Sends all `requests`; when one goes `ahead`, the others follow once it has landed."""
        self._plan, self._model, self._purse, self._until = plan, model, purse, until
        self._end = math.inf if until is None else until + _GRACE
        self._queue: SimpleQueue[_Landed] = SimpleQueue()
        self.missing = len(requests)
        """Judgements that have not landed with a value or a reason why there is none."""
        self._under_way = len(requests)
        # no `with`: leaving it would wait for calls in flight, and an interrupted run may not
        self._pool = ThreadPoolExecutor(min(len(requests), plan.concurrency), thread_name_prefix="judge")
        self._held = list(requests.items())
        self._send(1 if ahead else len(requests))

    def landed(self) -> Iterator[_Landed]:
        """What lands, until all has, or the time is over and what was paid for has had its moment to come."""
        while self._under_way and clock.monotonic() < self._end:
            try:
                found = self._queue.get(timeout=_LOOK)
            except Empty:
                continue
            self._under_way -= 1
            self.missing -= found.answer is not None and not found.answer.failed
            yield found
            if self._under_way and clock.monotonic() < self._end and found.answer is not None:
                self._send(len(self._held))

    def is_late(self) -> bool:
        """Whether the time of the run is over."""
        return self._until is not None and clock.monotonic() >= self._until

    def hurry(self) -> None:
        """Sends nothing more, and waits only a moment for the rest."""
        self.close()
        self._end = min(self._end, clock.monotonic() + _GRACE)

    def close(self) -> None:
        """Stops taking calls, and waits for none."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _send(self, count: int) -> None:
        """Sends the next `count` of those that are held back."""
        now, self._held = self._held[:count], self._held[count:]
        for question, request in now:
            self._pool.submit(self._ask, question, request)

    def _ask(self, question: Question, request: Request) -> None:
        """In a worker thread. Raises nothing."""
        shape: type[Comparison | Rating] = Comparison if len(question.shown) == 2 else Rating
        check = None if shape is Comparison else self._out_of_range
        try:
            answer: Structured[Any] = structured.ask(
                self._plan, self._model, request, shape, purse=self._purse, check=check
            )
            self._queue.put(_Landed(question, answer))
        except BaseException as error:
            self._queue.put(_Landed(question, None, error))

    def _out_of_range(self, rating: Any) -> str:
        return "" if 1 <= rating.score <= _BEST else say(self._plan.language, "score_range", most=_BEST)
