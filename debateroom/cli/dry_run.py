"""`--dry-run`: the seats, and what each round would use and cost, without any call."""

from __future__ import annotations

import click

from debateroom.debating import forecast
from debateroom.debating.forecast import Expected
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.messages import Transcript
from debateroom.terminal import one_line


def show(plan: Plan) -> int:
    """Prints the table of seats and the table of rounds; 0."""
    click.echo("seat       role                            provider   model")
    for seat in plan.seats:
        provider, _, model = seat.model.partition(":")
        click.echo(f"{seat.name:<9}  {one_line(seat.role, 30):<30}  {provider:<9}  {model}")
    moderator = "none" if plan.moderator == NO_MODERATOR else plan.moderator
    click.echo(f"moderator  {moderator}\n")
    expected = forecast.rounds(plan, Transcript(problem=plan.problem, agents=plan.seats))
    click.echo("round        calls   tokens in   of them cached   tokens out   US dollars")
    for item in expected:
        click.echo(_row(item))
    click.echo(_row(forecast.best(plan, expected), "best case"))
    click.echo(_row(forecast.total(expected), "worst case"))
    click.echo("\nEstimates: tokens by kind of character, replies of about 600 tokens. Nothing was asked.")
    return 0


def _row(item: Expected, name: str = "") -> str:
    usage = item.usage
    return (
        f"{name or item.name:<11}  {item.calls:>5}  {usage.input:>10,}  {usage.cached:>15,}  {usage.output:>11,}"
        f"  {dollars(item.cost):>11}"
    )


def dollars(cost: float | None) -> str:
    """`0.1234`, or `unknown`."""
    return "unknown" if cost is None else f"{cost:.4f}"
