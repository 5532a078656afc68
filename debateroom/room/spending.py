"""What calls used and cost, as events carry it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from debateroom.messages import Paid, Usage
from debateroom.models.prices import cost, own_table
from debateroom.room.events import usage_json


def spent(model: str, *calls: Paid, prices: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """`calls`, `usage` and `cost` (US dollars, None when a price is unknown) of calls to `model`.

    Empty when no call was paid for.
    """
    if not calls:
        return {}
    own = own_table(prices or {})
    costs = [cost(model, call.usage, own, stated=call.cost, rate=call.rate) for call in calls]
    known = [value for value in costs if value is not None]
    total = sum((call.usage for call in calls), Usage())
    return {
        "calls": len(calls),
        "usage": usage_json(total),
        "cost": round(sum(known), 9) if len(known) == len(costs) else None,
    }


def spent_by_model(
    paid: Mapping[str, Sequence[Paid]], *, prices: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """The same for calls by the model that was asked; an unknown price makes the whole unknown."""
    each = [spent(model, *calls, prices=prices) for model, calls in paid.items() if calls]
    if not each:
        return {}
    costs = [item["cost"] for item in each]
    usage = sum((call.usage for calls in paid.values() for call in calls), Usage())
    return {
        "calls": sum(item["calls"] for item in each),
        "usage": usage_json(usage),
        "cost": None if None in costs else sum(costs),
    }


def untold(paid: Mapping[str, Sequence[Paid]], told: Sequence[Paid]) -> dict[str, list[Paid]]:
    """The calls by model without those that were `told` before; of equal ones as many as were told."""
    known, kept = Counter(told), {}
    for model, calls in paid.items():
        kept[model] = [call for call in calls if not _taken(call, known)]
    return kept


def _taken(call: Paid, known: Counter[Paid]) -> bool:
    """Whether `call` is among the `known` ones, from which it is then taken."""
    found = known[call] > 0
    known[call] -= found
    return found
