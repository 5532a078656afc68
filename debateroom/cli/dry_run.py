"""`--dry-run`: the seats, and what each round would use and cost, without any call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from debateroom import files
from debateroom.cli import output
from debateroom.debating import budget, forecast, lookup_cost
from debateroom.debating.expected import REPLY, Expected
from debateroom.debating.plan import ARENA, NO_MODERATOR, Plan
from debateroom.errors import CallFailed
from debateroom.language import amount, number, say, spoken
from debateroom.messages import CURRENCY, Answer, Model, OnText, Request, Transcript
from debateroom.models.addresses import asks_for_no_key
from debateroom.models.keys import Keys
from debateroom.models.registry import ModelInfo, Models, info, resolve
from debateroom.terminal import one_line, padded, width

_AFTER = {"synthesis": "plan_synthesis", "judging": "plan_judging", "baseline": "plan_baseline"}
"""What comes after the rounds, and what it is called in the table."""


_FENCE = "said-7f3a9c2e"
"""A fence like those that rooms draw, which are tokens too: the same call twice shows the same figures."""


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
    plan = replace(plan, fence=_FENCE)
    expected = forecast.rounds(plan, Transcript(problem=plan.problem, agents=plan.seats))
    if as_json:
        output.line(files.dumps(_object(plan, expected)).decode())
        say_keys([plan])
        return 0
    _seats(plan)
    _rounds(plan, expected)
    output.tell("\n" + say(plan.language, "plan_estimates", reply=REPLY))
    _say_tools(plan)
    _say_budget(plan)
    say_keys([plan])
    return 0


def _object(plan: Plan, expected: tuple[Expected, ...]) -> dict[str, Any]:
    """The same for a machine: what each round comes to, costs in US dollars, None where a price is unknown."""
    return {
        "ok": True,
        "exit_code": 0,
        "agents": [{"name": seat.name, "role": seat.role, "model": seat.model} for seat in plan.seats],
        "moderator": None if plan.moderator == NO_MODERATOR else plan.moderator,
        "judge": plan.judging.model if plan.judging else None,
        "rounds": [asdict(item) for item in expected if item.name.isdigit()],
        **{name: next((asdict(item) for item in expected if item.name == name), None) for name in _AFTER},
        "best_case": asdict(forecast.best(plan)),
        "all_rounds": asdict(forecast.usual(plan)),
        "worst_case": asdict(forecast.worst(plan)),
        **_tools(plan),
        "currency": CURRENCY,
        "budget": plan.budget,
        "rounds_within_budget": None if plan.budget is None else budget.held(plan),
    }


def _seats(plan: Plan) -> None:
    language = plan.language
    rows = [[say(language, key) for key in ("plan_seat", "plan_role", "plan_provider", "plan_model")]]
    for seat in plan.seats:
        provider, _, model = seat.model.partition(":")
        rows.append([seat.name, one_line(seat.role, 30), provider, model])
    others = []
    if plan.kind != ARENA:
        moderator = say(language, "plan_none") if plan.moderator == NO_MODERATOR else plan.moderator
        others.append((say(language, "plan_moderator"), moderator))
    if plan.judging:
        others.append((say(language, "plan_judge"), f"{plan.judging.model} ({plan.judging.vendor})"))
    first = max(width(cell) for cell in (*(label for label, _ in others), *(row[0] for row in rows)))
    table(rows, first=first)
    for label, model in others:
        output.tell(f"{padded(label, first)}  {model}")
    output.tell("")


def _rounds(plan: Plan, expected: tuple[Expected, ...]) -> None:
    language = plan.language
    keys = ("plan_round", "plan_calls", "plan_input", "plan_cached", "plan_output", "plan_dollars")
    rows = [[say(language, key) for key in keys]]
    for item in expected:
        name = say(language, _AFTER[item.name]) if item.name in _AFTER else item.name
        rows.append(row(item, name, language))
    rows.append(row(forecast.usual(plan), say(language, "plan_all"), language))
    rows.append(row(forecast.best(plan), say(language, "plan_best"), language))
    rows.append(row(forecast.worst(plan), say(language, "plan_worst"), language))
    table(rows, figures=True)


def table(rows: list[list[str]], *, first: int = 0, figures: bool = False) -> None:
    """Prints columns as wide as their widest cell, the first at least `first`; figures stand on the right."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    widths[0] = max(widths[0], first)
    for row in rows:
        cells = [
            " " * (wide - width(cell)) + cell if figures and column else padded(cell, wide)
            for column, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        output.tell("  ".join(cells).rstrip())


def _tools(plan: Plan) -> dict[str, Any]:
    """What seats look things up with, and what the whole would come to without; nothing where they do not."""
    without = forecast.without_tools(plan)
    return (
        {"tools": asdict(plan.tools), "worst_case_without_tools": asdict(without)} if plan.tools and without else {}
    )


def _say_tools(plan: Plan) -> None:
    """What the look-ups cost: the calls after the first of a reply share their beginning with nobody."""
    without, told = forecast.without_tools(plan), plan.tools
    if told is None or without is None:
        return
    language = plan.language
    names = ", ".join([*told.kinds, *([told.file] if told.file else [])])
    limits = {"calls": told.calls, "steps": told.steps, "characters": told.characters}
    output.tell(say(language, "plan_tools", names=names, folder=told.folder, **limits))
    output.tell(say(language, "plan_tools_cost", steps=told.steps, tokens=lookup_cost.RESULT))
    cost = dollars(without.cost, language)
    output.tell(say(language, "plan_tools_without", calls=without.calls, input=without.usage.input, cost=cost))


def _say_budget(plan: Plan) -> None:
    if plan.budget is not None:
        figures = {"budget": amount(plan.language, plan.budget), "held": budget.held(plan)}
        output.tell(say(plan.language, "plan_budget", count=plan.rounds, tokens=budget.least(plan), **figures))


def say_keys(plans: Sequence[Plan]) -> None:
    """The providers that could not be asked as things are, with the command that mends it."""
    keys = Keys()
    sources = keys.list()
    told: set[str] = set()
    for plan in plans:
        names = {*(seat.model for seat in plan.seats), plan.moderator} - {NO_MODERATOR}
        names |= {plan.judging.model} if plan.judging else set()
        for provider in sorted(({resolve(name).provider for name in names} & sources.keys()) - told):
            told.add(provider)
            wrong = keys.trouble(provider)
            if wrong is not None:
                output.note(str(spoken(wrong, plan.language)))
            elif sources[provider] is None and not asks_for_no_key(provider, plan.reach.addresses[provider]):
                output.note(say(plan.language, "plan_no_key", provider=provider))


def row(item: Expected, name: str, language: str) -> list[str]:
    """A line of the table of rounds: calls, tokens and US dollars."""
    usage = item.usage
    figures = (item.calls, usage.input, usage.cached, usage.output)
    return [name, *(number(language, figure) for figure in figures), dollars(item.cost, language)]


def dollars(cost: float | None, language: str) -> str:
    """`0.1234`, or `unknown`."""
    return say(language, "plan_unknown") if cost is None else number(language, cost, 4)
