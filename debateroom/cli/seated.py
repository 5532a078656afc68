"""Runs a planned room of seats: what `debate` and `arena` do alike, from the warning to what is left on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from debateroom.cli import background, output, progress, running, waking
from debateroom.cli.running import Shown
from debateroom.errors import UsageError

if TYPE_CHECKING:
    from debateroom.debating.plan import Plan
    from debateroom.models.registry import Models
    from debateroom.settings import Settings

DEAR_CALLS = 25
"""Seats × rounds from which a room on a model of the dearest class is worth a warning."""
MANY_CALLS = 200
"""Calls from which a run is confirmed first."""


class Start(NamedTuple):
    """How a room of seats is started, and what it says."""

    yes: bool
    dry_run: bool
    shown: Shown


def taken(given: dict[str, Any]) -> Start:
    """These options, taken out of those that were `given`."""
    return Start(given.pop("yes"), given.pop("dry_run"), running.shown(given))


def run(make: Callable[[Models], Plan], chosen: Settings, start: Start) -> int:
    """Plays the room that `make` plans; the exit code."""
    from debateroom import activities

    shown = start.shown
    if start.dry_run:
        from debateroom.cli import dry_run as table

        plan = make(table.Unopened(activities.model_settings(chosen)))
        _warn(plan)
        return table.show(plan, as_json=shown.json)
    with waking.watching(shown.wake_on_failure, chosen) as watched:
        models = activities.open_models(chosen)
        with activities.closed_after(models):
            plan = make(models)
            _warn(plan)
            announced = _confirm(plan, yes=start.yes)
            _fetch_embedded(plan)
            if shown.detach:
                folder = activities.prepare(plan, chosen)
                return background.start(folder, plan.problem, verbose=shown.verbose, wake=shown.wake_on_failure)
            lines = progress.make(quiet=shown.quiet, verbose=shown.verbose, events=shown.events, announced=announced)
            models.on_wait = lines.on_wait
            try:
                outcome = activities.run(plan, chosen, models, on_event=lines.on_event, on_progress=lines.on_progress)
            finally:
                lines.close()
        watched.outcome = outcome
        return output.finished(outcome, as_json=shown.json)


def _fetch_embedded(plan: Plan) -> None:
    """Gets the embedded model's file, with a bar, when a seat will use it and it is not here yet."""
    if any(seat.model == "embedded" for seat in plan.seats):
        from debateroom.cli.pulling import pull_embedded

        pull_embedded()


def _warn(plan: Plan) -> None:
    """One line when many calls go to models of the dearest class, with what the room comes to at most."""
    from debateroom.debating import forecast, judge
    from debateroom.language import amount, say
    from debateroom.models.registry import info

    asked = [seat.model for seat in plan.seats] * plan.rounds
    asked += [plan.judging.model] * judge.calls(len(plan.seats)) if plan.judging else []
    dear = [model for model in asked if info(model).tier == "top"]
    if len(dear) >= DEAR_CALLS:
        cost = forecast.worst(plan).cost
        key, price = "dear_line_unknown" if cost is None else "dear_line", amount(plan.language, cost or 0)
        names = say(plan.language, "listed").join(sorted(set(dear)))
        output.note(say(plan.language, key, calls=len(dear), names=names, cost=price))


def _confirm(plan: Plan, *, yes: bool) -> bool:
    """Asks before very many calls, and whether it did: seats, calls and price are shown first.

    Without a terminal to ask on, they need `--yes` or `--budget`. Raises Declined when the answer is no.
    """
    from debateroom.language import say

    asked, more = len(plan.seats) * plan.rounds, _besides(plan)
    calls = asked + sum(more.values())
    if calls < MANY_CALLS or yes or plan.budget is not None:
        return False
    from debateroom import activities
    from debateroom.errors import Declined, Wording
    from debateroom.language import spoken, worded

    told = [say(plan.language, key, count=count) for key, count in more.items()]
    counted: dict[str, object] = {"agents": len(plan.seats), "rounds": plan.rounds, "calls": calls}
    counted["more"] = say(plan.language, "listed").join(told)
    many = say(plan.language, "many_calls_more" if more else "many_calls", **counted)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        refused = Wording("many_calls_refused", {"many": many})
        raise spoken(worded(UsageError, refused, hint=Wording("many_calls_hint")), plan.language)
    progress.PlainProgress().on_event(activities.opening(plan))
    if not click.confirm(say(plan.language, "many_calls_ask", many=many), err=True):
        raise spoken(worded(Declined, Wording("many_calls_declined")), plan.language)
    return True


def _besides(plan: Plan) -> dict[str, int]:
    """How many calls come beside those of the rounds, by the label that tells them."""
    from debateroom.debating import forecast, judge

    found = {"many_judgements": judge.calls(len(plan.seats)) if plan.judging else 0}
    if plan.baseline is not None:
        found["many_singles"] = forecast.baseline(plan).calls
    return {key: count for key, count in found.items() if count}
