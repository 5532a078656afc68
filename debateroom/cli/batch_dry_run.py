"""`batch --dry-run`: what each debate of a file, and all of them, would use and cost, without any call."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from debateroom import activities, files
from debateroom.cli import dry_run, output
from debateroom.debating import budget, forecast
from debateroom.debating.expected import REPLY, Expected, total
from debateroom.debating.plan import Plan, from_event
from debateroom.language import amount, say
from debateroom.messages import CURRENCY
from debateroom.room.room import opening_event, read
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.batch.planning import Batch, Planned

_SHOWN = 20
"""Debates up to which each has a row."""


class _Foreseen(NamedTuple):
    """What one debate will come to."""

    id: str
    plan: Plan
    begun: bool
    usual: Expected
    best: Expected
    worst: Expected


def show(batch: Batch, *, as_json: bool) -> int:
    """Prints the table of debates, or the same as one JSON object; 0. Nothing is made on disk."""
    over = batch.over()
    models = dry_run.Unopened(activities.model_settings(batch.chosen))
    found = [_foreseen(each) for each in batch.to_play(over, models)]
    if as_json:
        output.line(files.dumps(_object(batch, found, len(over))).decode())
    else:
        _table(batch, found, len(over))
    dry_run.say_keys([each.plan for each in found])
    return 0


def _foreseen(planned: Planned) -> _Foreseen:
    """A new debate as a room of its own has it; of one that was begun what is left of it."""
    name = planned.item.question.id
    if planned.plan is None:
        plan = from_event(opening_event(planned.item.folder))
        left = forecast.remaining(plan, read(planned.item.folder))
        return _Foreseen(name, plan, True, left, left, left)
    plan = planned.plan
    return _Foreseen(name, plan, False, forecast.usual(plan), forecast.best(plan), forecast.worst(plan))


def _sums(found: list[_Foreseen]) -> dict[str, Expected]:
    """All debates together."""
    return {
        "all_rounds": total([each.usual for each in found]),
        "best_case": total([each.best for each in found]),
        "worst_case": total([each.worst for each in found]),
    }


def _object(batch: Batch, found: list[_Foreseen], over: int) -> dict[str, Any]:
    return {
        "ok": True,
        "exit_code": 0,
        "room": str(batch.folder.resolve()),
        "debates": len(batch.items),
        "done": over,
        "provider_batch": batch.provider_batch,
        "rooms": [
            {"id": each.id, "agents": len(each.plan.seats), "rounds": each.plan.rounds, "begun": each.begun}
            | {name: getattr(each.usual, name) for name in ("calls", "cost")}
            for each in found
        ],
        **{name: asdict(replace(item, name=name)) for name, item in _sums(found).items()},
        "currency": CURRENCY,
        "budget": batch.chosen.budget,
        "within_budget": _within(batch, found),
    }


def _within(batch: Batch, found: list[_Foreseen]) -> int | None:
    """Debates whose equal share of the budget is sure to hold their first round; None without a budget."""
    if batch.chosen.budget is None:
        return None
    share = batch.chosen.budget / max(1, len(found))
    return sum(each.begun or budget.held(replace(each.plan, budget=share)) > 0 for each in found)


def _table(batch: Batch, found: list[_Foreseen], over: int) -> None:
    language = batch.language
    keys = ("batch_debate", "plan_calls", "plan_input", "plan_cached", "plan_output", "plan_dollars")
    rows = [[say(language, key) for key in keys]]
    if len(found) <= _SHOWN:
        rows += [dry_run.row(each.usual, one_line(each.id, 40), language) for each in found]
    labels = {"all_rounds": "batch_all", "best_case": "plan_best", "worst_case": "plan_worst"}
    rows += [dry_run.row(item, say(language, labels[name]), language) for name, item in _sums(found).items()]
    dry_run.table(rows, figures=True)
    output.tell("\n" + say(language, "batch_to_play", count=len(found), over=over))
    if batch.provider_batch:
        output.tell(say(language, "provider_batch_begin", count=batch.steps()))
    output.tell(say(language, "plan_estimates", reply=REPLY))
    within = _within(batch, found)
    if within is not None:
        figures = {"budget": amount(language, batch.chosen.budget or 0.0), "count": within, "all": len(found)}
        output.tell(say(language, "batch_within", **figures))
