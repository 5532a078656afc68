"""What an evaluation came to, as the room's final output: figures, a row a task, and each trial that failed."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from debateroom.evaluation import gate as gates
from debateroom.evaluation import journal
from debateroom.evaluation.checks import Status, asked_of, grade
from debateroom.evaluation.customer_text import TextFinding, check_customer_style
from debateroom.evaluation.figures import Figures, Graded, Planned, Rate, figures, first_lines
from debateroom.evaluation.journal import Ledger
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.running import lightened
from debateroom.evaluation.task import CHECKS, Task
from debateroom.evaluation.trial import Trial
from debateroom.matching.evidence import short
from debateroom.messages import dollars
from debateroom.room.events import usage_json
from debateroom.terminal import one_line

MOST_SHOWN = 500
"""Trials that the report has a section for; the others are in the journal."""


def collect(folder: Path, plan: Plan, do_nothing: Mapping[str, Status] | None) -> dict[str, Any]:
    """The final output from the room's journal: every trial that ended, graded now. Asks no model."""
    tasks = {task.id: task for task in plan.tasks}
    graded: list[Graded] = []
    shown: list[dict[str, Any]] = []
    for trial, _ in journal.finished(folder):
        if trial.task not in tasks:
            continue
        task = tasks[trial.task]
        each = Graded(trial, grade(task, trial), style_of(trial, opening=task.opening))
        graded.append(each._replace(trial=lightened(trial)))
        if each.status != "pass" or trial.simulator_invalid:
            shown.append(section(each))
    graded.sort(key=_place(plan))
    shown.sort(key=lambda item: _place(plan)(item))
    planned = Planned({task.id: asked_of(task) for task in plan.tasks}, plan.asked.trials)
    found = figures(graded, planned, do_nothing=do_nothing)
    gate = _gate(plan, found)
    return {
        "outcome": _outcome(found, gate),
        "summary": summary(plan, found),
        "lines": list(first_lines(found)),
        "figures": figures_json(found),
        "replayed": sum(each.trial.stop.cause == "error" for each in graded),
        "gate": gate,
        "seed": plan.seed,
        **chance(folder, plan),
        "tasks": [_row(task, [each for each in graded if each.trial.task == task.id]) for task in plan.tasks],
        "failed": shown[:MOST_SHOWN],
        "more_failed": max(0, len(shown) - MOST_SHOWN),
        "spent": spending(folder),
    }


def _place(plan: Plan) -> Any:
    order = {task.id: position for position, task in enumerate(plan.tasks)}

    def place(item: Any) -> tuple[int, int]:
        if isinstance(item, Graded):
            return order[item.trial.task], item.trial.number
        return order[item["task"]], item["trial"]

    return place


def _outcome(found: Figures, gate: Mapping[str, Any] | None) -> str:
    """`incomplete` where a trial was not played, `broken` where one is to be played again; `missed` and `reached`
    with a gate, else `scored`.
    """
    if found.missing:
        return "incomplete"
    if found.errors:
        return "broken"
    if gate is None:
        return "scored"
    return "reached" if gate["ok"] else "missed"


def _gate(plan: Plan, found: Figures) -> dict[str, Any] | None:
    gate = plan.gate
    if gate is None:
        return None
    came = gates.passed(gate, found)
    return {"text": gate.text, "ok": came.ok, "value": came.value, "complete": came.complete}


def summary(plan: Plan, found: Figures) -> str:
    """`pass^1 0.73 [0.64, 0.81], 30 × 4`: tasks and trials of each; before them, where some are missing, how many."""
    rate = found.overall
    share = f"pass^1 {rate.passed / rate.trials:.2f}" if rate.trials else "pass^1 -"
    between = f" [{rate.interval.low:.2f}, {rate.interval.high:.2f}]" if rate.interval else ""
    planned = f"{len(plan.tasks)} × {plan.asked.trials}"
    if found.missing:
        return f"{share}{between}, {found.trials}/{len(plan.tasks) * plan.asked.trials} ({planned})"
    return f"{share}{between}, {planned}"


def style_of(trial: Trial, *, opening: str = "") -> tuple[TextFinding, ...]:
    """Findings on how the customer's messages are written; the task's own opening is not the customer's doing."""
    said = [message.text for message in trial.messages if message.party == "customer" and message.text != opening]
    return tuple(finding for text in said for finding in check_customer_style(text))


def section(graded: Graded) -> dict[str, Any]:
    """One trial in full: its checks with their evidence, what was said, and the calls."""
    trial = graded.trial
    return {
        "task": trial.task,
        "trial": trial.number,
        "seed": trial.seed,
        "status": graded.status,
        "stop": trial.stop.token or trial.stop.cause,
        "error": trial.stop.error,
        "simulator_invalid": list(trial.simulator_invalid),
        "style": [f"{each.kind}: {each.text}" for each in graded.style],
        "checks": [
            {"name": each.name, "status": each.status, "evidence": [list(one) for one in each.evidence]}
            for each in graded.checks
        ],
        "messages": [message.model_dump() for message in trial.messages],
        "calls": [
            {
                "tool": call.tool,
                "args": short(call.args),
                "result": one_line(call.result, 400) if call.result is not None else None,
                "ok": call.ok,
                "by": call.by,
            }
            for call in trial.calls
        ],
    }


def figures_json(found: Figures) -> dict[str, Any]:
    """The figures as JSON; what is not a number is null."""
    return {
        "trials": found.trials,
        "valid": found.valid,
        "inconclusive": found.inconclusive,
        "style": found.style,
        "errors": len(found.errors),
        "simulator_invalid": len(found.simulator_invalid),
        "error_trials": [list(each) for each in found.errors],
        "invalid_trials": [list(each) for each in found.simulator_invalid],
        "missing": len(found.missing),
        "missing_trials": [list(each) for each in found.missing],
        "satisfied": found.satisfied,
        "average_turns": _number(found.average_turns),
        "stops": dict(found.stops),
        "overall": _rate(found.overall),
        "by_check": {name: _rate(rate) for name, rate in found.by_check.items()},
        "do_nothing": list(found.do_nothing) if found.do_nothing else None,
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "passed": rate.passed,
        "trials": rate.trials,
        "interval": [_number(end) for end in rate.interval] if rate.interval else None,
        "pass_hat": [_number(value) for value in rate.pass_hat],
        "left_out": {str(k): left for k in range(1, rate.most + 1) if (left := list(rate.left_out(k)))},
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


def _row(task: Task, graded: Sequence[Graded]) -> dict[str, Any]:
    """A task in the table: of its trials how many passed, by check, and how its conversations ended."""
    fair = [each for each in graded if not each.trial.simulator_invalid and each.status != "error"]
    checks: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in fair:
        for check in each.checks:
            checks[check.name][0] += check.status == "pass"
            checks[check.name][1] += check.status in ("pass", "fail")
    return {
        "task": task.id,
        "instruction": task.instruction,
        "tags": list(task.tags),
        "trials": len(graded),
        "valid": len(fair),
        "passed": sum(each.status == "pass" for each in fair),
        "checks": dict(checks),
        "stops": dict(Counter(each.trial.stop.token or each.trial.stop.cause for each in graded)),
        "turns": round(sum(each.trial.turns for each in fair) / len(fair), 2) if fair else None,
        "unscored": [f"{each.check}: {each.reason}" for each in task.unscored],
    }


def chance(folder: Path, plan: Plan) -> dict[str, Any]:
    """The customer's `temperature`, `default` where its model did not take ours; and who used a seed of its own."""
    ignored = {name: set(what) for name, what in plan.ignores.items()}
    for event in journal.events(folder):
        if event["event"] == "trial_said" and event.get("ignored"):  # what a server refused while it was asked
            ignored.setdefault(plan.model, set()).update(event["ignored"])
    return {
        "temperature": "default" if "temperature" in ignored.get(plan.model, ()) else "1.0",
        "own_seed": sorted(name for name, what in ignored.items() if "seed" in what),
    }


def spending(folder: Path) -> dict[str, Any]:
    """Tokens and US dollars of each party, calls that gave no answer included."""
    ledgers: dict[str, Ledger] = {"agent": Ledger(), "customer": Ledger(), "judge": Ledger()}
    for event in journal.events(folder):
        if event["event"] in ("trial_said", "trial_call_failed"):
            ledgers[str(event["party"])].add(event)
    return {
        name: {"usage": usage_json(ledger.usage), "cost": dollars(ledger.cost)} for name, ledger in ledgers.items()
    }


def unplayed(folder: Path, plan: Plan) -> list[tuple[str, int]]:
    """Task and number of every planned trial that has not ended, or broke."""
    ended = {(trial.task, trial.number) for trial, _ in journal.finished(folder) if trial.stop.cause != "error"}
    every = [(task.id, number) for task in plan.tasks for number in range(1, plan.asked.trials + 1)]
    return [each for each in every if each not in ended]


def differences(folder: Path, tasks: Sequence[Task]) -> list[str]:
    """What the checks of `tasks` find now in the stored trials other than then, a line for each check of a trial."""
    known = {task.id: task for task in tasks}
    lines = []
    for trial, before in journal.finished(folder):
        task = known.get(trial.task)
        now = {check.name: check.status for check in grade(task, trial)} if task else {}
        for name in (each for each in CHECKS if each in {*before, *now}):
            was, is_now = before.get(name, "-"), now.get(name, "-")
            if was != is_now:
                lines.append(f"{trial.task} #{trial.number} {name}: {was} → {is_now}")
    return lines
