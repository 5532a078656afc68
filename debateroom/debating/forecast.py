"""What a debate will use and cost, before it is played: calls, tokens and US dollars a round. Asks nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debateroom import tokens
from debateroom.debating import prompts
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.messages import Seat, Transcript, Usage
from debateroom.models.prices import cost, own_table
from debateroom.models.registry import info

REPLY = 600
"""Tokens of one reply before any was measured, a little thinking included."""
VERDICT = 250
"""Tokens of a moderator's verdict."""
SYNTHESIS = 1500
"""Tokens of a synthesis."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What one round, or the synthesis, will come to."""

    name: str
    """`1`, `2` …, or `synthesis`."""
    calls: int
    usage: Usage
    cost: float | None
    """US dollars; None when a price is unknown."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What real replies of this room have shown; before the first, what is usual."""

    factor: float = 1.0
    """Real tokens of input for each that was estimated."""
    reply: float = REPLY
    """Tokens of one reply."""


def measured(plan: Plan, transcript: Transcript) -> Measured:
    """The calibration from the replies that are there: the figures of the first finished round."""
    if not transcript.rounds:
        return Measured()
    entries = [entry for entry in transcript.rounds[0].entries if entry.usage.input]
    if not entries:
        return Measured()
    shared = prompts.shared_blocks(plan, [])
    seats = {seat.name: seat for seat in plan.seats}
    guessed = sum(_request_tokens(plan, shared, seats[entry.agent], 1) for entry in entries)
    return Measured(
        factor=sum(entry.usage.input for entry in entries) / guessed,
        reply=sum(entry.usage.output for entry in entries) / len(entries),
    )


def rounds(plan: Plan, transcript: Transcript) -> tuple[Expected, ...]:
    """The rounds that are still to be played, in order, and the synthesis last."""
    known = measured(plan, transcript)
    played = len(transcript.rounds)
    start = sum(tokens.estimate(block) for block in prompts.shared_blocks(plan, transcript.rounds)) * known.factor
    block = len(plan.seats) * (known.reply + 25)
    before = start - (block if played else 0.0)
    found = []
    for number in range(played + 1, plan.rounds + 1):
        shared = start + block * (number - played - 1)
        found.append(_round(plan, number, shared, before, known))
        before = shared
    if plan.moderator != NO_MODERATOR:
        shared = start + block * (plan.rounds - played)
        found.append(_one_call(plan, "synthesis", shared, before, SYNTHESIS))
    return tuple(found)


def total(expected: Sequence[Expected]) -> Expected:
    """All of `expected` together."""
    costs = [item.cost for item in expected]
    known = [value for value in costs if value is not None]
    return Expected(
        "total",
        sum(item.calls for item in expected),
        sum((item.usage for item in expected), Usage()),
        sum(known) if len(known) == len(costs) else None,
    )


def best(plan: Plan, expected: Sequence[Expected]) -> Expected:
    """The cheapest that can happen: agreement in round 1, where a moderator can find it; else in round 2."""
    first = 1 if plan.moderator != NO_MODERATOR else 2
    kept = [item for item in expected if item.name == "synthesis" or int(item.name) <= first]
    return total(kept if plan.early_stop else expected)


def _round(plan: Plan, number: int, shared: float, cached: float, known: Measured) -> Expected:
    """One round: the first seat of each model reads what the last round left in the cache, the others all of it."""
    usages: list[tuple[str, Usage]] = []
    seen: set[str] = set()
    for seat in plan.seats:
        own = _own_tokens(plan, seat, number) * known.factor
        read, written = _cache(seat.model, shared, shared if seat.model in seen else cached if number > 1 else 0.0)
        seen.add(seat.model)
        usages.append((seat.model, _usage(shared + own, read, written, known.reply)))
    if plan.moderator != NO_MODERATOR and plan.early_stop:
        usages.append((plan.moderator, _usage(shared + len(plan.seats) * known.reply + 400, shared, 0.0, VERDICT)))
    return _expected(plan, str(number), usages)


def _one_call(plan: Plan, name: str, shared: float, cached: float, output: float) -> Expected:
    read, written = _cache(plan.moderator, shared, cached)
    return _expected(plan, name, [(plan.moderator, _usage(shared + 700, read, written, output))])


def _cache(model: str, shared: float, cached: float) -> tuple[float, float]:
    """Tokens read from and written to the cache: none where the provider caches nothing this short."""
    minimum = info(model).cache_minimum
    if not minimum or shared < minimum:
        return 0.0, 0.0
    read = cached if cached >= minimum else 0.0
    return read, shared - read


def _usage(sent: float, read: float, written: float, received: float) -> Usage:
    return Usage(round(sent), round(read), round(written), round(received))


def _expected(plan: Plan, name: str, usages: Sequence[tuple[str, Usage]]) -> Expected:
    own = own_table(plan.prices)
    costs = [cost(model, usage, own) for model, usage in usages]
    known = [value for value in costs if value is not None]
    spent = sum((usage for _, usage in usages), Usage())
    return Expected(name, len(usages), spent, sum(known) if len(known) == len(costs) else None)


def _own_tokens(plan: Plan, seat: Seat, number: int) -> int:
    return tokens.estimate(prompts.seat_request(plan, (), seat, number).own)


def _request_tokens(plan: Plan, shared: Sequence[str], seat: Seat, number: int) -> int:
    return sum(map(tokens.estimate, shared)) + _own_tokens(plan, seat, number)
