"""What calls used and cost in this run, added up as their events come by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from debateroom.language import number, say


@dataclass(slots=True)
class Spent:
    """Tokens, and US dollars; None where a price is unknown."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float | None = 0.0

    def add(self, event: Mapping[str, Any]) -> None:
        """Adds what the event's calls used and cost; unknown stays unknown."""
        usage = event.get("usage")
        if not usage:
            return
        self.input += usage["input"]
        self.cached += usage["cached"]
        self.output += usage["output"]
        cost = event.get("cost")
        self.cost = None if self.cost is None or cost is None else self.cost + cost

    def line(self, language: str) -> str:
        """`12,345 tokens in (83% from the cache), 4,321 out; 0.12 US dollars`; empty when nothing was used."""
        if not self.input:
            return ""
        key = "spent_unknown" if self.cost is None else "spent_free" if self.cost == 0 else "spent"
        return say(
            language,
            key,
            input=self.input,
            share=f"{min(self.cached / self.input, 1.0):.0%}"[:-1],
            output=self.output,
            cost=number(language, self.cost or 0, 4),
        )
