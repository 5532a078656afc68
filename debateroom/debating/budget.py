"""The budget: how many tokens each call may have so that a round, however long its replies get, does not pass it.

What replies will cost is a guess before the first, and the longest may be twenty times as long as usual. A limit on
each call is none. It leaves out what no limit holds: an answer that broke off is billed and asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from debateroom.debating.forecast import Played, nothing_yet
from debateroom.debating.plan import Plan
from debateroom.errors import BudgetSpent
from debateroom.language import number, say
from debateroom.messages import Transcript

LEAST = 2_000
"""Tokens that a budget leaves every call at least, or the round is not played: a model that thinks needs room."""


def limit(plan: Plan, finished: Transcript, spent: float, *, answered: Collection[str] = ()) -> int | None:
    """Tokens that a reply may have in the round after the `finished` ones; None when it is not to be played.

    So many that, `spent` US dollars being gone, the budget holds even when every reply is as long as that, with what
    the moderator then reads and `LEAST` tokens for each call of its own. None when that is fewer than `LEAST`, or
    fewer than this room's replies were so far. Without a budget it is what the settings say.
    """
    if plan.budget is None:
        return plan.max_tokens
    played = Played(plan, finished)
    seen = max(known.reply for known in played.known.values()) if finished.rounds else 0.0
    own, fewest = least(plan), min(plan.max_tokens, max(LEAST, round(seen)))

    def price(size: int) -> float | None:
        return played.full(size).next_round(answered, moderator=own)

    return _longest(price, plan.budget - spent, fewest, plan.max_tokens)


def moderator_limit(plan: Plan, transcript: Transcript, *, synthesis_after: bool) -> int:
    """Tokens that the moderator's next answer may have: what the budget leaves it, but never fewer than `LEAST`.

    A synthesis that is still to come has its own `LEAST` kept for it.
    """
    fewest = least(plan)
    if plan.budget is None or transcript.cost is None:
        return plan.max_tokens
    played = Played(plan, transcript)
    calls = 2 if synthesis_after else 1

    def price(size: int) -> float | None:
        return played.copied().moderators(*(size, fewest)[:calls]).cost

    return _longest(price, plan.budget - transcript.cost, fewest, plan.max_tokens) or fewest


def _longest(price: Callable[[int], float | None], left: float, least: int, most: int) -> int | None:
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


def hold(plan: Plan) -> None:
    """Raises BudgetSpent when the budget does not hold round 1 and a synthesis with `LEAST` tokens for each call."""
    if plan.budget is None or limit(plan, nothing_yet(plan), 0.0) is not None:
        return
    fewest = least(plan)
    price = Played(plan, nothing_yet(plan)).full(fewest).next_round((), moderator=fewest)
    language = plan.language
    figures = {"cost": number(language, price or 0, 4), "budget": number(language, plan.budget, 4), "tokens": fewest}
    raise BudgetSpent(say(language, "too_dear", **figures), hint=say(language, "too_dear_hint"))


def held(plan: Plan) -> int:
    """Rounds that the budget holds when replies are as long as foreseen, each with its synthesis; all without one."""
    played, spent, fewest = Played(plan, nothing_yet(plan)), 0.0, least(plan)
    for round_ in range(1, plan.rounds + 1):
        price = played.full(fewest).next_round((), moderator=fewest)
        if plan.budget is not None and (price is None or spent + price > plan.budget):
            return round_ - 1
        spent += played.round(round_).cost or 0.0
    return plan.rounds


def least(plan: Plan) -> int:
    """`LEAST`, or what the settings give a reply when that is fewer."""
    return min(LEAST, plan.max_tokens)
