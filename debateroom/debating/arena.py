"""The arena: models do one task, alone or in a debate, and a judge of another maker decides whose answer is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from debateroom.context import Context
from debateroom.debating import convergence, deciding, judge, roles
from debateroom.debating.deciding import NO_VERDICT, TIE, WINNER
from debateroom.debating.plan import ARENA, NO_MODERATOR, Plan, completed, stated
from debateroom.errors import DebateroomError, UsageError, Wording
from debateroom.language import detect_language, say, spoken, worded
from debateroom.messages import Seat, Transcript
from debateroom.models import catalog
from debateroom.models.registry import Models
from debateroom.models.vendors import Makers
from debateroom.room.played import standing
from debateroom.room.room import Room, event
from debateroom.settings import Settings

ROOM = "arena"
"""The default room."""
MOST_ROUNDS = 1_000


def make(
    task: str, seats: Sequence[str], settings: Settings, context: Context, models: Models, *, rounds: int = 0
) -> Plan:
    """The plan of an arena in which the models named in `seats` do `task`. Opens the models, asks none.

    With `rounds` they debate so many; with 0 each answers alone. Raises UsageError, NoModel: both in the language of
    the task.
    """
    problem = stated(task)
    language = detect_language(problem) if settings.language == "auto" else settings.language
    try:
        return _made(problem, language, seats, settings, context, models, rounds)
    except DebateroomError as error:
        raise spoken(error, language) from error.__cause__


def _made(
    problem: str,
    language: str,
    names: Sequence[str],
    settings: Settings,
    context: Context,
    models: Models,
    rounds: int,
) -> Plan:
    if len(names) < 2:
        raise worded(UsageError, Wording("arena_seats"), hint="--seat MODEL --seat MODEL")
    if not 0 <= rounds <= MOST_ROUNDS:
        raise worded(UsageError, Wording("arena_rounds", {"rounds": rounds, "most": MOST_ROUNDS}))
    makers = Makers(settings.vendor, models.settings)
    seats = judge.with_makers([_seat(*each, language, models) for each in enumerate(names)], makers, models)
    judging = judge.appoint(settings, seats, makers, models)
    makers.hold_used()
    return completed(
        settings, context, models,
        problem=problem, language=language, seats=seats, rounds=max(1, rounds), model=seats[0].model,
        moderator=NO_MODERATOR, synthesis="moderator", early_stop=False, kind=ARENA, alone=rounds == 0,
        decide="judge", judging=judging, devil=False, baseline=None,
    )  # fmt: skip


def _seat(position: int, name: str, language: str, models: Models) -> Seat:
    """A seat whose role is, for people, what its model is called; seats are never told it (see `prompts`)."""
    model = models.open(name).name
    return Seat(roles.seat_name(position), short_name(model), say(language, "contestant_framing"), model)


def short_name(model: str) -> str:
    """What a model is called among people: its id, without provider, owner or folder."""
    named = catalog.resolve(model)
    if named.provider == "scripted":
        return PurePath(named.model).stem
    return named.model.rsplit("/", 1)[-1] or named.provider


def conclude(room: Room, plan: Plan) -> None:
    """Writes the final output into the journal: what was decided, and the answer that won."""
    decision = deciding.of(plan, room.state) or {}
    transcript = room.transcript
    rounds = standing(transcript)
    entries = {entry.agent: entry for entry in convergence.counted(rounds[-1])} if rounds else {}
    winner = decision["winner"]
    final = {
        "summary": _summary(plan, transcript, decision),
        "outcome": decision["outcome"],
        "recommended_action": entries[winner].response.strip() if winner else "",
        "sharpest_disagreement": "",
        "effective_agents": len(entries),
        "decision": decision,
        "synthesized_by": decision["judge"]["model"],
    }
    room.write(event("synthesized", final_output=final))


def _summary(plan: Plan, transcript: Transcript, decision: Mapping[str, Any]) -> str:
    """What came of it in a sentence or two."""
    language, names = plan.language, {seat.name: seat for seat in transcript.agents}
    told = {"judge": short_name(decision["judge"]["model"]), "vendor": decision["judge"]["vendor"]}

    def named(name: str) -> str:
        return say(language, "seat_name", agent=name, role=names[name].role)

    if decision["outcome"] == WINNER:
        return say(language, f"arena_{WINNER}", winner=named(decision["winner"]), **told)
    if decision["outcome"] == TIE:
        tied = say(language, "listed").join(map(named, decision["tied"]))
        return say(language, f"arena_tie_{decision['tie']}", tied=tied, **told)
    because = say(language, f"undecided_{decision['undecided_because']}")
    return say(language, f"arena_{NO_VERDICT}", because=because, **told)
