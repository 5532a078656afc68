"""Trials that need no model: a task's reference solution, doing nothing, and solutions with one thing wrong."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from debateroom.evaluation.checks import Status, grade, verdict
from debateroom.evaluation.task import Reference, ReferenceCall, Task
from debateroom.evaluation.trial import Message, Stop, Trial
from debateroom.evaluation.world import Played, World, play
from debateroom.matching.values import is_matcher


class Mutation(NamedTuple):
    """A solution with one thing wrong."""

    name: str
    """`nothing`, `last write dropped`, `last write doubled`, or `damaged:` and the name of the argument."""
    calls: tuple[ReferenceCall, ...]


def reference_trial(task: Task, world: World | None = None) -> Trial:
    """The trial in which the agent does what the reference says. Without a world nothing is executed: no state."""
    reference = task.reference or Reference()
    played = play(world, task.initial, reference.calls) if world else None
    return _trial(task, reference, played, played.final if played else None)


def idle_trial(task: Task, world: World | None = None) -> Trial:
    """The trial in which the agent does nothing and says nothing, and the customer ends as the task wants it.

    The customer is taken at its kindest: a task that this trial passes tells nothing about an agent.
    """
    played = play(world, task.initial, ()) if world else None
    target = play(world, task.initial, task.reference.calls).final if world and task.reference else None
    return _trial(task, Reference(), played, target)


def do_nothing(task: Task, world: World | None = None) -> Status:
    """The verdict on doing nothing."""
    return verdict(grade(task, idle_trial(task, world)))


def mutations(task: Task, world: World) -> tuple[Mutation, ...]:
    """The reference solution with one thing wrong at a time; what comes after the last write is left out.

    A world is needed to see which calls write. An argument is damaged when the task's expected calls name it: the
    free wording of a note is no mistake.
    """
    calls = task.reference.calls if task.reference else ()
    writes = play(world, task.initial, calls).writes
    if not writes:
        return (Mutation("nothing", ()),)
    last = writes[-1]
    before, write = calls[:last], calls[last]
    damaged = (
        Mutation(f"damaged: {name}", (*before, write.model_copy(update={"args": args})))
        for name, args in _damaged(write, _named(task, write))
    )
    return (
        Mutation("nothing", ()),
        Mutation("last write dropped", before),
        *damaged,
        Mutation("last write doubled", (*before, write, write)),
    )


def _named(task: Task, call: ReferenceCall) -> tuple[str, ...]:
    """The arguments that the task's expected calls hold this call to."""
    expected = task.checks.tool_calls.expected if task.checks.tool_calls else ()
    names = [
        name
        for each in expected
        if not each.refused and each.model_copy(update={"by": None}).fits({"tool": call.tool, "args": call.args})
        for name, wanted in each.args_match.items()
        if not (is_matcher(wanted) and "any" in wanted)
    ]
    return tuple(dict.fromkeys(names)) or tuple(call.args)


def _damaged(call: ReferenceCall, names: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in names:
        value = call.args.get(name)
        if isinstance(value, bool):
            yield name, {**call.args, name: not value}
        elif isinstance(value, int | float):
            yield name, {**call.args, name: value + 1}
        elif isinstance(value, str):
            yield name, {**call.args, name: f"{value}X"}


def _trial(task: Task, reference: Reference, played: Played | None, target: Any) -> Trial:
    satisfied = task.checks.user_satisfied is not False
    messages = [Message(party="customer", text=task.opening or task.instruction)]
    messages += [Message(party="agent", text=text) for text in reference.say]
    return Trial(
        task=task.id,
        messages=tuple(messages),
        calls=played.calls if played else (),
        initial=copy.deepcopy(played.initial) if played else None,
        final=played.final if played else None,
        target=target,
        stop=Stop(cause="token", token="stop" if satisfied else "out_of_scope"),
    )
