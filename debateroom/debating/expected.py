"""What a part of a debate will come to: calls, tokens and US dollars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from debateroom.debating.plan import Plan
from debateroom.messages import Usage, dollars
from debateroom.models.prices import cost, own_table

REPLY = 600
"""Tokens of one reply before any was measured, a little thinking included."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What one round, or the synthesis, will come to."""

    name: str
    """`1`, `2` …, `synthesis` or `judging`."""
    calls: int
    usage: Usage
    cost: float | None
    """US dollars; None when a price is unknown."""
    reply: int = 0
    """Tokens that a seat's reply is taken to have; 0 where no seat is asked."""

    def figures(self) -> dict[str, Any]:
        """`calls`, `input` tokens, `cost` and the tokens of a `reply` that it holds for, as an event has them."""
        return {"calls": self.calls, "input": self.usage.input, "cost": self.cost, "reply": self.reply or REPLY}


def expected(plan: Plan, name: str, usages: Sequence[tuple[str, Usage]]) -> Expected:
    """Calls by model and usage, priced one by one."""
    own = own_table(plan.prices)
    costs = [cost(model, usage, own, rate=plan.rate) for model, usage in usages]
    known = [value for value in costs if value is not None]
    spent = sum((usage for _, usage in usages), Usage())
    return Expected(name, len(usages), spent, dollars(sum(known)) if len(known) == len(costs) else None)


def total(parts: Sequence[Expected]) -> Expected:
    """All of the `parts` together."""
    costs = [item.cost for item in parts]
    known = [value for value in costs if value is not None]
    return Expected(
        "total",
        sum(item.calls for item in parts),
        sum((item.usage for item in parts), Usage()),
        dollars(sum(known)) if len(known) == len(costs) else None,
        max((item.reply for item in parts), default=0),
    )
