"""The moderator: one structured call after a round, on the prefix the next round will use anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from debateroom.debating import prompts, structured
from debateroom.debating.plan import Plan
from debateroom.debating.window import fitted
from debateroom.models.registry import Models
from debateroom.room.room import Room, event
from debateroom.room.spending import spent


class Moderation(BaseModel):
    """The moderator's verdict on one round."""

    model_config = ConfigDict(frozen=True, strict=True)

    aligned: bool
    proposal: str
    holdouts: list[str]
    open_blockers: list[str]
    off_topic: list[str]
    why: str


class OpeningModeration(Moderation):
    """After round 1 the same call asks one thing more."""

    shared_premise: str


def ask(room: Room, plan: Plan, models: Models, number: int, *, until: float | None = None) -> Sequence[str]:
    """Asks the moderator about round `number` and journals its verdict, or why there is none.

    Returns the shared blocks that its provider now holds, none when it gave no verdict. After `until`, on the
    monotonic clock, nobody wants the verdict any more.
    """
    shape, model = OpeningModeration if number == 1 else Moderation, models.open(plan.moderator)
    asked = prompts.moderator_request(plan, room.transcript, number, shape.model_json_schema())
    request, history = fitted(model, replace(asked, until=until))
    room.write(event("moderator_asked", round=number))
    answer = structured.ask(
        model,
        request,
        shape,
        lambda asked, text, problem: prompts.fix_json_request(plan, asked, text, problem),
        language=plan.language,
    )
    room.write(
        event(
            "moderated",
            round=number,
            verdict=_held_to_the_room(answer.value, [seat.name for seat in plan.seats]) if answer.value else None,
            problem=answer.problem,
            model=answer.model,
            seconds=round(answer.seconds, 3),
            history=history,
            **spent(plan.moderator, *answer.paid, prices=plan.prices),
        )
    )
    return request.shared if answer.value else ()


def kept(value: Mapping[str, Any] | None, plan: Plan) -> dict[str, Any] | None:
    """A verdict that a transcript holds, when it is one of this room's; None when it cannot be read as that."""
    if value is None:
        return None
    shape = OpeningModeration if "shared_premise" in value else Moderation
    try:
        verdict = shape.model_validate({**value, "proposal": value.get("proposal") or ""})
    except ValidationError:
        return None
    return _held_to_the_room(verdict, [seat.name for seat in plan.seats])


def _held_to_the_room(verdict: Moderation, names: Sequence[str]) -> dict[str, Any]:
    """The verdict with every name that is no seat of this room taken out.

    A verdict that calls the seats aligned and names a holdout or no proposal contradicts itself: not aligned.
    """
    value = verdict.model_dump()
    known = {name.casefold(): name for name in names}
    for key in ("holdouts", "off_topic"):
        found = [known[name.strip().casefold()] for name in value[key] if name.strip().casefold() in known]
        value[key] = [name for name in names if name in found]
    proposal = known.get(verdict.proposal.strip().casefold())
    value["proposal"] = None if proposal in value["off_topic"] else proposal
    value["open_blockers"] = [text.strip() for text in verdict.open_blockers if text.strip()]
    value["holdouts"] = [name for name in value["holdouts"] if name not in value["off_topic"]]
    value["aligned"] = verdict.aligned and not value["holdouts"] and value["proposal"] is not None
    return value
