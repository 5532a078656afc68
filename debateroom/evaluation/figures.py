"""The figures of an evaluation: how many trials pass, how reliably, and what was left out of that. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from debateroom.errors import UsageError
from debateroom.evaluation.checks import Check, Status, verdict
from debateroom.evaluation.customer_text import TextFinding
from debateroom.evaluation.task import CHECKS, CheckName
from debateroom.evaluation.trial import Trial

_Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


class Interval(NamedTuple):
    """A share with how far it can be trusted."""

    low: float
    high: float


class Graded(NamedTuple):
    """A trial with its checks."""

    trial: Trial
    checks: tuple[Check, ...]
    style: tuple[TextFinding, ...] = ()
    """What is found of how the customer wrote: no fault of the agent's."""

    @property
    def status(self) -> Status:
        """What its checks say together."""
        return verdict(self.checks)


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something passed, over tasks and trials."""

    counts: Mapping[str, tuple[int, int]]
    """Task → successes and valid trials."""
    most: int
    """The k up to which `pass_hat` goes."""

    @property
    def passed(self) -> int:
        """Valid trials that passed."""
        return sum(successes for successes, _ in self.counts.values())

    @property
    def trials(self) -> int:
        """Valid trials."""
        return sum(trials for _, trials in self.counts.values())

    @property
    def pass_hat(self) -> tuple[float, ...]:
        """pass^1 … pass^k; not a number where no task has so many valid trials."""
        return tuple(pass_hat_k(tuple(self.counts.values()), k) for k in range(1, self.most + 1))

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval for the share of trials that pass; None without a trial."""
        return wilson(self.passed, self.trials) if self.trials else None

    def left_out(self, k: int) -> tuple[str, ...]:
        """The tasks with fewer than `k` valid trials: they are in no pass^k."""
        return tuple(task for task, (_, trials) in self.counts.items() if trials < k)


@dataclass(frozen=True, slots=True)
class Figures:
    """What an evaluation found."""

    overall: Rate
    """Trials in which every check passed. A trial in which something could not be judged is valid here and did not
    pass: what nobody saw lifts no figure over a bar."""
    by_check: Mapping[CheckName, Rate]
    """For each check, in the order of `CHECKS`, only the trials that it passed or failed."""
    stops: Mapping[str, int]
    """Token, or the cause of a stop without one, → valid trials."""
    satisfied: int
    """Valid trials that the customer ended itself with its STOP."""
    valid: int
    """Trials that are neither broken nor played by an invalid customer."""
    average_turns: float
    """Messages of the customer in a valid trial; not a number without one."""
    inconclusive: int
    """Valid trials of which nothing final can be said."""
    style: int
    """Valid trials in which the customer wrote more than three sentences at once, or an emoji."""
    errors: tuple[tuple[str, int], ...]
    """Task and number of every broken trial: to be run again, never averaged."""
    simulator_invalid: tuple[tuple[str, int], ...]
    """Task and number of every trial whose customer said what it cannot know or must not say."""
    missing: tuple[tuple[str, int], ...]
    """Task and number of every trial that was planned and did not come to an end."""
    do_nothing: tuple[int, int] | None
    """Tasks that pass when nothing is done, and tasks; None when that was not tried."""

    @property
    def trials(self) -> int:
        """All trials, the broken and the invalid ones included."""
        return self.valid + len(self.errors) + len(self.simulator_invalid)


class Planned(NamedTuple):
    """What an evaluation is to play."""

    checks: Mapping[str, Collection[CheckName]]
    """Task → what it is checked by."""
    trials: int
    """Of each task."""


def pass_hat_k(counts: Sequence[tuple[int, int]], k: int) -> float:
    """pass^k, 0 to 1: the chance that `k` trials of a task all pass, as a mean over tasks (Yao et al. 2024, τ-bench).

    `counts` has successes and trials of each task; a task counts C(successes, k) / C(trials, k), and one with fewer
    than `k` trials is left out. Not a number when that leaves none. Raises UsageError for impossible counts.

    >>> four = [(4, 4), (2, 4), (0, 4), (3, 4)]
    >>> [round(pass_hat_k(four, k), 4) for k in (1, 2, 3, 4)]
    [0.5625, 0.4167, 0.3125, 0.25]
    """
    if k < 1:
        raise UsageError(f"k is 1 or more, not {k}")
    if any(not 0 <= successes <= trials for successes, trials in counts):
        raise UsageError("a task has 0 to all of its trials as successes")
    shares = [math.comb(successes, k) / math.comb(trials, k) for successes, trials in counts if trials >= k]
    return math.fsum(shares) / len(shares) if shares else math.nan


def wilson(passed: int, trials: int, z: float = _Z95) -> Interval:
    """Wilson's score interval for a share, 0 to 1 (Wilson 1927), by default at 95 %. Raises UsageError for none.

    >>> [round(end, 3) for end in wilson(22, 30)]
    [0.556, 0.858]
    """
    if not 0 <= passed <= trials or not trials:
        raise UsageError(f"{passed} of {trials} is no share")
    share, square = passed / trials, z * z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    reach = z / (1 + square / trials) * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    # at the ends the formula gives exactly 0 and 1; binary fractions miss them by a hair
    return Interval(middle - reach if passed else 0.0, middle + reach if passed < trials else 1.0)


def figures(graded: Iterable[Graded], planned: Planned, *, do_nothing: Mapping[str, Status] | None = None) -> Figures:
    """The figures of the trials that were `planned`, as far as they came to an end.

    `do_nothing` has the verdict on each task when nothing is done.
    """
    valid, errors, invalid = _sorted_out(graded)
    played = {(each.trial.task, each.trial.number) for each in (*valid, *errors, *invalid)}
    every = [(task, number) for task in planned.checks for number in range(1, planned.trials + 1)]

    def rate(tasks: Iterable[str], status: Callable[[Graded], Status | None], decided: frozenset[Status]) -> Rate:
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for each in valid:
            said = status(each)
            counts[each.trial.task][0] += said == "pass"
            counts[each.trial.task][1] += said in decided
        return Rate({task: (counts[task][0], counts[task][1]) for task in tasks}, planned.trials)

    return Figures(
        overall=rate(planned.checks, lambda each: each.status, frozenset({"pass", "fail", "inconclusive"})),
        by_check={
            name: rate(tasks, lambda each, name=name: _status_of(each, name), frozenset({"pass", "fail"}))  # type: ignore[misc]
            for name in CHECKS
            if (tasks := [task for task, checks in planned.checks.items() if name in checks])
        },
        stops=dict(Counter(each.trial.stop.token or each.trial.stop.cause for each in valid)),
        satisfied=sum(each.trial.stop.satisfied for each in valid),
        valid=len(valid),
        average_turns=sum(each.trial.turns for each in valid) / len(valid) if valid else math.nan,
        style=sum(bool(each.style) for each in valid),
        inconclusive=sum(each.status == "inconclusive" for each in valid),
        errors=tuple((each.trial.task, each.trial.number) for each in errors),
        simulator_invalid=tuple((each.trial.task, each.trial.number) for each in invalid),
        missing=tuple(each for each in every if each not in played),
        do_nothing=None if do_nothing is None else (sum(v == "pass" for v in do_nothing.values()), len(do_nothing)),
    )


def _sorted_out(graded: Iterable[Graded]) -> tuple[list[Graded], list[Graded], list[Graded]]:
    """The valid trials, the broken ones, and those of an invalid customer."""
    valid: list[Graded] = []
    errors: list[Graded] = []
    invalid: list[Graded] = []
    for each in graded:
        broken = each.trial.stop.cause == "error" or each.status == "error"
        (errors if broken else invalid if each.trial.simulator_invalid else valid).append(each)
    return valid, errors, invalid


def _status_of(graded: Graded, name: CheckName) -> Status | None:
    return next((check.status for check in graded.checks if check.name == name), None)


def first_lines(found: Figures) -> tuple[str, ...]:
    """The four lines with which every evaluation begins, as text; `-` where nothing was checked."""
    rows = [
        ("pass^1 by tool_call_match:", _share(found.by_check.get("tool_calls"))),
        ("pass^1 by db_state:", _share(found.by_check.get("db_state"))),
        ("user_satisfied (###STOP###):", _of(found.satisfied, found.valid)),
        ("avg turns per task:", "-" if math.isnan(found.average_turns) else f"{found.average_turns:.1f}"),
    ]
    return tuple(f"{label:<30} {value}" for label, value in rows)


def _share(rate: Rate | None) -> str:
    return _of(rate.passed, rate.trials) if rate else "-"


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.0%})" if whole else "-"
