"""A run of a dialogue that broke off without a word: what was under way then, as far as its journal says. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debateroom.language import say
from debateroom.messages import Failure, Round, Seat
from debateroom.room.events import Event, State

_BETWEEN = ("room_resumed", "journal_mended", "moved_aside")


def broke_off(events: Sequence[Event]) -> bool:
    """Whether the run that wrote the last of these `events` was killed or interrupted in the middle of something."""
    said = [each["event"] for each in events if each.get("event") not in _BETWEEN]
    return bool(said) and said[-1] not in ("room_opened", "room_finished")


def unanswered(state: State) -> State:
    """`state` in which the party whose word was under way is one that failed: interrupted, and at which tools."""
    told = state.transcript
    last = told.rounds[-1] if told.rounds else None
    if told.status not in ("running", "interrupted") or told.final_output is not None or last is None:
        return state
    driver, agent = told.agents
    if last.round in state.finished_rounds:
        lost = Round(last.round + 1, failures=(_interrupted(driver, told.language),))
        return replace(state, transcript=replace(told, rounds=(*told.rounds, lost)))
    tools = [name for step in state.looked.get((last.round, agent.name), ()) for name in step.under_way()]
    failed = replace(last, failures=(_interrupted(agent, told.language, tools),))
    return replace(state, transcript=replace(told, rounds=(*told.rounds[:-1], failed)))


def _interrupted(seat: Seat, language: str, tools: Sequence[str] = ()) -> Failure:
    key = "tools_interrupted" if tools else "call_interrupted"
    return Failure(seat.name, seat.role, say(language, key, tools=", ".join(tools)))
