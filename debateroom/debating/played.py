"""A debate played with sizes in place of texts: what each call reads, and how much of it its model has in a cache.

A part that a model has had is read, the rest is written, and calls that run at once miss together unless one goes
ahead (see `prefix`). A hit is only counted on where a request carries what makes one, or once one was seen (see
`models.caching`); at worst there is none.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from debateroom import tokens
from debateroom.debating import judge, lookup_cost, prefix
from debateroom.debating.expected import Expected, expected, total
from debateroom.debating.lookup_cost import calls_after
from debateroom.debating.measured import Measured, OwnTokens, measured, shared_tokens
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.messages import Request, Seat, Transcript, Usage
from debateroom.models.caching import UNCACHED, Caching, caching
from debateroom.models.prices import cost, own_table
from debateroom.models.registry import info

VERDICT = 250
"""Tokens of a moderator's verdict."""
HEADING = 25
"""Tokens around a quoted reply."""
JUDGEMENT, TO_JUDGE = 150, 700
"""Tokens of a judgement, and of what a judge is told beside the task and the answers."""
QUESTION, LAST_QUESTION = 600, 1_300
"""Tokens of what the moderator is asked after the shared blocks, schema included: for a verdict, and at the end."""
_MARGIN, _MARGIN_MEASURED = 1.2, 1.05
"""What the real tokens of a prompt may be of the estimated ones: before any of the model's was measured, and then."""
_PROBE = 1_000
"""Tokens of a call by which it is seen whether writing to a cache has a price of its own."""


class NextRound(NamedTuple):
    """What the next round may cost, in US dollars."""

    seats: float
    after: float
    """The moderator's verdict on it, and the synthesis."""


class Played:
    """A debate played with sizes: how much each seat reads, and how much of it each model has in its cache."""

    def __init__(self, plan: Plan, transcript: Transcript) -> None:
        self._plan = plan
        self._own = OwnTokens(plan)
        self._next = len(transcript.rounds) + 1
        self._looks = lookup_cost.usual(plan)
        self._warm: Collection[str] | None = None
        """Models whose caches are known to hold what they did in the last round; None: hits are as foreseen."""
        self._dear: dict[str, bool] = {}
        self.known = dict(measured(plan, transcript))
        self._caching = {model: self._cache_of(model) for model in self.known if model != NO_MODERATOR}
        given = shared_tokens(plan, transcript)
        self._shared = given[-1]
        """Tokens that all seats will read next, as estimated."""
        # after a round each model holds what the seats read in it, and the moderator's what it read after it
        before = given[-2] if len(given) > 1 else 0.0
        self._held = {(seat.model, False): before for seat in plan.seats}
        if transcript.rounds and transcript.rounds[-1].moderation is not None:
            self._keep(plan.moderator, moderator=True)

    def careful(self, warm: Collection[str] | None) -> Played:
        """The same debate as far as it was played, with prompts as much larger as an estimate may be wrong.

        Hits are counted on in the caches of the `warm` models only, and there as many as the last round had; what is
        not found is written wherever that is dearer. None: hits are as foreseen.
        """
        other = self.copied()
        other._warm = warm
        other.known = {model: _careful(known) for model, known in self.known.items()}
        return other

    def full(self, size: int, *, warm: Collection[str] | None = ()) -> Played:
        """The `careful` one, in which every reply is `size` tokens long."""
        other = self.careful(warm)
        other._looks = lookup_cost.most(self._plan, size)
        for model, known in other.known.items():
            reply = min(size, info(model).max_output) if model != NO_MODERATOR else size
            other.known[model] = replace(known, reply=reply, quoted=reply / self.known[model].factor)
        return other

    def next_round(self, answered: Collection[str], *, moderator: int) -> NextRound | None:
        """What the next round costs, and what comes after it, with `moderator` tokens for each of its two answers.

        None when a price is unknown.
        """
        played, alone = self.copied(), self.copied()
        parts = [played.round(self._next, answered, verdict=moderator)]
        if self._plan.moderator != NO_MODERATOR:
            parts.append(played.moderators(moderator))
        parts.append(played.judgements(judge.calls(len(self._plan.seats)), moderator))
        alone._plan = replace(self._plan, moderator=NO_MODERATOR)
        seats, whole = alone.round(self._next, answered).cost, total(parts).cost
        return None if seats is None or whole is None else NextRound(seats, whole - seats)

    def at_most(self, model: str, request: Request) -> float | None:
        """US dollars that a call to `model` may cost at most, the look-ups of a seat included. None: not known."""
        shared = sum(map(tokens.estimate, request.shared))
        own = sum(map(tokens.estimate, request.texts)) - shared + tokens_of(request.schema)
        most = min(request.max_tokens, info(model).max_output)
        calls = [self._usage(model, own, most, shared=shared, held=shared)]
        if self._looks is not None and request.purpose is not None and request.purpose.call == "seat":
            first = self._usage(model, own + lookup_cost.SPECS, self._looks.asked, shared=shared, held=shared)
            calls = self._looked_up(model, first, shared, most)
        return expected(self._plan, "", [(model, usage) for usage in calls]).cost

    def alone(self, model: str, own: float, output: float, *, shared: float, held: float) -> Usage:
        """A call outside of the debate, of so many estimated tokens; the cache may hold the first `held`."""
        return self._usage(model, own, output, shared=shared, held=held)

    def moderators(self, *sizes: float) -> Expected:
        """Calls of the moderator's one after the other, with answers of these sizes and the longest question."""
        usages = [(self._plan.moderator, self.moderator(size, question=LAST_QUESTION)) for size in sizes]
        return expected(self._plan, "moderator", usages)

    def judgements(self, count: int, output: float = JUDGEMENT) -> Expected:
        """So many judgements, of which each reads the task and the answers that it is about; none without a judge."""
        judging = self._plan.judging
        if judging is None:
            return expected(self._plan, "judging", [])
        task = tokens.estimate(f"{self._plan.problem}{self._plan.context}{judging.rubric}") + TO_JUDGE
        shown = 1 if len(self._plan.seats) > judge.MOST_PAIRED else 2
        answer = max(self.known[seat.model].quoted for seat in self._plan.seats) + HEADING
        usages = [
            self._usage(judging.model, shown * answer, output, shared=task, held=task if number else 0.0)
            for number in range(count)
        ]
        return expected(self._plan, "judging", [(judging.model, usage) for usage in usages])

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
        self._shared += sum(self.known[seat.model].quoted + HEADING for seat in self._plan.seats)
        if self._plan.moderator != NO_MODERATOR:
            usages.append((self._plan.moderator, self.moderator(verdict)))
        reply = round(fmean(self.known[seat.model].reply for seat in self._plan.seats))
        return replace(expected(self._plan, str(number), usages), reply=reply)

    def moderator(self, output: float, *, question: int = QUESTION) -> Usage:
        """A call of the moderator's, on everything said so far."""
        usage = self._call(self._plan.moderator, question, output, moderator=True)
        self._keep(self._plan.moderator, moderator=True)
        return usage

    def _of_model(self, model: str, number: int, asked: Sequence[Seat]) -> list[tuple[str, Usage]]:
        seats = [seat for seat in asked if seat.model == model]
        minimum, factor = info(model).cache_minimum, self.known[model].factor
        held = self._kept(model)
        missing = (self._shared - (held if held * factor >= minimum else 0.0)) * factor
        ahead = prefix.goes_ahead(self._plan.stagger, missing=missing, minimum=minimum, calls=len(asked))
        first = self._seat(seats[0], number)
        if ahead:
            self._keep(model)
        others = [usage for seat in seats[1:] for usage in self._seat(seat, number)]
        self._keep(model)
        return [(model, usage) for usage in (*first, *others)]

    def _seat(self, seat: Seat, number: int) -> list[Usage]:
        """The calls of one reply: the last one writes it, those before it ask for tools."""
        devil = self._plan.devil and number > 1 and seat is self._plan.seats[0]  # one a round, whichever it is
        own, reply = self._own.tokens(seat.name, number, devil=devil), self.known[seat.model].reply
        if self._looks is None:
            return [self._call(seat.model, own, reply)]
        return self._looked_up(seat.model, self._call(seat.model, own, self._looks.asked), self._shared, reply)

    def _looked_up(self, model: str, first: Usage, shared: float, reply: float) -> list[Usage]:
        """The calls of a reply with look-ups, after its `first`: each sends once more all that was there before."""
        if self._looks is None:
            return [first]
        factor = self.known[model].factor
        calls, held = [first], shared * factor
        for step in calls_after(first.input, self._looks, reply=reply, factor=factor):
            calls.append(self._served(model, step.given, step.output, begins=step.given, held=held))
            held = step.given
        return calls

    def _call(self, model: str, own: float, output: float, *, moderator: bool = False) -> Usage:
        return self._usage(model, own, output, shared=self._shared, held=self._kept(model, moderator=moderator))

    def _usage(self, model: str, own: float, output: float, *, shared: float, held: float) -> Usage:
        """A call with so many estimated tokens, of which the provider's cache may hold the first `held`."""
        factor = self.known[model].factor
        return self._served(model, (shared + own) * factor, output, begins=shared * factor, held=held * factor)

    def _served(self, model: str, sent: float, output: float, *, begins: float, held: float) -> Usage:
        """A call of so many real tokens: the first `held` may be in the cache, and how it `begins` is to be kept."""
        cached = self._caching[model]
        read = min(held, self._share(model) * sent) if held >= cached.minimum else 0.0
        marked = begins if cached.minimum <= begins else 0.0
        if self._warm is None:
            most = marked if cached.sure else 0.0
        else:
            most = (marked if cached.marked else sent) if self._writing_is_dearer(model) else 0.0
        written = min(round(max(0.0, most - read)), round(sent) - round(read))
        return Usage(round(sent), round(read), written, round(output))

    def _share(self, model: str) -> float:
        """Of what a call sends, the share that may be found in the cache: no more than in the last round."""
        seen = self.known[model].cached
        if self._warm is not None:
            return (seen or 0.0) if model in self._warm else 0.0
        return seen if seen is not None else float(self._caching[model].sure)

    def _cache_of(self, model: str) -> Caching:
        return UNCACHED if self._plan.provider_batch else caching(model, self._plan.reach.addresses)

    def _writing_is_dearer(self, model: str) -> bool:
        if self._plan.provider_batch:
            return False
        if model not in self._dear:
            own = own_table(self._plan.prices)
            plain, written = (cost(model, Usage(input=_PROBE, written=part), own) for part in (0, _PROBE))
            self._dear[model] = plain is not None and written is not None and written > plain
        return self._dear[model]

    def _kept(self, model: str, *, moderator: bool = False) -> float:
        """Estimated tokens of the shared part that the model's provider may hold."""
        return self._held.get((model, self._apart(moderator)), 0.0)

    def _keep(self, model: str, *, moderator: bool = False) -> None:
        self._held[model, self._apart(moderator)] = self._shared

    def _apart(self, moderator: bool) -> bool:
        """Whether a call begins otherwise than the seats': tools stand before all else, and it has none."""
        return moderator and self._plan.tools is not None


def _careful(known: Measured) -> Measured:
    return replace(known, factor=known.factor * (_MARGIN if known.cached is None else _MARGIN_MEASURED))


def tokens_of(schema: Mapping[str, Any] | None) -> int:
    """A schema is read as well, and no provider says how."""
    return tokens.estimate(json.dumps(schema)) if schema else 0
