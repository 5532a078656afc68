"""What look-ups add to a reply: how often it asks for tools, and the calls that follow, which nobody shares.

Each of them sends all that was there before once more. What all seats share is in the provider's cache by then; what
the seat has found out is its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from debateroom.agents.loop import LEAST
from debateroom.debating.plan import Plan

SPECS = 600
"""Tokens by which a model is told of the tools."""
RESULT, ASKED = 1_500, 80
"""Tokens of what tools give each time that a reply asks for them, and of the asking."""


@dataclass(frozen=True, slots=True)
class Looks:
    """How often one reply asks for tools, and the tokens of that."""

    steps: int
    result: float
    """Tokens of what tools give each time."""
    asked: float
    """Tokens of asking for them."""


def usual(plan: Plan) -> Looks | None:
    """A reply's look-ups when it takes all its steps, of usual size; None where seats look nothing up."""
    return Looks(plan.tools.steps, RESULT, ASKED) if plan.tools else None


def most(plan: Plan, size: int) -> Looks | None:
    """The most that they may come to, when the calls of a reply share `size` tokens of output."""
    if plan.tools is None:
        return None
    steps = plan.tools.steps + 1  # one more when what it asks for at the end is not run
    return Looks(steps, plan.tools.characters / 2 / steps, min(LEAST, size))


class Step(NamedTuple):
    """One call of a reply after its first."""

    given: float
    """Tokens that are sent."""
    output: float


def calls_after(first: float, looks: Looks, *, reply: float, factor: float) -> list[Step]:
    """The calls of a reply after its first, which sent so many tokens; the last one writes it in `reply` tokens.

    `factor` is real tokens of input for each estimated one.
    """
    return [
        Step(first + step * (looks.result * factor + looks.asked), reply if step == looks.steps else looks.asked)
        for step in range(1, looks.steps + 1)
    ]
