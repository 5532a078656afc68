"""The checks of a task on one trial, each `pass`, `fail`, `inconclusive` or `error`, with its evidence. Pure.

The same functions grade a trial when it ends and when it is graded again from the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from debateroom.errors import UsageError
from debateroom.evaluation.said import is_said
from debateroom.evaluation.task import CHECKS, CheckName, Task
from debateroom.evaluation.trial import Trial
from debateroom.matching.calls import match_calls
from debateroom.matching.evidence import Evidence
from debateroom.matching.state import compare_state

Status = Literal["pass", "fail", "inconclusive", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one trial."""

    name: CheckName
    status: Status
    evidence: tuple[Evidence, ...] = ()
    """Why; for a pass it may be empty. Kinds beside those of `match_calls` and `compare_state`: `unsaid` (the agent
    never said it), `stop` (how the customer ended), `criterion` (a judge's, with its reasoning), `reason` (why
    nothing can be said).
    """


def grade(task: Task, trial: Trial) -> tuple[Check, ...]:
    """A check for everything that the task asks for, in the order of `CHECKS`.

    In a trial that ended with an error every check is `error`. What the task cannot have scored here is
    `inconclusive`, whatever else is known of it.
    """
    return tuple(_graded(name, task, trial) for name in asked_of(task))


def asked_of(task: Task) -> tuple[CheckName, ...]:
    """The checks that a task asks for, those that cannot be scored here included, in the order of `CHECKS`."""
    asked = {*task.checks.named(), *(each.check for each in task.unscored)}
    return tuple(name for name in CHECKS if name in asked)


def verdict(checks: Sequence[Check]) -> Status:
    """What the checks say together: `error` before `fail` before `inconclusive`; a trial passes when all pass.

    Without any check nothing was seen: `inconclusive`.
    """
    said = {check.status for check in checks} or {"inconclusive"}
    return next(status for status in ("error", "fail", "inconclusive", "pass") if status in said)


def _graded(name: CheckName, task: Task, trial: Trial) -> Check:
    if trial.stop.cause == "error":
        return Check(name, "error", (Evidence("reason", trial.stop.error or "the trial broke"),))
    reasons = [each.reason for each in task.unscored if each.check == name]
    if reasons:
        return Check(name, "inconclusive", tuple(Evidence("reason", reason) for reason in reasons))
    try:
        return _CHECK[name](task, trial)
    except UsageError as error:  # the dataset asks for what cannot be: nothing is said about the agent
        return Check(name, "error", (Evidence("reason", str(error)),))
    except RecursionError:
        return Check(name, "error", (Evidence("reason", "a value is nested too deep to be compared"),))


def _tool_calls(task: Task, trial: Trial) -> Check:
    asked = task.checks.tool_calls
    assert asked is not None  # noqa: S101 — only checks that the task has are graded
    calls = [call.model_dump() for call in trial.calls]
    found = match_calls(asked.expected, calls, order=asked.order, extra=asked.extra)
    return Check("tool_calls", "pass" if found.ok else "fail", found.evidence)


def _db_state(task: Task, trial: Trial) -> Check:
    asked = task.checks.db_state
    assert asked is not None  # noqa: S101 — as above
    if trial.final is None:
        return Check("db_state", "inconclusive", (Evidence("reason", "no world showed its state"),))
    expected = asked.expected
    if expected is None:
        if trial.target is None:
            reason = "the expected state is that of the reference solution, which needs the world"
            return Check("db_state", "inconclusive", (Evidence("reason", reason),))
        expected = {"": trial.target}
    found = compare_state(trial.initial, trial.final, expected, strength=asked.strength)
    return Check("db_state", "pass" if found.ok else "fail", found.evidence)


def _user_satisfied(task: Task, trial: Trial) -> Check:
    ok = trial.stop.satisfied is task.checks.user_satisfied
    return Check(
        "user_satisfied", "pass" if ok else "fail", (Evidence("stop", trial.stop.token or trial.stop.cause),)
    )


def _communicate(task: Task, trial: Trial) -> Check:
    said = [message.text for message in trial.messages if message.party == "agent"]
    unsaid = [entry for entry in task.checks.communicate or () if not any(is_said(text, said) for text in entry)]
    evidence = tuple(Evidence("unsaid", " / ".join(entry)) for entry in unsaid)
    return Check("communicate", "fail" if unsaid else "pass", evidence)


def _judge(task: Task, trial: Trial) -> Check:
    criteria = [each for each in task.checks.judge or () if each.strip()]
    if not criteria:
        return Check("judge", "inconclusive", (Evidence("reason", "there is no criterion to judge by"),))
    if trial.judged is None:
        return Check("judge", "inconclusive", (Evidence("reason", "no judge of another model was asked"),))
    met = {each.criterion: each for each in trial.judged}
    answers = [met[each].met if each in met else None for each in criteria]
    evidence = tuple(
        Evidence("criterion", f"{each}: {met[each].reasoning}" if each in met else each)
        for each, answer in zip(criteria, answers, strict=True)
        if answer is not True
    )
    if any(answer is False for answer in answers):
        return Check("judge", "fail", evidence)
    return Check("judge", "inconclusive" if None in answers else "pass", evidence)


_CHECK: Mapping[CheckName, Callable[[Task, Trial], Check]] = {
    "tool_calls": _tool_calls,
    "db_state": _db_state,
    "user_satisfied": _user_satisfied,
    "communicate": _communicate,
    "judge": _judge,
}
