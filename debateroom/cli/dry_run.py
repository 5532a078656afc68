"""`--dry-run`: the seats, and what each round would use and cost, without any call."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from debateroom import files
from debateroom.cli import output
from debateroom.debating import forecast
from debateroom.debating.forecast import Expected
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.errors import CallFailed
from debateroom.messages import Answer, Model, OnText, Request, Transcript
from debateroom.models.addresses import asks_for_no_key
from debateroom.models.keys import Keys
from debateroom.models.registry import ModelInfo, Models, info, resolve
from debateroom.terminal import one_line


class _Known:
    """A model as the data on models has it. It cannot be asked."""

    def __init__(self, known: ModelInfo) -> None:
        self.name = known.name
        self.vendor = known.vendor
        self.window = known.window
        self.moderates = known.moderates

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """Never an answer: raises CallFailed."""
        raise CallFailed("a dry run asks nobody")


class Unopened(Models):
    """Models to plan with: no key is needed, no client made and no file fetched."""

    def open(self, name: str) -> Model:
        """What is known about the model. Only a script is really opened: its window stands in its file."""
        named = resolve(name)
        if named.provider == "scripted":
            return super().open(name)
        return _Known(info(named))


def show(plan: Plan, *, as_json: bool) -> int:
    """Prints the table of seats and the table of rounds, or both as one JSON object; 0."""
    expected = forecast.rounds(plan, Transcript(problem=plan.problem, agents=plan.seats))
    if as_json:
        output.line(files.dumps(_object(plan, expected)).decode())
        _say_keys(plan)
        return 0
    _seats(plan)
    click.echo("round        calls   tokens in   of them cached   tokens out   US dollars")
    for item in expected:
        click.echo(_row(item))
    click.echo(_row(forecast.best(plan), "best case"))
    click.echo(_row(forecast.worst(plan), "worst case"))
    click.echo(
        f"\nEstimates: tokens by kind of character, replies of about {forecast.REPLY} tokens, no repairs. "
        "Nothing was asked."
    )
    _say_budget(plan, expected)
    _say_keys(plan)
    return 0


def _object(plan: Plan, expected: tuple[Expected, ...]) -> dict[str, Any]:
    """The same for a machine: what each round comes to, costs in US dollars, None where a price is unknown."""
    return {
        "ok": True,
        "exit_code": 0,
        "agents": [{"name": seat.name, "role": seat.role, "model": seat.model} for seat in plan.seats],
        "moderator": None if plan.moderator == NO_MODERATOR else plan.moderator,
        "rounds": [asdict(item) for item in expected if item.name != "synthesis"],
        "synthesis": next((asdict(item) for item in expected if item.name == "synthesis"), None),
        "best_case": asdict(forecast.best(plan)),
        "worst_case": asdict(forecast.worst(plan)),
        "budget": plan.budget,
        "rounds_within_budget": None if plan.budget is None else _held(plan, expected),
    }


def _seats(plan: Plan) -> None:
    click.echo("seat       role                            provider   model")
    for seat in plan.seats:
        provider, _, model = seat.model.partition(":")
        click.echo(f"{seat.name:<9}  {one_line(seat.role, 30):<30}  {provider:<9}  {model}")
    moderator = "none" if plan.moderator == NO_MODERATOR else plan.moderator
    click.echo(f"moderator  {moderator}\n")


def _say_budget(plan: Plan, expected: tuple[Expected, ...]) -> None:
    if plan.budget is not None:
        held = f"{_held(plan, expected)} of {plan.rounds} rounds"
        click.echo(f"The budget of {plan.budget:.2f} US dollars holds {held} and the synthesis.")


def _held(plan: Plan, expected: tuple[Expected, ...]) -> int:
    """Rounds that the budget holds, as `debate` would hold it: each with the synthesis after it."""
    held, spent = 0, 0.0
    conclusion = sum(item.cost or 0.0 for item in expected if item.name == "synthesis")
    for item in expected:
        spent += item.cost or 0.0
        if item.name == "synthesis" or spent + conclusion > (plan.budget or 0.0):
            break
        held += 1
    return held


def _say_keys(plan: Plan) -> None:
    """The providers that could not be asked as things are, with the command that mends it."""
    sources = Keys().list()
    names = {*(seat.model for seat in plan.seats), plan.moderator} - {NO_MODERATOR}
    for provider in sorted({resolve(name).provider for name in names} & sources.keys()):
        if sources[provider] is None and not asks_for_no_key(provider, plan.reach.addresses[provider]):
            output.note(f"there is no key for {provider}: debateroom keys set {provider}")


def _row(item: Expected, name: str = "") -> str:
    usage = item.usage
    return (
        f"{name or item.name:<11}  {item.calls:>5}  {usage.input:>10,}  {usage.cached:>15,}  {usage.output:>11,}"
        f"  {dollars(item.cost):>11}"
    )


def dollars(cost: float | None) -> str:
    """`0.1234`, or `unknown`."""
    return "unknown" if cost is None else f"{cost:.4f}"
