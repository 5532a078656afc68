"""The single answers that a journal holds: what each came to, and what they used. Pure."""

from __future__ import annotations

from debateroom.messages import Usage
from debateroom.room.events import Event, State
from debateroom.room.foreign import as_usage

QUOTED = 2_000
"""Characters of a recommendation that is read by the moderator."""


def steps(state: State, number: int) -> list[Event]:
    """What answer `number` came to, each time it was asked."""
    return [each for each in state.singles if each["answer"] == number and each["event"] == "single_answered"]


def last(state: State) -> dict[int, Event]:
    """Every answer's last version, by its number, in order."""
    answered = [each for each in state.singles if each["event"] == "single_answered"]
    return dict(sorted({each["answer"]: each for each in answered}.items()))


def failed(state: State) -> list[Event]:
    """The calls that gave no answer."""
    return [each for each in state.singles if each["event"] == "single_failed"]


def texts(state: State) -> list[str]:
    """What they recommend, in order of their numbers."""
    return [str(each["recommendation"])[:QUOTED] for each in last(state).values()]


def first_sizes(state: State) -> list[int]:
    """Tokens of each answer's first call, sent and received; those that told nothing are left out."""
    found = [as_usage(each.get("usage")) for each in state.singles if each["step"] == 1]
    return [usage.input + usage.output for usage in found if usage != Usage()]


def used(state: State) -> Usage:
    """What all calls for them used."""
    return sum((as_usage(each.get("usage")) for each in state.singles), Usage())
