"""One structured question to the moderator's model: a value of the asked shape, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from debateroom.errors import CallFailed
from debateroom.messages import Model, Request, Usage
from debateroom.reading.objects import find_object

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Structured(Generic[Shape]):
    """What came of a structured question."""

    value: Shape | None
    """None when no answer could be used."""
    usages: tuple[Usage, ...]
    """Tokens of the call, and of its repair."""
    model: str
    seconds: float
    problem: str = ""
    """Why there is no value, for people."""


def ask(
    model: Model, request: Request, shape: type[Shape], fix: Callable[[Request, str, str], Request]
) -> Structured[Shape]:
    """The value that `model` answers with. One repair: `fix(request, answer, problem)` makes the second question.

    A failed call is a value too. Raises NoModel only: then no call can succeed.
    """
    usages: tuple[Usage, ...] = ()
    seconds, problem, name = 0.0, "", model.name
    asked = request
    for _ in range(2):
        try:
            answer = model.ask(asked)
        except CallFailed as error:
            return Structured(None, usages, name, seconds, str(error))
        usages, seconds, name = (*usages, answer.usage), seconds + answer.seconds, answer.model
        value, problem = _read(answer.text, shape)
        if value is not None:
            return Structured(value, usages, name, seconds)
        asked = fix(request, answer.text, problem)
    return Structured(None, usages, name, seconds, problem)


def _read(text: str, shape: type[Shape]) -> tuple[Shape | None, str]:
    found = find_object(text)
    if found is None or not isinstance(found.value, dict):
        return None, "there is no JSON object in it"
    try:
        return shape.model_validate(found.value), ""
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return None, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
