"""One structured question to the moderator's model: a value of the asked shape, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from debateroom.debating.window import fitted
from debateroom.errors import CallFailed
from debateroom.language import spoken
from debateroom.messages import Model, Paid, Request
from debateroom.reading.objects import find_object

Shape = TypeVar("Shape", bound=BaseModel)


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
    """Why there is no value, for people."""


def ask(
    model: Model, request: Request, shape: type[Shape], fix: Callable[[Request, str, str], Request], *, language: str
) -> Structured[Shape]:
    """The value that `model` answers with. One repair: `fix(request, answer, problem)` makes the second question.

    A failed call is a value too, its problem said in `language`. Raises NoModel only: then no call can succeed.
    """
    paid: tuple[Paid, ...] = ()
    seconds, problem, name = 0.0, "", model.name
    asked = request
    for _ in range(2):
        asked = fitted(model, asked).request
        try:
            answer = model.ask(asked)
        except CallFailed as error:
            return Structured(None, (*paid, *error.paid), name, seconds, str(spoken(error, language)))
        paid, seconds, name = (*paid, *answer.paid), seconds + answer.seconds, answer.model
        value, problem = _read(answer.text, shape)
        if value is not None:
            return Structured(value, paid, name, seconds)
        asked = fix(request, answer.text, problem)
    return Structured(None, paid, name, seconds, problem)


def _read(text: str, shape: type[Shape]) -> tuple[Shape | None, str]:
    found = find_object(text)
    if found is None or not isinstance(found.value, dict):
        return None, "there is no JSON object in it"
    try:
        return shape.model_validate(found.value), ""
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return None, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
