"""Next steps that an agent offered, and whether they were taken up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from debateroom.dialogue import asking, signs
from debateroom.dialogue.loop import Exchange


class Offer(NamedTuple):
    """A next step that an answer offers."""

    turn: int
    """1 and up."""
    text: str


def unused(exchanges: Sequence[Exchange]) -> tuple[Offer, ...]:
    """The offers that nobody took up, the latest first: by saying yes, or by a later request for what they name.

    An earlier one that names nothing but what had been asked for (`Shall I go on?`) is not counted: what follows it
    may be the answer to it.
    """
    found = []
    for position in reversed(range(len(exchanges))):
        later = [item.request for item in exchanges[position + 1 :]]
        for text in _offers(exchanges[position].answer):
            if not (later and _taken_up(text, exchanges[position].request, later)):
                found.append(Offer(position + 1, text))
    return tuple(found)


def _offers(answer: str) -> tuple[str, ...]:
    """The offers in an answer, without those that are only kind."""
    return tuple(text for text in signs.find_all("offer", answer) if not signs.shows("courtesy", text))


def _taken_up(offer: str, asked: str, later: Sequence[str]) -> bool:
    named = asking.subjects(offer) - asking.subjects(asked)
    if not named or signs.shows("accepts", later[0]):
        return True
    return any(asking.shares(named, asking.subjects(request)) for request in later)
