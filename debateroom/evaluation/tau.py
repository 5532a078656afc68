"""τ²-bench task files as published, read as tasks. What needs that benchmark's own world is said, never scored.

A task there passes when every component of its `reward_basis` does. `ACTION`, `COMMUNICATE` and `NL_ASSERTION` are
our `tool_calls`, `communicate` and `judge`. `DB` compares the end state with the one that the reference actions lead
to: that is our `db_state` with the strength `hash`, which needs the world. `ENV_ASSERTION` calls functions of that
world and cannot be scored. A component that is not in the basis is not checked: so are its rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debateroom.errors import UsageError
from debateroom.evaluation.task import Task

_DEFAULT_BASIS = ("DB", "COMMUNICATE")
"""What a task without a `reward_basis` is scored by."""
_CHECK = {"DB": "db_state", "ACTION": "tool_calls", "COMMUNICATE": "communicate", "NL_ASSERTION": "judge"}


def parse(text: str, source: str) -> tuple[Task, ...]:
    """The tasks of a file's text: a list, or an object with a list `tasks`. Raises UsageError naming the task."""
    from debateroom.evaluation.dataset import read_task
    from debateroom.reading.strict import finite, no_number

    try:
        value = json.loads(text, parse_constant=no_number, parse_float=finite)
    except json.JSONDecodeError as error:
        raise UsageError(f"{source}, line {error.lineno}: it is no valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{source}: it is no valid JSON: {error}") from error
    listed = value.get("tasks") if isinstance(value, Mapping) else value
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{source} holds no list of tasks")
    tasks: list[Task] = []
    for number, each in enumerate(listed, 1):
        try:
            tasks.append(read_task(_task(each, number)))
        except UsageError as error:
            raise UsageError(f"{source}, task {number}: {error}") from error
    ids = [task.id for task in tasks]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{source}: two tasks have the id {twice!r}")
    return tuple(tasks)


def _task(value: Any, number: int) -> dict[str, Any]:
    """One of their tasks in our fields."""
    task = _mapping(value, "the task")
    scenario = _mapping(task.get("user_scenario"), "user_scenario")
    told = scenario.get("instructions")
    criteria = _mapping(task.get("evaluation_criteria") or {}, "evaluation_criteria")
    begin = _mapping(task.get("initial_state") or {}, "initial_state")
    actions = [_mapping(each, "actions") for each in criteria.get("actions") or []]
    basis = criteria.get("reward_basis")
    checks, unscored = _checks(criteria, actions, _DEFAULT_BASIS if basis is None else basis)
    if not criteria:
        unscored = [_unscored("judge", "it has no evaluation criteria")]
    unscored += [_unscored("db_state", reason) for reason in _out_of_reach(task, begin, actions)]
    fields = told if isinstance(told, Mapping) else {"task_instructions": told}
    return {
        "id": str(task.get("id", number)),
        "instruction": "\n\n".join(_texts(fields, "reason_for_call", "task_instructions")),
        "known_info": fields.get("known_info"),
        "unknown_info": fields.get("unknown_info"),
        "persona": scenario.get("persona"),
        "checks": checks,
        "initial": begin.get("initialization_data"),
        "reference": {"calls": [{"tool": each.get("name"), "args": each.get("arguments") or {}} for each in actions]},
        "tags": list(_texts(fields, "domain")),
        "unscored": unscored,
    }


def _checks(
    criteria: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], basis: Any
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Our checks for the components in the basis, and what is left unscored."""
    if not isinstance(basis, list | tuple):
        raise UsageError("reward_basis: it is no list")
    checks: dict[str, Any] = {}
    unscored = []
    for component in map(str, basis):
        if component == "DB":
            checks["db_state"] = {"strength": "hash"}
        elif component == "ACTION":
            checks["tool_calls"] = {"expected": [_expected(each) for each in actions if not _by_user(each)]}
            unscored += [
                _unscored("tool_calls", f"the action {each.get('name')} is a call of the customer's own tools")
                for each in actions
                if _by_user(each)
            ]
        elif component in _CHECK:
            name = "communicate_info" if component == "COMMUNICATE" else "nl_assertions"
            if criteria.get(name):
                checks[_CHECK[component]] = criteria[name]
        elif component == "ENV_ASSERTION":
            unscored += _assertions(criteria.get("env_assertions") or [])
        else:
            unscored.append(_unscored("judge", f"the reward {component} is not known here"))
    if not checks and not unscored:
        unscored.append(
            _unscored("judge", f"its reward basis ({', '.join(map(str, basis))}) leaves nothing to check")
        )
    return checks, unscored


def _expected(action: Mapping[str, Any]) -> dict[str, Any]:
    """The call of an action: the arguments that it compares, or all; none, when it compares an empty list."""
    args, compared = _mapping(action.get("arguments") or {}, "arguments"), action.get("compare_args")
    kept = args if compared is None else {name: value for name, value in args.items() if name in compared}
    # what looks like a matcher of ours is a plain value there
    return {"tool": action.get("name"), "args_match": {name: {"literal": value} for name, value in kept.items()}}


def _assertions(assertions: Sequence[Any]) -> list[dict[str, str]]:
    return [
        _unscored("db_state", f"{_mapping(each, 'env_assertions').get('func_name')} is a function of its world")
        for each in assertions
    ] or [_unscored("db_state", "its environment assertions are asked for and not there")]


def _out_of_reach(
    task: Mapping[str, Any], begin: Mapping[str, Any], actions: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Why a trial of the task cannot begin or go as it does there."""
    if begin.get("initialization_actions"):
        yield "its world begins with actions that only its world can do"
    if begin.get("message_history"):
        yield "it begins in the middle of a conversation"
    if task.get("user_tools") or any(map(_by_user, actions)):
        yield "its customer has tools"


def _by_user(action: Mapping[str, Any]) -> bool:
    return bool(action.get("requestor") == "user")


def _unscored(check: str, reason: str) -> dict[str, str]:
    return {"check": check, "reason": reason}


def _texts(fields: Mapping[str, Any], *names: str) -> Iterator[str]:
    return (text.strip() for name in names if isinstance(text := fields.get(name), str) and text.strip())


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{what}: it is no object")
    return value
