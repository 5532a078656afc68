"""What a debate will use and cost, before it is played: calls, tokens and US dollars a round. Asks nobody.

The rounds are played with sizes in place of texts, cache and all: a part that a model has had is read, the rest is
written, and calls that run at once miss together unless one goes ahead (see `prefix`). How long replies get is a
guess, so a budget is held otherwise: by the tokens that each call may have at most (see `budget`).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from debateroom import tokens
from debateroom.debating import lookup_cost, prefix, prompts
from debateroom.debating.lookup_cost import calls_after
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.messages import Entry, Seat, Transcript, Usage, dollars
from debateroom.models.prices import cost, own_table
from debateroom.models.registry import info
from debateroom.room.events import State

REPLY = 600
"""Tokens of one reply before any was measured, a little thinking included."""
VERDICT = 250
"""Tokens of a moderator's verdict."""
SYNTHESIS = 1500
"""Tokens of a synthesis."""
_QUOTED = 450
"""Tokens of a reply's text, which is all of it that the others read, before any was measured."""
_HEADING = 25
"""Tokens around a quoted reply."""
_QUESTION = 500
"""Tokens of what the moderator is asked, after the shared blocks."""
_MARGIN = 1.2
"""What the real tokens of a prompt may be of the estimated ones before any was measured; after it they are known."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What one round, or the synthesis, will come to."""

    name: str
    """`1`, `2` …, or `synthesis`."""
    calls: int
    usage: Usage
    cost: float | None
    """US dollars; None when a price is unknown."""
    reply: int = 0
    """Tokens that a seat's reply is taken to have; 0 where no seat is asked."""

    def figures(self) -> dict[str, Any]:
        """`calls`, `input` tokens, `cost` and the tokens of a `reply` that it holds for, as an event has them."""
        return {"calls": self.calls, "input": self.usage.input, "cost": self.cost, "reply": self.reply or REPLY}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one model's replies in this room have shown; before the first, what is usual."""

    factor: float = 1.0
    """Real tokens of input for each that was estimated."""
    reply: float = REPLY
    """Tokens of one reply, thinking included."""
    quoted: float = _QUOTED
    """Tokens of one reply's text, as estimated."""


def measured(plan: Plan, transcript: Transcript) -> Mapping[str, Measured]:
    """The calibration of every model of the plan, from the replies that are there.

    A model that has not answered yet is taken to be like those that have.
    """
    models = {seat.name: seat.model for seat in plan.seats}
    given = _given(plan, transcript)
    own = _Own(plan)
    found: dict[str, list[tuple[float, Entry]]] = {}
    for item, shared in zip(transcript.rounds, given, strict=False):
        for entry in item.entries:
            # the usage of a reply that was asked for again is that of all its calls
            if entry.usage.input and entry.history == "full" and entry.calls == 1 and entry.agent in models:
                ratio = entry.usage.input / (shared + own.tokens(entry.agent, item.round))
                found.setdefault(models[entry.agent], []).append((ratio, entry))
    known = {model: _averaged(ratios) for model, ratios in found.items()}
    others = _alike(list(known.values()))
    return {model: known.get(model, others) for model in {*models.values(), plan.moderator}}


def _averaged(seen: Sequence[tuple[float, Entry]]) -> Measured:
    """The median leaves out the odd call that was counted otherwise."""
    return Measured(
        factor=median(ratio for ratio, _ in seen),
        reply=fmean(entry.usage.output for _, entry in seen),
        quoted=fmean(tokens.estimate(entry.response) for _, entry in seen),
    )


def _alike(known: Sequence[Measured]) -> Measured:
    if not known:
        return Measured()
    return Measured(*(fmean(getattr(item, name) for item in known) for name in ("factor", "reply", "quoted")))


def _given(plan: Plan, transcript: Transcript) -> list[float]:
    """Estimated tokens of what every seat read in each played round, and, last, of what it reads in the next one."""
    sizes = [tokens.estimate(block) for block in prompts.shared_blocks(plan, transcript.rounds)]
    sizes[0] += lookup_cost.SPECS if plan.tools else 0
    return [float(sum(sizes[: number + 1])) for number in range(len(sizes))]


class _Own:
    """Estimated tokens of each seat's own block. Only the first round's differs from the others'."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seats = {seat.name: seat for seat in plan.seats}
        self._known: dict[tuple[str, str], int] = {}

    def tokens(self, agent: str, number: int) -> int:
        key = (agent, prompts.kind_of(number))
        if key not in self._known:
            asked = prompts.seat_request(self._plan, (), self._seats[agent], number)
            self._known[key] = tokens.estimate(asked.own)
        return self._known[key]


def rounds(plan: Plan, transcript: Transcript, *, answered: Collection[str] = ()) -> tuple[Expected, ...]:
    """The rounds after the finished ones of `transcript`, in order, and the synthesis last.

    The seats that have `answered` in the first of them are not asked in it again.
    The moderator is taken to be asked after each: whether a round needs it shows only once it is played. Repairs of
    unreadable replies are not foreseen.
    """
    played = Played(plan, transcript)
    first = len(transcript.rounds) + 1
    found = [played.round(number, answered if number == first else ()) for number in range(first, plan.rounds + 1)]
    if plan.moderator != NO_MODERATOR:
        found.append(_expected(plan, "synthesis", [(plan.moderator, played.moderator(SYNTHESIS))]))
    return tuple(found)


def total(expected: Sequence[Expected]) -> Expected:
    """All of `expected` together."""
    costs = [item.cost for item in expected]
    known = [value for value in costs if value is not None]
    return Expected(
        "total",
        sum(item.calls for item in expected),
        sum((item.usage for item in expected), Usage()),
        dollars(sum(known)) if len(known) == len(costs) else None,
        max((item.reply for item in expected), default=0),
    )


def best(plan: Plan) -> Expected:
    """The cheapest that can happen: agreement in round 1, where a moderator can find it; else in round 2.

    Nobody looks anything up then.
    """
    plan = replace(plan, tools=None)
    first = 1 if plan.moderator != NO_MODERATOR else 2
    short = replace(plan, rounds=min(first, plan.rounds)) if plan.early_stop else plan
    return total(rounds(short, nothing_yet(plan)))


def worst(plan: Plan) -> Expected:
    """What it comes to when all rounds are played, with all look-ups, and the moderator is asked after each."""
    return total(rounds(plan, nothing_yet(plan)))


def without_tools(plan: Plan) -> Expected | None:
    """What `worst` would be if the seats looked nothing up; None where they do not."""
    return worst(replace(plan, tools=None)) if plan.tools else None


def remaining(plan: Plan, state: State) -> Expected:
    """What a room that goes on still comes to at most: the rounds it has not finished, less what was answered."""
    transcript = state.transcript
    finished = tuple(item for item in transcript.rounds if item.round in state.finished_rounds)
    if transcript.final_output is not None:
        return total(())
    agreed = plan.early_stop and any(decision["converged"] for decision in state.decisions.values())
    last = replace(plan, rounds=len(finished)) if agreed else plan
    answered = {entry.agent for item in transcript.rounds if item not in finished for entry in item.entries}
    expected = list(rounds(last, replace(transcript, rounds=finished), answered=answered))
    if plan.moderator != NO_MODERATOR:
        played = Played(plan, replace(transcript, rounds=finished))
        undecided = [item for item in finished if item.round not in {*state.decisions, *state.moderated}]
        verdicts = [(plan.moderator, played.moderator(VERDICT)) for _ in undecided]
        expected.append(_expected(plan, "moderator", verdicts))
    return total(expected)


def nothing_yet(plan: Plan) -> Transcript:
    """The transcript of a room before its first round."""
    return Transcript(problem=plan.problem, agents=plan.seats)


class Played:
    """A debate played with sizes: how much each seat reads, and how much of it each model has in its cache."""

    def __init__(self, plan: Plan, transcript: Transcript) -> None:
        self._plan = plan
        self._own = _Own(plan)
        self._next = len(transcript.rounds) + 1
        self._looks = lookup_cost.usual(plan)
        self.known = measured(plan, transcript)
        given = _given(plan, transcript)
        self._shared = given[-1]
        """Tokens that all seats will read next, as estimated."""
        # after a round each model holds what the seats read in it, and the moderator's what it read after it
        before = given[-2] if len(given) > 1 else 0.0
        self._held = {(seat.model, False): before for seat in plan.seats}
        if transcript.rounds and transcript.rounds[-1].moderation is not None:
            self._keep(plan.moderator, moderator=True)

    def full(self, size: int) -> Played:
        """The same debate as far as it was played, in which every reply is `size` tokens long."""
        other = self.copied()
        other._looks = lookup_cost.most(self._plan, size)
        margin = _MARGIN if self._next == 1 else 1.0
        other.known = {
            model: Measured(known.factor * margin, reply, reply)
            for model, known in self.known.items()
            for reply in [min(size, info(model).max_output) if model != NO_MODERATOR else size]
        }
        return other

    def next_round(self, answered: Collection[str], *, moderator: int) -> float | None:
        """US dollars of the next round and a synthesis after it, with `moderator` tokens for each of its two answers.

        None when a price is unknown.
        """
        played = self.copied()
        expected = [played.round(self._next, answered, verdict=moderator)]
        if self._plan.moderator != NO_MODERATOR:
            expected.append(played.moderators(moderator))
        return total(expected).cost

    def moderators(self, *sizes: float) -> Expected:
        """Calls of the moderator's one after the other, with answers of these sizes."""
        return _expected(self._plan, "moderator", [(self._plan.moderator, self.moderator(size)) for size in sizes])

    def copied(self) -> Played:
        """The same debate as far as it was played, to be played on by itself."""
        other = copy.copy(self)
        other._held = dict(self._held)
        return other

    def round(self, number: int, answered: Collection[str] = (), *, verdict: float = VERDICT) -> Expected:
        """Round `number`: a model's first seat reads what is in the cache; the others all of it, if it went ahead."""
        self._next = number + 1
        asked = [seat for seat in self._plan.seats if seat.name not in answered]
        usages = [used for model in dict.fromkeys(seat.model for seat in asked)
                  for used in self._of_model(model, number, asked)]  # fmt: skip
        self._shared += sum(self.known[seat.model].quoted + _HEADING for seat in self._plan.seats)
        if self._plan.moderator != NO_MODERATOR:
            usages.append((self._plan.moderator, self.moderator(verdict)))
        reply = round(fmean(self.known[seat.model].reply for seat in self._plan.seats))
        return replace(_expected(self._plan, str(number), usages), reply=reply)

    def moderator(self, output: float) -> Usage:
        """A call of the moderator's, on everything said so far."""
        usage = self._call(self._plan.moderator, _QUESTION, output, moderator=True)
        self._keep(self._plan.moderator, moderator=True)
        return usage

    def _of_model(self, model: str, number: int, asked: Sequence[Seat]) -> list[tuple[str, Usage]]:
        seats = [seat for seat in asked if seat.model == model]
        minimum, factor = info(model).cache_minimum, self.known[model].factor
        missing = (self._shared - self._read(model)) * factor
        ahead = prefix.goes_ahead(self._plan.stagger, missing=missing, minimum=minimum, calls=len(asked))
        first = self._seat(seats[0], number)
        if ahead:
            self._keep(model)
        others = [usage for seat in seats[1:] for usage in self._seat(seat, number)]
        self._keep(model)
        return [(model, usage) for usage in (*first, *others)]

    def _seat(self, seat: Seat, number: int) -> list[Usage]:
        """The calls of one reply: the last one writes it, those before it ask for tools."""
        own, reply = self._own.tokens(seat.name, number), self.known[seat.model].reply
        if self._looks is None:
            return [self._call(seat.model, own, reply)]
        first = self._call(seat.model, own, self._looks.asked)
        factor, minimum = self.known[seat.model].factor, info(seat.model).cache_minimum
        shared = self._shared * factor
        after = calls_after(first, self._looks, shared=shared, reply=reply, factor=factor, minimum=minimum)
        return [first, *after]

    def _call(self, model: str, own: float, output: float, *, moderator: bool = False) -> Usage:
        factor, minimum = self.known[model].factor, info(model).cache_minimum
        shared, read = self._shared * factor, self._read(model, moderator=moderator) * factor
        written = shared - read if 0 < minimum <= shared else 0.0
        return Usage(round(shared + own * factor), round(read), round(written), round(output))

    def _read(self, model: str, *, moderator: bool = False) -> float:
        """Estimated tokens of the shared part that the model's provider has in its cache."""
        held, minimum = self._held.get((model, self._apart(moderator)), 0.0), info(model).cache_minimum
        return held if 0 < minimum <= held * self.known[model].factor else 0.0

    def _keep(self, model: str, *, moderator: bool = False) -> None:
        self._held[model, self._apart(moderator)] = self._shared

    def _apart(self, moderator: bool) -> bool:
        """Whether a call begins otherwise than the seats': tools stand before all else, and it has none."""
        return moderator and self._plan.tools is not None


def _expected(plan: Plan, name: str, usages: Sequence[tuple[str, Usage]]) -> Expected:
    own = own_table(plan.prices)
    costs = [cost(model, usage, own) for model, usage in usages]
    known = [value for value in costs if value is not None]
    spent = sum((usage for _, usage in usages), Usage())
    return Expected(name, len(usages), spent, dollars(sum(known)) if len(known) == len(costs) else None)
