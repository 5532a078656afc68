"""The devil's advocate: which seat attacks in a round, and whose proposal. Pure, so that a resume appoints the same.

From round 2 on one seat a round, in seat order, after the one that attacked last. A seat never attacks its own
proposal: when it is its turn and its proposal is the one under attack, the next one attacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from debateroom.debating import convergence
from debateroom.debating.plan import Plan
from debateroom.messages import Round, Transcript
from debateroom.room.events import Event


class Attack(NamedTuple):
    """Who attacks, and the seat whose proposal is attacked."""

    devil: str
    attacks: str


def appointed(plan: Plan, transcript: Transcript, decisions: Mapping[int, Event], number: int) -> Attack | None:
    """The attack of round `number`; None without `--devil`, in round 1, and with nothing to attack."""
    before = [item for item in transcript.rounds if item.round < number]
    if not plan.devil or not before:
        return None
    names = [seat.name for seat in plan.seats]
    target = attacked(before[-1], decisions.get(before[-1].round, {}), names)
    if target is None:
        return None
    last = next((item.devil for item in reversed(before) if item.devil in names), None)
    start = names.index(last) + 1 if last else 0
    return Attack(next(name for name in (*names[start:], *names[:start]) if name != target), target)


def attacked(last: Round, decision: Event, names: list[str]) -> str | None:
    """The seat whose proposal is attacked after round `last`; None when no reply of it counts.

    The one that the round's decision names. Where none leads: the one with most endorsements, else that of the seat
    that is surest; of several, the first in seat order.
    """
    if decision.get("proposal") in names:
        return str(decision["proposal"])
    entries = [entry for entry in convergence.voices(last) if entry.agent in names]
    votes = Counter(entry.endorses for entry in entries if entry.endorses in names)
    if votes:
        return max(names, key=lambda name: votes[name])
    return max(entries, key=lambda entry: entry.confidence or 0.0).agent if entries else None
