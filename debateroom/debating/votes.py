"""The votes: whose proposal each seat would sign, in round 1 and at the end. Worked out, never asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from debateroom.debating import convergence
from debateroom.debating.convergence import Decision
from debateroom.messages import Round, Transcript
from debateroom.room.played import devil

UNKNOWN = ""
"""The key of seats whose vote is not known."""


def opening(transcript: Transcript, positions: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Round 1: proposal's seat → seats that stood behind it; each behind its own, unless said otherwise.

    Seats that declared an endorsement are counted by it; else `positions` (groups of seats with one position,
    each seat taken once, names outside the room ignored) joins those who opened alike under the first of them.
    """
    if not transcript.rounds:
        return {}
    entries = convergence.counted(transcript.rounds[0])
    leader = {entry.agent: entry.endorses or entry.agent for entry in entries}
    free = {entry.agent for entry in entries if not entry.endorses}
    for position in positions:
        together = [seat.name for seat in transcript.agents if seat.name in position["agents"] and seat.name in free]
        for name in together:
            leader[name] = together[0]
            free.discard(name)
    return _grouped(leader)


def final(transcript: Transcript, decision: Decision) -> dict[str, list[str]]:
    """The last round: proposal's seat → seats that would sign it; unknown votes under the empty name.

    The moderator's finding decides for those it names; the others by what they declared. A devil's advocate has none.
    """
    if not transcript.rounds:
        return {}
    last = transcript.rounds[-1]
    only = len(transcript.rounds) == 1
    leader = {}
    for entry in convergence.voices(last):
        if decision.proposal and entry.agent in decision.backers:
            leader[entry.agent] = decision.proposal
        elif entry.endorses and entry.endorses == decision.proposal:  # the moderator calls this seat a holdout
            leader[entry.agent] = UNKNOWN
        else:
            # after one round each stands behind its own proposal, as in the opening vote
            leader[entry.agent] = entry.endorses or (entry.agent if only else UNKNOWN)
    return _grouped(leader)


def declared(transcript: Transcript, rounds: Sequence[Round]) -> dict[str, list[str]]:
    """What the seats declared in the last of `rounds`: proposal's seat → seats that would sign it.

    In round 1 a seat that names nobody stands behind its own proposal; later its vote is not known, and neither is
    that of a seat without a reply which counts. A devil's advocate has none.
    """
    last = rounds[-1] if rounds else Round(1)
    said = {entry.agent: entry for entry in convergence.voices(last)}
    leader = {}
    for seat in transcript.agents:
        if seat.name == devil(last):
            continue
        entry = said.get(seat.name)
        own = seat.name if entry and last.round == 1 else UNKNOWN
        leader[seat.name] = (entry.endorses if entry else None) or own
    return _grouped(leader)


def _grouped(leader: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, whose in leader.items():
        groups.setdefault(whose, []).append(name)
    return dict(sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, -len(item[1]), item[0])))
