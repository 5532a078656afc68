"""How a room stands, in words of its own language: for `status` and `rooms`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from debateroom import clock

_UNITS = ((86_400, "age_days"), (3_600, "age_hours"), (60, "age_minutes"), (1, "age_seconds"))


def status(language: str, known: str) -> str:
    """The status as people are told it; one of another version as it stands."""
    from debateroom.language import say

    try:
        return say(language, f"status_{known}")
    except KeyError:
        return known


def age(language: str, started: Any) -> str:
    """Since a room was started: `12 s`, `5 min`, `3 h`, `2 d`; `—` when it is not known."""
    from debateroom.language import say

    try:
        seconds = max(0, int((clock.now() - datetime.fromisoformat(started)).total_seconds()))
    except (TypeError, ValueError):
        return "—"
    size, unit = next((pair for pair in _UNITS if seconds >= pair[0]), _UNITS[-1])
    return say(language, unit, count=seconds // size)


def cost(language: str, dollars: float | None) -> str:
    """`0.25 US dollars`, or that it is not known."""
    from debateroom.language import amount, say

    return (
        say(language, "cost_unknown")
        if dollars is None
        else say(language, "cost_line", cost=amount(language, dollars))
    )
