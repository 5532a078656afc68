"""The budget: how many tokens each call may have so that a round, however long its replies get, does not pass it.

What replies will cost is a guess before the first, and the longest may be twenty times as long as usual. A limit on
each call is none. What failed and would be asked for again is held by the `purse`, call by call.

What may still pass it: calls that are under way cannot be called back. A round's prompts are counted as if no cache
held them, and once a round has shown it, with the share that came from the cache in the last one. Where a provider
then drops within minutes what it had just kept, that one round costs more, by no more than what its prompts cost
without the cache; nothing is asked after it that no longer fits. And what a provider bills without saying so, the
part of an answer that broke off, can only be estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from debateroom.debating.forecast import nothing_yet
from debateroom.debating.plan import Plan
from debateroom.debating.played import NextRound, Played
from debateroom.errors import BudgetSpent
from debateroom.language import number, say
from debateroom.messages import Transcript

LEAST = 2_000
"""Tokens that a budget leaves every call at least, or the round is not played: a model that thinks needs room."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the calls of one round, or one call of the moderator's, may come to."""

    limit: int
    """Tokens that each may have."""
    played: Played | None = None
    """The debate so far, as the limit was worked out; None without a budget."""
    kept: float = 0.0
    """US dollars that are kept for what comes after them."""


def limit(
    plan: Plan, finished: Transcript, spent: float, *, answered: Collection[str] = (), warm: Collection[str] = ()
) -> Allowance | None:
    """What a reply may have in the round after the `finished` ones; None when it is not to be played.

    So many tokens that, `spent` US dollars being gone, the budget holds even when every reply is as long as that,
    with what the moderator then reads and `LEAST` tokens for each call of its own. None when that is fewer than
    `LEAST`, or fewer than this room's replies were so far. Without a budget it is what the settings say. `warm` are
    the models whose caches hold what they were last sent.
    """
    if plan.budget is None:
        return Allowance(plan.max_tokens)
    played = Played(plan, finished)
    seen = max(known.reply for known in played.known.values()) if finished.rounds else 0.0
    own, fewest = least(plan), min(plan.max_tokens, max(LEAST, round(seen)))

    def next_round(size: int) -> NextRound | None:
        return played.full(size, warm=warm).next_round(answered, moderator=own)

    def price(size: int) -> float | None:
        cost = next_round(size)
        return cost and cost.seats + cost.after

    most = longest(price, plan.budget - spent, fewest, plan.max_tokens)
    found = next_round(most) if most is not None else None
    return Allowance(most, played.full(most, warm=warm), found.after) if most is not None and found else None


def moderator_limit(
    plan: Plan, transcript: Transcript, *, synthesis_after: bool, warm: Collection[str] = ()
) -> Allowance | None:
    """What the moderator's next answer may have; None when the budget does not hold `LEAST` tokens for it.

    A synthesis that is still to come has its own `LEAST` kept for it. A cost that is not known keeps no budget.
    """
    if plan.budget is None:
        return Allowance(plan.max_tokens)
    if transcript.cost is None:
        return Allowance(least(plan))
    fewest = least(plan)
    played = Played(plan, transcript).full(fewest, warm=warm)
    calls = 2 if synthesis_after else 1

    def price(size: int) -> float | None:
        return played.copied().moderators(*(size, fewest)[:calls]).cost

    most = longest(price, plan.budget - transcript.cost, fewest, plan.max_tokens)
    if most is None:
        return None
    kept = played.copied().moderators(fewest).cost if synthesis_after else 0.0
    return Allowance(most, played, kept or 0.0)


def judging_limit(plan: Plan, transcript: Transcript, count: int, *, warm: Collection[str] = ()) -> Allowance | None:
    """What each of `count` judgements may have; None when the budget does not hold `LEAST` tokens for each."""
    if plan.budget is None:
        return Allowance(plan.max_tokens)
    if transcript.cost is None:
        return None
    fewest = least(plan)
    played = Played(plan, transcript).careful(warm)

    def price(size: int) -> float | None:
        return played.judgements(count, size).cost

    most = longest(price, plan.budget - transcript.cost, fewest, plan.max_tokens)
    return None if most is None else Allowance(most, played)


def longest(price: Callable[[int], float | None], left: float, least: int, most: int) -> int | None:
    """The largest size from `least` to `most` whose `price` is within what is `left`, but for a few; None if none."""

    def holds(size: int) -> bool:
        cost = price(size)
        return cost is not None and cost <= left

    if holds(most):
        return most
    if not holds(least):
        return None
    while most - least > 50:
        middle = (least + most) // 2
        least, most = (middle, most) if holds(middle) else (least, middle)
    return least


def hold(plan: Plan, spent: float = 0.0) -> None:
    """Raises BudgetSpent when the budget does not hold round 1 and a synthesis with `LEAST` tokens for each call.

    `spent` US dollars are gone for answers that were lost.
    """
    if plan.budget is None or limit(plan, nothing_yet(plan), spent) is not None:
        return
    fewest = least(plan)
    price = Played(plan, nothing_yet(plan)).full(fewest).next_round((), moderator=fewest)
    language = plan.language
    figures = {
        "cost": number(language, price.seats + price.after if price else 0, 4),
        "budget": number(language, plan.budget, 4),
        "left": number(language, max(0.0, plan.budget - spent), 4),
        "tokens": fewest,
    }
    told, hint = ("too_dear_now", "budget_hint") if spent else ("too_dear", "too_dear_hint")
    raise BudgetSpent(say(language, told, **figures), hint=say(language, hint))


def held(plan: Plan) -> int:
    """Rounds that the budget holds when replies are as long as foreseen, each with its synthesis; all without one.

    In the first nothing is counted on to come from a cache; in the others what is foreseen.
    """
    played, spent, fewest = Played(plan, nothing_yet(plan)), 0.0, least(plan)
    for round_ in range(1, plan.rounds + 1):
        price = played.full(fewest, warm=() if round_ == 1 else None).next_round((), moderator=fewest)
        if plan.budget is not None and (price is None or spent + price.seats + price.after > plan.budget):
            return round_ - 1
        spent += played.round(round_).cost or 0.0
    return plan.rounds


def least(plan: Plan) -> int:
    """`LEAST`, or what the settings give a reply when that is fewer."""
    return min(LEAST, plan.max_tokens)
