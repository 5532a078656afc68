"""What is wrong with a dataset before any model is asked: tasks that say nothing about an agent, or contradict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from debateroom.errors import UsageError
from debateroom.evaluation.checks import grade
from debateroom.evaluation.customer_text import check_customer_text
from debateroom.evaluation.personas import near_miss
from debateroom.evaluation.reference import do_nothing, reference_trial
from debateroom.evaluation.reply import read_reply
from debateroom.evaluation.task import Task
from debateroom.evaluation.world import World
from debateroom.matching.calls import ExpectedCall
from debateroom.matching.evidence import short
from debateroom.matching.paths import is_deleted, tokens
from debateroom.matching.values import same

Rule = Literal["empty", "reference", "nothing", "contradiction", "unscored"]


class LintFinding(NamedTuple):
    """One thing that is wrong with a task."""

    task: str
    line: int
    """Where the task begins in its file; 0 when unknown."""
    rule: Rule
    """`empty`: a check without criteria, or no check; `reference`: the reference solution cannot be played, or does
    not pass; `nothing`: doing nothing passes; `contradiction`: the task wants what it forbids, tells the customer
    what it must not say, or means what it does not say; `unscored`: a part that cannot be scored here.
    """
    text: str


def lint(tasks: Sequence[Task], world: World | None = None) -> tuple[LintFinding, ...]:
    """The findings on all tasks, in their order. `world` is reset for each; without one, nothing is played: the tasks
    of `unplayed` are looked at in part only.
    """
    return tuple(
        LintFinding(task.id, task.line, rule, text)
        for task in tasks
        for rule, text in (*_empty(task), *_contradictions(task), *_played(task, world), *_unscored(task))
    )


def unplayed(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The tasks with a reference solution or an expected state, which only a world can try."""
    return tuple(task.id for task in tasks if task.reference or task.checks.db_state)


def _empty(task: Task) -> Iterator[tuple[Rule, str]]:
    checks = task.checks
    if not checks.named() and not task.unscored:
        yield "empty", "it has no check: nothing could fail"
    if checks.named() == ("user_satisfied",) and not task.unscored:
        yield "empty", "it checks user_satisfied alone: whoever pleases the customer passes, whatever was done"
    if checks.tool_calls and not checks.tool_calls.expected and checks.tool_calls.extra == "allow":
        yield "empty", "tool_calls expects no call"
    if checks.db_state and checks.db_state.expected == {} and checks.db_state.strength == "paths":
        yield "empty", "db_state expects nothing"
    if checks.communicate is not None and (not checks.communicate or not all(map(_says, checks.communicate))):
        yield "empty", "communicate has an empty entry"
    if checks.judge is not None and (not checks.judge or not all(each.strip() for each in checks.judge)):
        yield "empty", "judge has an empty criterion"


def _says(spellings: Sequence[str]) -> bool:
    return bool(spellings) and all(text.strip() for text in spellings)


def _contradictions(task: Task) -> Iterator[tuple[Rule, str]]:
    expected = task.checks.tool_calls.expected if task.checks.tool_calls else ()
    for refused in (each for each in expected if each.refused):
        for wanted in (each for each in expected if not each.refused):
            if _covers(refused, wanted):
                yield "contradiction", f"{wanted} is expected and forbidden"
    state = task.checks.db_state
    if state and isinstance(state.expected, dict):
        yield from _paths(state.expected)
    if read_reply(task.opening).token:
        yield "contradiction", "its opening holds a token, which is sent to the agent as it stands and ends nothing"
    if meant := near_miss(task.persona):
        yield (
            "contradiction",
            f"its persona {short(task.persona)} is no shipped one, and is told as it stands: {meant}?",
        )
    told = (task.instruction, task.known_info, task.opening)
    for leak in check_customer_text("\n".join(told), allowed=told, forbidden_values=task.unknown_values):
        yield "contradiction", f"the customer is told {leak.text!r}, which it must not say"


def _covers(refused: ExpectedCall, wanted: ExpectedCall) -> bool:
    """Whether every call that is wanted is refused as well, as far as their arguments are plain values."""
    return (refused.by is None or refused.by == wanted.by) and refused.model_copy(update={"by": None}).fits(
        {"tool": wanted.tool, "args": wanted.args_match}
    )


def _paths(expected: dict[str, object]) -> Iterator[tuple[Rule, str]]:
    try:
        read = [(path, tokens(path), value) for path, value in expected.items()]
    except UsageError as error:
        yield "contradiction", f"db_state: {error}"
        return
    for at, (path, keys, value) in enumerate(read):
        for other, others, wanted in read[:at]:
            twice = keys == others and not (same(value, wanted) or (is_deleted(value) and is_deleted(wanted)))
            inside = keys[: len(others)] == others and is_deleted(wanted) and not is_deleted(value)
            around = others[: len(keys)] == keys and is_deleted(value) and not is_deleted(wanted)
            if twice or inside or around:
                yield "contradiction", f"{other} is {short(wanted)} and {path} is {short(value)}"


def _played(task: Task, world: World | None) -> Iterator[tuple[Rule, str]]:
    if world is None or (task.unscored and not task.reference):
        return
    try:
        idle = do_nothing(task, world)
        trial = reference_trial(task, world)
    except UsageError as error:
        yield "reference", str(error)
        return
    if idle == "pass" and task.checks.named():
        yield "nothing", "it passes when nothing is done"
    if task.reference is None:
        yield "reference", "it has no reference solution"
        return
    for call in trial.calls:
        if not call.ok:
            yield "reference", f"{call.tool} {short(call.args)} fails: {call.result}"
    for check in grade(task, trial):
        if check.status in ("fail", "error"):
            yield "reference", f"{check.name}: " + "; ".join(map(str, check.evidence))


def _unscored(task: Task) -> Iterator[tuple[Rule, str]]:
    return (("unscored", f"{each.check}: {each.reason}") for each in task.unscored)
