"""Whose proposal each seat stood behind, round by round, and where it moved. Nothing unsaid is filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from debateroom.messages import Entry, Round
from debateroom.report.seats import Finder, ShownSeat
from debateroom.report.verdict import MindChange, Verdict, Vote

State = Literal["opens", "signs", "unsaid", "absent", "off_topic"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where one seat stood after one round."""

    state: State
    """`opens` (round 1: each seat puts its own proposal), `signs`, `unsaid`, `absent` (no reply), `off_topic`."""
    proposal: int | None = None
    """The index of the seat whose proposal it is; None for the last three states."""
    moved: bool = False
    """Whether the proposal differs from the last one that this seat was known to stand behind."""
    confidence: float | None = None
    """1–10; None where it is not known or the reply does not count."""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of mind: stated by the synthesis, seen in the endorsements, or both."""

    seat: int | None
    """The seat's index; None when the synthesis names no seat of the room."""
    who: str
    """The name as the synthesis gives it."""
    round: int | None
    before: str
    after: str
    because: str
    seen: tuple[int | None, int] | None
    """From whose proposal to whose, where the endorsements show it."""


def trace(
    rounds: Sequence[Round], seats: Sequence[ShownSeat], verdict: Verdict, find: Finder
) -> tuple[tuple[Position, ...], ...]:
    """One row a seat, one Position a round.

    Round 1 is each seat's own proposal unless the reply or the opening vote says otherwise. In the last round the
    final vote of the moderator speaks for a reply that names nobody. Elsewhere an unsaid endorsement is unsaid.
    """
    rows = []
    for seat in seats:
        row: list[Position] = []
        stands: int | None = None
        for number, round_ in enumerate(rounds):
            entry = next((entry for entry in round_.entries if find(entry.agent) == seat.index), None)
            vote = _vote_of(verdict, number, len(rounds))
            position = _position(entry, seat.index, first=number == 0, vote=vote, find=find)
            if position.proposal is not None:
                moved = stands is not None and position.proposal != stands
                position, stands = replace(position, moved=moved), position.proposal
            row.append(position)
        rows.append(tuple(row))
    return tuple(rows)


def moves(
    rows: Sequence[Sequence[Position]], rounds: Sequence[Round], changes: Sequence[MindChange], find: Finder
) -> tuple[Move, ...]:
    """Every change of mind: the synthesis's, joined with what the endorsements show, and then those it left out."""
    seen: dict[tuple[int, int], tuple[int | None, int]] = {}
    for seat, row in enumerate(rows):
        stands = None
        for round_, position in zip(rounds, row, strict=True):
            if position.moved and position.proposal is not None:
                seen[seat, round_.round] = (stands, position.proposal)
            stands = position.proposal if position.proposal is not None else stands
    found = []
    for change in changes:
        seat_ = find(change.agent)
        match = _match(seen, seat_, change.round)
        where = seen.pop(match) if match else None
        round_number = match[1] if match else change.round
        found.append(Move(seat_, change.agent, round_number, change.before, change.after, change.because, where))
    found += [Move(seat, "", number, "", "", "", where) for (seat, number), where in seen.items()]
    last = max((round_.round for round_ in rounds), default=0) + 1
    return tuple(sorted(found, key=lambda move: move.round or last))


def final_vote(rows: Sequence[Sequence[Position]]) -> Vote | None:
    """The vote that the last round's positions show; None when nobody's is known."""
    if not rows or not rows[0]:
        return None
    last = [row[-1] for row in rows]
    counts: dict[int, int] = {}
    backers: dict[int, tuple[int, ...]] = {}
    for seat, position in enumerate(last):
        if position.proposal is not None:
            counts[position.proposal] = counts.get(position.proposal, 0) + 1
            backers[position.proposal] = (*backers.get(position.proposal, ()), seat)
    return Vote(counts, backers, len(last) - sum(counts.values())) if counts else None


def _vote_of(verdict: Verdict, number: int, rounds: int) -> Mapping[int, int]:
    """Who backs whom by the moderator's vote for this round, as `{seat: proposal}`; only first and last have one."""
    vote = verdict.opening_vote if number == 0 else verdict.final_vote if number == rounds - 1 else None
    if vote is None:
        return {}
    return {seat: proposal for proposal, backers in vote.backers.items() for seat in backers}


def _position(entry: Entry | None, seat: int, *, first: bool, vote: Mapping[int, int], find: Finder) -> Position:
    if entry is None:
        return Position("absent")
    if entry.off_topic:
        return Position("off_topic")
    signed = find(entry.endorses) if entry.endorses else None
    if signed is None:
        signed = vote.get(seat)
    if signed is not None and not (first and signed == seat):
        return Position("signs", signed, confidence=entry.confidence)
    if first:
        return Position("opens", seat, confidence=entry.confidence)
    return Position("unsaid", confidence=entry.confidence)


def _match(seen: Mapping[tuple[int, int], object], seat: int | None, round_: int | None) -> tuple[int, int] | None:
    """The seen move that a stated change means: the same seat and round, or the seat's only one."""
    own = [key for key in seen if key[0] == seat]
    if round_ is not None:
        return next((key for key in own if key[1] == round_), None)
    return own[0] if len(own) == 1 else None
