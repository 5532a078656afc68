"""One structured question to the moderator's model: a value of the asked shape, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError, WithJsonSchema

from debateroom.debating import budget, prompts
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.debating.window import fitted
from debateroom.errors import CallFailed
from debateroom.language import say, spoken
from debateroom.messages import Model, Paid, Request
from debateroom.reading.objects import find_object

Shape = TypeVar("Shape", bound=BaseModel)
SeatName = Annotated[str, WithJsonSchema({"type": "string", "format": "seat"})]
"""A field that names a seat: the schema of a room allows no other names (see `schema`)."""

MOST_NAMED = 250
"""Seats up to which a schema lists them: strict schemas take some hundred values of an enum and no more."""
_KINDS = {
    "string_type": "kind_text",
    "list_type": "kind_list",
    "bool_type": "kind_flag",
    "int_type": "kind_number",
    "int_parsing": "kind_number",
    "model_type": "kind_object",
    "dict_type": "kind_object",
}
"""What a field should have been, by pydantic's word for the error."""


@dataclass(frozen=True, slots=True)
class Structured(Generic[Shape]):
    """What came of a structured question."""

    value: Shape | None
    """None when no answer could be used."""
    paid: tuple[Paid, ...]
    """Every call that was paid for: the repair, and those whose answers were thrown away, included."""
    model: str
    seconds: float
    problem: str = ""
    """Why there is no value, for people, in the room's language."""
    failed: bool = False
    """Whether that is because the call failed: the same one may succeed later."""


def schema(shape: type[BaseModel], names: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema of `shape` with the room's seats as the only names; an enum once, which both vendors take."""
    found = shape.model_json_schema(by_alias=True)
    if not names:
        return found
    seat: dict[str, Any] = {"type": "string"}
    if len(names) <= MOST_NAMED:
        seat["enum"] = list(names)
    return {**_referring(found), "$defs": {**_referring(found.get("$defs", {})), "Seat": seat}}


def _referring(part: Any) -> Any:
    """A part of a schema in which each seat's name refers to the one definition."""
    if isinstance(part, dict):
        if part.get("format") == "seat":
            return {"$ref": "#/$defs/Seat"}  # strict schemas take nothing beside it, not even a title
        return {key: _referring(value) for key, value in part.items()}
    return [_referring(item) for item in part] if isinstance(part, list) else part


def ask(
    plan: Plan,
    model: Model,
    request: Request,
    shape: type[Shape],
    *,
    purse: Purse,
    check: Callable[[Shape], str] | None = None,
) -> Structured[Shape]:
    """The value that `model` answers with. One repair: what is wrong with the first answer is told it.

    The repair is asked for when the `purse` still holds it.

    `check` says what else than its shape is wrong with a value; empty when nothing is. A failed call is a value too.
    Raises NoModel only: then no call can succeed.
    """
    paid: tuple[Paid, ...] = ()
    seconds, problem, name = 0.0, "", model.name
    first = purse.take(model.name, fitted(model, request).request)
    asked: Request | None = first
    while asked is not None:
        try:
            answer = model.ask(asked)
        except CallFailed as error:
            return Structured(
                None, (*paid, *error.paid), name, seconds, str(spoken(error, plan.language)), failed=True
            )
        paid, seconds, name = (*paid, *answer.paid), seconds + answer.seconds, answer.model
        value, problem = read(answer.text, shape, plan.language)
        if value is not None and check is not None:
            problem = check(value)
        if value is not None and not problem:
            return Structured(value, paid, name, seconds)
        purse.settle(asked, answer.paid)
        again = prompts.fix_json_request(plan, request, answer.text, problem)
        if plan.budget is not None:  # both share what the budget left for one
            again = replace(again, max_tokens=max(budget.least(plan), request.max_tokens - answer.usage.output))
        repaired = asked is not first
        asked = None if repaired else purse.afford(model.name, fitted(model, again).request)
    return Structured(None, paid, name, seconds, problem)


def unaffordable(plan: Plan) -> Structured[Any]:
    """What comes of a question that the budget does not hold: it is not asked."""
    return Structured(None, (), "", 0.0, say(plan.language, "not_afforded"))


def read(text: str, shape: type[Shape], language: str) -> tuple[Shape | None, str]:
    """The value in `text`, else what is wrong with it, in `language`."""
    found = find_object(text)
    if found is None or not isinstance(found.value, dict):
        return None, say(language, "no_json")
    try:
        return shape.model_validate(found.value), ""
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            return None, say(language, "field_missing", field=field)
        kind = _KINDS.get(first["type"])
        if kind is None:
            return None, say(language, "field_unusable", field=field)
        return None, say(language, "field_wrong", field=field, kind=say(language, kind))
