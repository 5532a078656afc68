"""Bradley-Terry scores equal those of a table that was worked out by hand, and are finite whatever happened."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import pytest

from debateroom.debating.strength import Strength, Z, strengths


def root(coefficients: tuple[float, ...], low: float, high: float) -> float:
    """The root of a polynomial, highest power first, between two points, by halving."""

    def value(x: float) -> float:
        total = 0.0
        for factor in coefficients:
            total = total * x + factor
        return total

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (value(low) > 0) == (value(middle) > 0) else (low, middle)
    return low


def between(score: float, deviation: float) -> Strength:
    """A strength with its interval, by the definition."""
    at = math.log(score / (1 - score))
    return Strength(score, *(1 / (1 + math.exp(-(at + sign * Z * deviation))) for sign in (-1, 1)))


def close(found: Mapping[str, Strength], expected: Mapping[str, Strength]) -> None:
    assert found.keys() == expected.keys()
    for name, strength in expected.items():
        assert found[name] == pytest.approx(strength, abs=1e-6), name


def test_one_tie() -> None:
    """Both stand in the middle. Each bends by 1/4 for the tie and 1/4 for the one that everybody has: the inverse of
    [[1/2, -1/4], [-1/4, 1/2]] has 8/3 on its diagonal."""
    close(strengths("AB", {("A", "B"): 0.5}), {name: between(0.5, math.sqrt(8 / 3)) for name in "AB"})


def test_one_win() -> None:
    """With x = exp(t), t and -t being the strengths: 3/2 = x²/(1+x²) + x/(1+x), so x³ - x² - x - 3 = 0."""
    x = root((1, -1, -1, -3), 1, 4)
    won, met = x / (1 + x), x * x / (1 + x * x)
    own, curve = won * (1 - won), met * (1 - met)
    spread = math.sqrt((own + curve) / ((own + curve) ** 2 - curve**2))
    close(strengths("AB", {("A", "B"): 1.0}), {"A": between(won, spread), "B": between(1 - won, spread)})
    close(strengths("AB", {("B", "A"): 0.0}), {"A": between(won, spread), "B": between(1 - won, spread)})


def test_three_in_a_row() -> None:
    """A beats B and C, B beats C: B stands in the middle, and of A's x it holds that x³ - 3x² - x - 5 = 0."""
    x = root((1, -3, -1, -5), 3, 5)
    found = strengths("ABC", {("A", "B"): 1.0, ("A", "C"): 1.0, ("B", "C"): 1.0})
    assert [found[name].score for name in "ABC"] == pytest.approx([x / (1 + x), 0.5, 1 / (1 + x)], abs=1e-9)
    assert x == pytest.approx(3.6494, abs=1e-4)


def test_a_circle() -> None:
    """Each beats the next: all stand in the middle, with a variance of 2."""
    found = strengths("ABC", {("A", "B"): 1.0, ("B", "C"): 1.0, ("C", "A"): 1.0})
    close(found, {name: between(0.5, math.sqrt(2)) for name in "ABC"})


def test_nobody_was_compared() -> None:
    """Without a decided pair everybody stands in the middle, as widely as one tie leaves it: a variance of 4."""
    close(strengths("ABCD", {}), {name: between(0.5, 2.0) for name in "ABCD"})


@pytest.mark.parametrize("size", [2, 5, 8])
def test_who_wins_or_loses_everything_stays_finite_and_in_order(size: int) -> None:
    """No strength runs away; scores fall with the order, lie in their intervals, and add up to half their number."""
    names = [f"Agent {place}" for place in range(size)]
    found = list(strengths(names, dict.fromkeys(combinations(names, 2), 1.0)).values())
    scores = [strength.score for strength in found]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(size / 2)
    assert all(0 < each.low < each.score < each.high < 1 for each in found)


def test_more_results_make_the_interval_narrower() -> None:
    """Eight seats that all tie are known better than two that do."""
    few = strengths("AB", {("A", "B"): 0.5})["A"]
    many = strengths("ABCDEFGH", dict.fromkeys(combinations("ABCDEFGH", 2), 0.5))["A"]
    assert many.high - many.low < few.high - few.low
