"""What both reports show, worked out once from a transcript; the reports only lay it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from debateroom import clock
from debateroom.messages import Entry, Round, Transcript
from debateroom.report import outcome, positions, seats, trust, verdict
from debateroom.report.outcome import Outcome
from debateroom.report.positions import SILENT, Move, Position
from debateroom.report.seats import Finder, ShownSeat
from debateroom.report.text import flat, harmless_value, shorten
from debateroom.report.trust import Dead, Trust
from debateroom.report.verdict import Verdict
from debateroom.report.words import Words
from debateroom.room.played import DEBATES, played


@dataclass(frozen=True, slots=True)
class Final:
    """A seat's confidence at the end: that of its last reply that counted, and its round unless that was the last."""

    confidence: float | None
    round: int | None


@dataclass(frozen=True, slots=True)
class Facts:
    """A transcript with everything that the reports say about it."""

    transcript: Transcript
    """With every text made harmless, and where there is a verdict, only with the rounds that it stands on."""
    broken_off: tuple[Round, ...]
    """The rounds that a verdict does not stand on: the run ended in them."""
    played: int
    """Rounds that were played."""
    words: Words
    seats: tuple[ShownSeat, ...]
    find: Finder
    finals: tuple[Final, ...]
    verdict: Verdict
    outcome: Outcome
    dead: tuple[Dead, ...]
    trust: tuple[Trust, ...]
    rows: tuple[tuple[Position, ...], ...]
    moves: tuple[Move, ...]
    date: datetime | None
    """When the debate started; None when not recorded."""
    written: datetime
    """Now: the date of the report where the debate's is not recorded."""

    @property
    def state(self) -> str:
        """The outcome, or why there is none."""
        return self.outcome.state

    @property
    def extracted(self) -> bool:
        """Whether nobody judged the debate: the synthesis is an extract from what the seats wrote."""
        return self.verdict.synthesized_by.lower() == "extract" or self.verdict.outcome == "extract"

    def name(self, text: str) -> str:
        """The short name of the seat that `text` means, or `text` itself; `unnamed` where it is empty."""
        index = self.find(text)
        if index is None:
            return flat(text) or self.words("unnamed")
        return self.seats[index].short

    def long_name(self, text: str) -> str:
        """`Agent A (Architect)`, or the text itself when it names no seat; `unnamed` where it is empty."""
        index = self.find(text)
        if index is None:
            return flat(text) or self.words("unnamed")
        seat = self.seats[index]
        role = shorten(seat.role, seats.LONGEST)
        return self.words("brackets", before=seat.name, text=role) if role else seat.name

    def entry_of(self, round_: Round, seat: int) -> Entry | None:
        """The seat's reply in a round."""
        return next((entry for entry in round_.entries if self.find(entry.agent) == seat), None)


def of(transcript: Transcript) -> Facts:
    """The facts of `transcript`. Pure but for the clock."""
    whole = harmless_value(transcript)
    judged = whole.final_output is not None and whole.kind in DEBATES
    transcript = replace(whole, rounds=played(whole)) if judged else whole
    words = Words(transcript.language)
    shown = seats.shown(transcript.agents)
    find = Finder(shown)
    said = _verdict(transcript, find)
    rows = positions.trace(transcript.rounds, shown, said, find)
    if said.final_vote is None and len(transcript.rounds) > 1:
        said = replace(said, final_vote=positions.final_vote(rows))
    moves = positions.moves(rows, transcript.rounds, said.changes, find)
    return Facts(
        transcript=transcript,
        broken_off=tuple(item for item in whole.rounds if item not in transcript.rounds),
        played=len(played(transcript)),
        words=words,
        seats=shown,
        find=find,
        finals=tuple(_final(transcript.rounds, row) for row in rows),
        verdict=said,
        outcome=outcome.of(transcript, said, shown, find, words),
        dead=trust.failed_seats(transcript, find),
        trust=trust.statements(transcript, said, shown, moves, find, words),
        rows=rows,
        moves=moves,
        date=_moment(transcript.started),
        written=clock.now(),
    )


def spending(facts: Facts) -> tuple[str, str, str]:
    """Cost, tokens with the cached share, and wall time, in words; what is not known says so."""
    transcript, words = facts.transcript, facts.words
    usage = transcript.usage
    if not usage.input and not usage.output:
        for round_ in transcript.rounds:
            for entry in round_.entries:
                usage += entry.usage
    tokens = words("tokens_unknown")
    if usage.input or usage.output:
        cached = words.share(usage.cached, usage.input)
        tokens = words(
            "footer.tokens_short", input=words.number(usage.input), cached=cached, output=words.number(usage.output)
        )
    cost = words("unknown") if transcript.cost is None else words.money(transcript.cost)
    wall = words("unknown_time") if transcript.seconds is None else words.duration(transcript.seconds)
    return cost, tokens, wall


def _verdict(transcript: Transcript, find: Finder) -> Verdict:
    said = verdict.read(transcript.final_output, find)
    # Our own files gain fields with time; only a foreign file's unknown fields may be all it says.
    return replace(said, extras=()) if transcript.version else said


def _final(rounds: Sequence[Round], row: Sequence[Position]) -> Final:
    """The last reply that counted speaks for the seat: one off topic or left out does not."""
    for round_, position in zip(reversed(rounds), reversed(row), strict=True):
        if position.state not in SILENT:
            earlier = round_.round if round_ is not rounds[-1] and position.confidence is not None else None
            return Final(position.confidence, earlier)
    return Final(None, None)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
