"""A room's first event: the plan it is played by, written down whole and read again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from debateroom import __version__
from debateroom.errors import UsageError
from debateroom.room.room import event

P = TypeVar("P")
AT_TOP = ("kind", "problem", "language", "seats", "model", "uuid")
"""Fields of a plan that stand beside the event's settings."""


def write_opening(
    plan: Any, told: Mapping[str, Any], *, at_top: Collection[str] = AT_TOP, **settings: Any
) -> dict[str, Any]:
    """The event of a room that is opened with `plan`, a dataclass with `uuid` and `seats`.

    `told` are the values at its top; `settings` stand in for those of the plan's own fields, or add to them.
    """
    whole = {key: value for key, value in asdict(plan).items() if key not in at_top} | settings
    agents = [asdict(seat) for seat in plan.seats]
    return event("room_opened", version=__version__, uuid=plan.uuid, **told, agents=agents, settings=whole)


def read_opening(
    plan: type[P], opening: Mapping[str, Any], what: str, *, at_top: Collection[str] = AT_TOP, **defaults: Any
) -> P:
    """The plan that a room was opened with. Raises UsageError when `opening` is not the event of `what`: `a debate`.

    `defaults` are settings that events of older rooms lack.
    """
    top = {key: opening.get(key) for key in at_top if key != "seats"}
    values = {**defaults, **opening.get("settings", {}), **top, "seats": opening.get("agents")}
    try:
        return TypeAdapter(plan).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        wrong = f"`{'.'.join(map(str, first['loc']))}`: {first['msg'].lower()}"
        raise UsageError(f"this journal was not opened by {what} of this version: {wrong}") from error
