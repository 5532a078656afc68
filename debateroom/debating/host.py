"""`--synthesis host`: whoever called is the orchestrator, as in the seed. It gets a brief and hands in its synthesis.

What it hands in is held to the transcript as the moderator's is: outcome and votes are worked out, never taken over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from debateroom import templates
from debateroom.debating import structured, synthesis
from debateroom.debating.plan import HOST, Plan
from debateroom.debating.synthesis import Synthesis
from debateroom.errors import UsageError
from debateroom.language import say
from debateroom.reading.naming import names_of
from debateroom.room.events import State
from debateroom.room.played import devil
from debateroom.room.room import BRIEF, CHAT, command
from debateroom.terminal import one_line

WAITING = "waiting_for_host"
"""Status of a room whose rounds are over and whose synthesis is the caller's to write."""
_NAME = 60


def brief(folder: Path, state: State, plan: Plan) -> str:
    """What the caller needs to conclude: the questions, the schema of its answer, where the transcript is."""
    found = synthesis.findings(state, plan)
    names = [seat.name for seat in plan.seats]
    return templates.render(
        f"prompts/{plan.language}/brief.j2",
        names=names,
        number=len(found.transcript.rounds),
        finding=synthesis.finding_of(plan.language, found),
        excluded=[each["agent"] for each in found.facts["excluded"]],
        attacks=[
            say(plan.language, "seat_in_round", agent=item.devil, round=item.round)
            for item in found.transcript.rounds
            if devil(item)
        ],
        transcript=str(folder.resolve() / CHAT),
        schema=json.dumps(structured.schema(Synthesis, names), indent=1, ensure_ascii=False),
        conclude=f"{command('conclude', folder)} --file FINAL.json",
    )


def hint(folder: Path, language: str) -> str:
    """What the caller does next."""
    return say(language, "host_hint", brief=folder.resolve() / BRIEF, command=command("conclude", folder))


def read(text: str, plan: Plan) -> Synthesis:
    """The synthesis that was handed in. Raises UsageError that names the field when it is none of this room."""
    found, problem = structured.read(text, Synthesis, plan.language)
    problem = problem if found is None else _problem(found, plan)
    if found is None or problem:
        raise UsageError(say(plan.language, "no_synthesis_of_hosts", reason=problem))
    return found


def _problem(given: Synthesis, plan: Plan) -> str:
    """What else than its shape is wrong with it; empty when nothing is."""
    for field in ("summary", "recommended_action"):
        if not getattr(given, field).strip():
            return say(plan.language, "field_empty", field=field)
    names = names_of(tuple((seat.name, seat.role) for seat in plan.seats))
    for field, agents in _named(given):
        unknown = names.among(agents)[1]
        if unknown:
            return say(plan.language, "no_such_seat", field=field, name=one_line(unknown[0], _NAME))
    return ""


def _named(given: Synthesis) -> Iterator[tuple[str, list[str]]]:
    """Every field that names seats, and the names in it."""
    for place, split in enumerate(given.disagreements):
        for side, one in enumerate(split.sides):
            yield f"disagreements.{place}.sides.{side}.agents", one.agents
    for place, risk in enumerate(given.unresolved_risks):
        yield f"unresolved_risks.{place}.raised_by", risk.raised_by
    for place, change in enumerate(given.mind_changes):
        yield f"mind_changes.{place}.agent", [change.agent]
    for place, position in enumerate(given.opening_positions):
        yield f"opening_positions.{place}.agents", position.agents


def final_output(state: State, plan: Plan, given: Synthesis) -> dict[str, Any]:
    """The room's final output from what was handed in."""
    return synthesis.concluded(synthesis.findings(state, plan), given, by=HOST)
