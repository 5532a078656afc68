"""How strong each of several seats is, from who beat whom: Bradley-Terry scores with intervals. Pure.

Seat i beats seat j with the chance 1 / (1 + exp(t_j - t_i)). Every seat is taken to have played one more tie, against
a seat of strength 0: so a seat that won or lost everything has a finite strength, and one that nobody was compared
with has the middle one. The strengths are those that make the results likeliest; the intervals come from how sharply
the likelihood falls around them. What is shown is the chance to beat that seat of strength 0: all of them add up to
half their number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Z = 1.959964
"""Standard deviations on either side that hold 95 %."""
_STEP = 1.0
"""By how much a strength changes at once, at most."""


class Strength(NamedTuple):
    """How strong a seat is, from 0 to 1, 0.5 being the middle; and the interval that holds it at 95 %."""

    score: float
    low: float
    high: float


def strengths(names: Sequence[str], results: Mapping[tuple[str, str], float]) -> dict[str, Strength]:
    """The strength of each of `names`. `results` has for a pair what its first won: 1, 0, or 0.5 for a tie.

    A pair that is not in it was not decided, and counts for nobody.
    """
    at = {name: place for place, name in enumerate(names)}
    games = [(at[one], at[other], won) for (one, other), won in results.items()]
    found = [0.0] * len(names)
    for _ in range(200):
        slope, bend = _around(found, games)
        change = [sum(a * b for a, b in zip(row, slope, strict=True)) for row in _inverse(bend)]
        most = max(map(abs, change), default=0.0)
        scale = min(1.0, _STEP / most) if most else 0.0
        found = [value + scale * step for value, step in zip(found, change, strict=True)]
        if most < 1e-12:
            break
    spread = _inverse(_around(found, games)[1])
    return {name: _strength(found[place], math.sqrt(spread[place][place])) for name, place in at.items()}


def _strength(value: float, deviation: float) -> Strength:
    return Strength(_chance(value), _chance(value - Z * deviation), _chance(value + Z * deviation))


def _chance(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


def _around(
    values: Sequence[float], games: Sequence[tuple[int, int, float]]
) -> tuple[list[float], list[list[float]]]:
    """The slope of the log-likelihood at `values`, and how it bends: minus its second derivatives."""
    slope = [0.5 - _chance(value) for value in values]
    bend = [[0.0] * len(values) for _ in values]
    for place, value in enumerate(values):
        bend[place][place] = _chance(value) * (1 - _chance(value))
    for one, other, won in games:
        chance = _chance(values[one] - values[other])
        slope[one] += won - chance
        slope[other] -= won - chance
        curve = chance * (1 - chance)
        for row, column, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
            bend[row][column] += sign * curve
    return slope, bend


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a matrix that is symmetric and positive, by elimination."""
    size = len(matrix)
    rows = [[*row, *(float(place == other) for other in range(size))] for place, row in enumerate(matrix)]
    for place in range(size):
        pivot = rows[place][place]
        rows[place] = [value / pivot for value in rows[place]]
        for other in range(size):
            if other != place and rows[other][place]:
                factor = rows[other][place]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[place], strict=True)]
    return [row[size:] for row in rows]
