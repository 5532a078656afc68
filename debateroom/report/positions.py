"""Whose proposal each seat stood behind, round by round, and where it moved. Nothing unsaid is filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from debateroom.messages import Entry, Round
from debateroom.report.seats import Finder, ShownSeat
from debateroom.report.verdict import MindChange, Verdict, Vote

State = Literal["opens", "signs", "unsaid", "absent", "no_answer", "off_topic", "devil"]
SILENT = ("absent", "no_answer", "off_topic", "devil")
"""States of a seat that said nothing which counts."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where one seat stood after one round."""

    state: State
    """`opens` (round 1: each seat puts its own proposal), `signs`, `unsaid`, `absent` (no reply), `no_answer` (a
    reply that is no speech), `off_topic`, `devil` (it attacked by order)."""
    proposal: int | None = None
    """The index of the seat whose proposal it is; None for the last five states."""
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
    kept: int | None = None
    """The proposal that the seat stood behind before and after: then no position changed, whatever was told."""


def trace(
    rounds: Sequence[Round], seats: Sequence[ShownSeat], verdict: Verdict, find: Finder
) -> tuple[tuple[Position, ...], ...]:
    """One row a seat, one Position a round.

    Round 1 is each seat's own proposal unless the reply or the opening vote says otherwise; a seat whose reply was
    empty or left out has none. In the last round the final vote of the moderator speaks for a reply that names
    nobody. Elsewhere an unsaid endorsement is unsaid.
    """
    left_out = {(find(left.agent), left.round): left.reason for left in verdict.excluded if left.round is not None}
    rows = []
    for seat in seats:
        row: list[Position] = []
        stands: int | None = None
        for number, round_ in enumerate(rounds):
            entry = next((entry for entry in round_.entries if find(entry.agent) == seat.index), None)
            vote = _vote_of(verdict, number, len(rounds))
            position = Position("absent")
            if entry is not None:
                attacks = bool(round_.devil) and find(round_.devil or "") == seat.index
                position = _silent(entry, left_out.get((seat.index, round_.round)), attacks) or _position(
                    entry, seat.index, first=number == 0, vote=vote, find=find
                )
            if position.proposal is not None:
                moved = stands is not None and position.proposal != stands
                position, stands = replace(position, moved=moved), position.proposal
            row.append(position)
        rows.append(tuple(row))
    return tuple(rows)


def moves(
    rows: Sequence[Sequence[Position]], rounds: Sequence[Round], changes: Sequence[MindChange], find: Finder
) -> tuple[Move, ...]:
    """Every change of mind: the synthesis's, joined with what the endorsements show, and then those it left out.

    A stated change that cannot have happened is left out: of a seat that had said nothing which counts before it,
    or from one seat's proposal to another's where the endorsements show no such step.
    """
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
        kept = None
        if where is None and seat_ is not None:
            earlier, now = _around(rows[seat_], rounds, change.round)
            if not _possible(change, earlier, now, find):
                continue
            kept = _kept(earlier, now)
        told = (change.agent, round_number, change.before, change.after, change.because)
        found.append(Move(seat_, *told, where, kept))
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
    voices = sum(position.state != "devil" for position in last)
    return Vote(counts, backers, voices - sum(counts.values())) if counts else None


def _vote_of(verdict: Verdict, number: int, rounds: int) -> Mapping[int, int]:
    """Who backs whom by the moderator's vote for this round, as `{seat: proposal}`; only first and last have one.

    A debate of one round has one vote, the final one.
    """
    last = verdict.final_vote if number == rounds - 1 else None
    vote = last or (verdict.opening_vote if number == 0 else None)
    if vote is None:
        return {}
    return {seat: proposal for proposal, backers in vote.backers.items() for seat in backers}


def _silent(entry: Entry, left_out: str | None, attacks: bool) -> Position | None:
    """The position of a seat whose reply does not count; None when it does."""
    if not entry.response.strip() or entry.finish == "refusal" or left_out == "no_answer":
        return Position("no_answer")
    if attacks:
        return Position("devil")
    return Position("off_topic") if entry.off_topic or left_out is not None else None


def _position(entry: Entry, seat: int, *, first: bool, vote: Mapping[int, int], find: Finder) -> Position:
    signed = find(entry.endorses) if entry.endorses else None
    if signed is None:
        signed = vote.get(seat)
    if signed is not None and not (first and signed == seat):
        return Position("signs", signed, confidence=entry.confidence)
    if first:
        return Position("opens", seat, confidence=entry.confidence)
    return Position("unsaid", confidence=entry.confidence)


def _around(
    row: Sequence[Position], rounds: Sequence[Round], number: int | None
) -> tuple[Sequence[Position], Sequence[Position]]:
    """A seat's positions before round `number` and in it; without a number, all but the last that count, and it."""
    if number is not None:
        before = [position for round_, position in zip(rounds, row, strict=True) if round_.round < number]
        return before, [position for round_, position in zip(rounds, row, strict=True) if round_.round == number]
    heard = [position for position in row if position.state not in SILENT]
    return heard[:-1], heard[-1:]


def _possible(change: MindChange, earlier: Sequence[Position], now: Sequence[Position], find: Finder) -> bool:
    """Whether a stated change that no endorsement shows can have happened all the same."""
    if not earlier and not now:
        return True  # the file holds no such round: nothing refutes it
    if all(position.state in SILENT for position in earlier) or any(position.state in SILENT for position in now):
        return False
    start, end = find.exactly(change.before), find.exactly(change.after)
    if start is None or end is None or start == end:
        return True
    known = [position.proposal for position in earlier if position.proposal is not None]
    return known[-1:] == [start] and not any(position.proposal is not None for position in now)


def _kept(earlier: Sequence[Position], now: Sequence[Position]) -> int | None:
    """The proposal that a seat stood behind before and after; None where it moved or that is not known."""
    known = [position.proposal for position in earlier if position.proposal is not None]
    after = now[0].proposal if now else None
    return after if known and after == known[-1] else None


def _match(seen: Mapping[tuple[int, int], object], seat: int | None, round_: int | None) -> tuple[int, int] | None:
    """The seen move that a stated change means: the same seat and round, or the seat's only one."""
    own = [key for key in seen if key[0] == seat]
    if round_ is not None:
        return next((key for key in own if key[1] == round_), None)
    return own[0] if len(own) == 1 else None
