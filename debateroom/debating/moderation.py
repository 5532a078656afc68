"""The moderator: one structured call after a round, on the prefix the next round will use anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from debateroom.debating import budget, prompts, structured
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.debating.structured import SeatName
from debateroom.debating.window import fitted
from debateroom.language import say
from debateroom.models.registry import Models
from debateroom.reading.naming import Names, names_of, nobody
from debateroom.room.room import Room, event
from debateroom.room.spending import spent
from debateroom.terminal import one_line

_NAME = 60
"""Columns of a name that is none for which a sentence has room."""


class Moderation(BaseModel):
    """The moderator's verdict on one round."""

    model_config = ConfigDict(frozen=True, strict=True)

    aligned: bool
    proposal: SeatName | None
    holdouts: list[SeatName]
    open_blockers: list[str]
    off_topic: list[SeatName]
    why: str


class OpeningModeration(Moderation):
    """After round 1 the same call asks one thing more."""

    shared_premise: str


def ask(
    room: Room, plan: Plan, models: Models, number: int, *, purse: Purse, until: float | None = None
) -> Sequence[str]:
    """Asks the moderator about round `number` and journals its verdict, or why there is none.

    Returns the shared blocks that its provider now holds, none when it gave no verdict. After `until`, on the
    monotonic clock, nobody wants the verdict any more.
    """
    shape, model = OpeningModeration if number == 1 else Moderation, models.open(plan.moderator)
    names = _names(plan)
    devil = next((item.devil for item in room.transcript.rounds if item.round == number), None)
    asked = prompts.moderator_request(plan, room.transcript, number, structured.schema(shape, names.order))
    allowance = budget.moderator_limit(plan, room.transcript, synthesis_after=True, warm=purse.sent.warm())
    limit = allowance.limit if allowance else budget.least(plan)
    request, history = fitted(model, replace(asked, until=until, max_tokens=limit))
    if allowance is None:
        purse.refuse()
        answer: structured.Structured[Moderation] = structured.unaffordable(plan)
    else:
        purse.begin(allowance, room.transcript.cost)
        room.write(event("moderator_asked", round=number))
        answer = structured.ask(
            plan,
            model,
            request,
            shape,
            purse=purse,
            check=lambda verdict: _problem(verdict, names, plan.language, devil),
        )
    room.write(
        event(
            "moderated",
            round=number,
            verdict=_in_seat_names(answer.value, names, devil) if answer.value else None,
            problem=answer.problem,
            model=answer.model,
            seconds=round(answer.seconds, 3),
            history=history,
            **spent(plan.moderator, *answer.paid, prices=plan.prices),
        )
    )
    return request.shared if answer.value else ()


def kept(value: Mapping[str, Any] | None, plan: Plan, devil: str | None) -> dict[str, Any] | None:
    """A verdict that a transcript holds, when it is one of this room's; None when it cannot be read as that."""
    if value is None:
        return None
    shape, names = OpeningModeration if "shared_premise" in value else Moderation, _names(plan)
    try:
        verdict = shape.model_validate({**value, "proposal": value.get("proposal")})
    except ValidationError:
        return None
    return None if _problem(verdict, names, plan.language, devil) else _in_seat_names(verdict, names, devil)


def _names(plan: Plan) -> Names:
    return names_of(tuple((seat.name, seat.role) for seat in plan.seats))


def _problem(verdict: Moderation, names: Names, language: str, devil: str | None) -> str:
    """Why the verdict cannot be used, in words; empty when it can.

    A name that means no seat is not passed over: without it disagreement would read as agreement, or the reverse.
    Nor is a verdict turned round that calls the seats aligned and then names a holdout or no proposal of theirs.
    """
    for field, texts in (
        ("proposal", [verdict.proposal or ""]),
        ("holdouts", verdict.holdouts),
        ("off_topic", verdict.off_topic),
    ):
        unknown = names.among(texts)[1]
        if unknown:
            return say(language, "no_such_seat", field=field, name=one_line(unknown[0], _NAME))
    if not verdict.aligned:
        return ""
    value = _in_seat_names(verdict, names, devil)
    if value["proposal"] is None:
        return say(language, "aligned_on_nothing")
    if value["holdouts"]:
        return say(language, "aligned_with_holdouts", names=", ".join(value["holdouts"]))
    return ""


def _in_seat_names(verdict: Moderation, names: Names, devil: str | None) -> dict[str, Any]:
    """The verdict with the seats by their own names, in seat order; none is off topic and anything else besides.

    The round's devil's advocate is no holdout: it attacked by order.
    """
    value = verdict.model_dump()
    for key in ("holdouts", "off_topic"):
        value[key] = names.among(value[key])[0]
    proposal = None if nobody(verdict.proposal) else names.find(verdict.proposal or "")
    value["proposal"] = None if proposal in value["off_topic"] else proposal
    value["open_blockers"] = [text.strip() for text in verdict.open_blockers if text.strip()]
    value["holdouts"] = [name for name in value["holdouts"] if name not in (*value["off_topic"], devil)]
    return value
