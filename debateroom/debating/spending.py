"""What calls used and cost, as events carry it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debateroom.messages import Usage
from debateroom.models.prices import cost, own_table
from debateroom.room.events import usage_json


def spent(model: str, *usages: Usage, prices: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """`usage` and `cost` (US dollars, None when a price is unknown) of calls to `model`, one usage a call."""
    own = own_table(prices or {})
    costs = [cost(model, usage, own) for usage in usages]
    known = [value for value in costs if value is not None]
    total = sum(usages, Usage())
    return {"usage": usage_json(total), "cost": sum(known) if len(known) == len(costs) else None}
