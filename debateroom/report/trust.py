"""How far a report can be trusted: who counted, how far it got, how alike the models are, who concluded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from debateroom.messages import Round, Transcript
from debateroom.models.catalog import makers
from debateroom.report.outcome import had_moderator
from debateroom.report.positions import Move
from debateroom.report.seats import Finder, ShownSeat, model_name, one_name
from debateroom.report.text import shorten
from debateroom.report.verdict import Excluded, Verdict, Vote
from debateroom.report.words import Words
from debateroom.room.played import devil, missing, played

_REASON = 160
"""Columns of an error's text that a heading has room for; the whole is in the transcript."""
_MANY_EQUAL = 6
"""From how many equal counts on a vote is written `6×1`."""


@dataclass(frozen=True, slots=True)
class Trust:
    """One statement, and whether it makes the verdict weigh less."""

    text: str
    warns: bool = False


@dataclass(frozen=True, slots=True)
class Dead:
    """A seat that failed: the rounds it did not reply in, and whether it ever came back."""

    seat: int
    rounds: tuple[int, ...]
    reason: str
    """The last failure's reason, shortened."""
    returned: bool


def failed_seats(transcript: Transcript, find: Finder) -> tuple[Dead, ...]:
    """The seats with a failure in any round, in seat order."""
    gone = {find(failure.agent) for failure in missing(transcript)}
    rounds: dict[int, list[int]] = {}
    reasons: dict[int, str] = {}
    for round_ in transcript.rounds:
        for failure in round_.failures:
            if (seat := find(failure.agent)) is not None:
                rounds.setdefault(seat, []).append(round_.round)
                reasons[seat] = failure.reason
    return tuple(
        Dead(seat, tuple(rounds[seat]), shorten(reasons[seat], _REASON), seat not in gone) for seat in sorted(rounds)
    )


def dead_text(dead: Dead, seats: Sequence[ShownSeat], words: Words) -> str:
    """A failed seat with its rounds and the reason."""
    rounds = words.join([str(number) for number in dead.rounds])
    return words("dead", seat=seats[dead.seat].short, rounds=rounds, reason=dead.reason or words("unknown"))


def statements(
    transcript: Transcript,
    verdict: Verdict,
    seats: Sequence[ShownSeat],
    moves: Sequence[Move],
    find: Finder,
    words: Words,
) -> tuple[Trust, ...]:
    """Everything the reader needs to weigh the verdict, in the order of importance."""
    return (
        *_counted(transcript, verdict, seats, find, words),
        *_attacks(transcript, seats, find, words),
        *_progress(transcript, words),
        *(_concluded(transcript, verdict, seats, moves, words) if transcript.kind != "arena" else ()),
        *_models(transcript, words),
        *_citations(transcript, words),
        *_doubts(transcript, verdict, words),
    )


def _concluded(
    transcript: Transcript, verdict: Verdict, seats: Sequence[ShownSeat], moves: Sequence[Move], words: Words
) -> tuple[Trust, ...]:
    """What stands on the votes and on whoever moderated and concluded."""
    return (
        *_votes(verdict, len(seats), transcript.rounds, words),
        *_changes(moves, words),
        *_moderation(verdict, words),
        *_judged_by_the_last(transcript, words),
        *_author(transcript, verdict, words),
    )


def vote_text(vote: Vote, seats: int, words: Words) -> str:
    """A vote as `3–1`, the largest first, `4–0` when all agree, `7–6×1` for many equal ones; the unknown are said."""
    counts = sorted((n for n in vote.counts.values() if n), reverse=True)
    if len(counts) == 1 and counts[0] == seats:
        counts.append(0)
    runs = [(n, len(list(same))) for n, same in groupby(counts)]
    parts = [
        words("trust.votes", times=times, n=n) if times >= _MANY_EQUAL else "–".join([words.number(n)] * times)
        for n, times in runs
    ]
    text = "–".join(parts) or "0"
    if vote.unknown:
        text = words("trust.vote_unknown", vote=text, unknown=words.count("unknown", vote.unknown))
    return text


def _counted(
    transcript: Transcript, verdict: Verdict, seats: Sequence[ShownSeat], find: Finder, words: Words
) -> Iterator[Trust]:
    if verdict.effective_agents is not None:
        n, total = verdict.effective_agents, len(seats)
        yield Trust(words("trust.counted", n=n, total=total), warns=n < total)
    elif verdict.outcome:
        yield Trust(words("trust.counted_none"), warns=True)
    for dead in failed_seats(transcript, find):
        yield Trust(dead_text(dead, seats, words), warns=True)
    told: set[tuple[int | None, int | None]] = set()
    for left in verdict.excluded:
        seat = find(left.agent)
        told.add((seat, left.round))
        name = seats[seat].short if seat is not None else left.agent or words("unnamed")
        yield Trust(words("trust.excluded", seat=name, reason=_reason(left, words)), warns=True)
    for round_ in transcript.rounds:
        for entry in round_.entries:
            seat = find(entry.agent)
            if entry.off_topic and seat is not None and not {(seat, round_.round), (seat, None)} & told:
                reason = words("trust.off_topic", round=round_.round)
                yield Trust(words("trust.excluded", seat=seats[seat].short, reason=reason), warns=True)


def _reason(left: Excluded, words: Words) -> str:
    """Why a reply was left out: one of our two words for it, or the synthesis's own."""
    if left.round is not None and left.reason in ("", "off_topic", "no_answer"):
        return words(f"trust.{left.reason or 'off_topic'}", round=left.round)
    reason = shorten(left.reason, _REASON) or words("unknown")
    if left.round is None or str(left.round) in reason:
        return reason
    return words("brackets", before=reason, text=words("body.in_round", round=left.round))


def _attacks(transcript: Transcript, seats: Sequence[ShownSeat], find: Finder, words: Words) -> Iterator[Trust]:
    """Who attacked by order, in which round and against whom: what it said there is in no vote."""
    for round_ in transcript.rounds:
        seat, other = find(devil(round_) or ""), find(round_.attacks or "")
        if seat is not None:
            name = seats[other].short if other is not None else words("unknown")
            yield Trust(words("trust.devil", round=round_.round, seat=seats[seat].short, other=name))


def _progress(transcript: Transcript, words: Words) -> Iterator[Trust]:
    count, asked = len(played(transcript)), transcript.rounds_asked
    stopped = transcript.stopped or ""
    early = asked is not None and count < asked and stopped != "converged"
    if asked is None:
        yield Trust(words("trust.rounds_only", played=words.count("rounds", count)))
    else:
        yield Trust(words.rounds(count, asked), warns=early)
    known = ("converged", "trigger", "no_progress", "budget", "deadline", "quorum", "interrupted", "error")
    if stopped in known:
        yield Trust(words(f"stopped.{stopped}"), warns=stopped not in ("converged", "trigger"))


def _votes(verdict: Verdict, seats: int, rounds: Sequence[Round], words: Words) -> Iterator[Trust]:
    opening, final = verdict.opening_vote, verdict.final_vote
    voices = seats - bool(rounds and devil(rounds[-1]))
    if len(rounds) == 1 and (only := final or opening):
        yield Trust(words("trust.only_vote", vote=vote_text(only, seats, words)))
    elif opening and final:
        first, last = vote_text(opening, seats, words), vote_text(final, voices, words)
        yield Trust(words("trust.vote", opening=first, final=last))
    elif final:
        yield Trust(words("trust.final_vote", final=vote_text(final, voices, words)))
    elif verdict.outcome:
        yield Trust(words("trust.no_vote"))


def _changes(moves: Sequence[Move], words: Words) -> Iterator[Trust]:
    moved = [move for move in moves if move.kept is None]
    if moved:
        uncaused = sum(1 for move in moved if not move.because)
        changes = words.count("changes", len(moved))
        if uncaused == 0:
            yield Trust(words("trust.caused", changes=changes))
        else:
            yield Trust(words("trust.partly_caused", changes=changes, uncaused=words.count("uncaused", uncaused)))
    reworked = sum(1 for move in moves if move.kept is not None and move.kept == move.seat)
    for what, n in (("reworked", reworked), ("kept", len(moves) - len(moved) - reworked)):
        if n:
            yield Trust(words.count(what, n))


def _moderation(verdict: Verdict, words: Words) -> Iterator[Trust]:
    """The rounds without a verdict of the moderator, those with one reason together."""
    rounds: dict[str, list[str]] = {}
    for problem in verdict.moderator_problems:
        number = "?" if problem.round is None else str(problem.round)
        rounds.setdefault(_told(problem.reason, words), []).append(number)
    for reason, numbers in rounds.items():
        key = "trust.no_verdict" if len(numbers) == 1 else "trust.no_verdicts"
        yield Trust(words(key, rounds=words.join(numbers), reason=reason), warns=True)


def _judged_by_the_last(transcript: Transcript, words: Words) -> Iterator[Trust]:
    """What the moderator made from the last round alone, because its model's window held no more."""
    verdicts = [
        str(item.round) for item in transcript.rounds if (item.moderation or {}).get("history") == "last_round"
    ]
    if verdicts:
        key = "trust.short_verdict" if len(verdicts) == 1 else "trust.short_verdicts"
        yield Trust(words(key, rounds=words.join(verdicts)), warns=True)
    if transcript.version and (transcript.final_output or {}).get("history") == "last_round":
        yield Trust(words("trust.short_synthesis"), warns=True)


def _told(reason: str, words: Words) -> str:
    """A reason as a part of a sentence."""
    return shorten(reason, _REASON).rstrip(".") or words("unknown")


def _author(transcript: Transcript, verdict: Verdict, words: Words) -> Iterator[Trust]:
    author = verdict.synthesized_by
    if author.lower() == "extract" or verdict.outcome == "extract":
        if verdict.extract_because:
            text = words("trust.extract_failed", reason=_told(verdict.extract_because, words))
        else:
            text = words("trust.extract" if had_moderator(transcript, verdict) is False else "trust.extract_unstated")
        yield Trust(text, warns=True)
    elif author.lower() == "host":
        yield Trust(words("trust.host"))
    elif author:
        yield Trust(words("trust.moderator", model=shorten(model_name(author), 60)))
    elif transcript.final_output is not None:
        yield Trust(words("trust.no_author"))


def _models(transcript: Transcript, words: Words) -> Iterator[Trust]:
    """How alike the seats are: agreement among copies of one model weighs less."""
    spoke = {entry.agent: entry.model for round_ in transcript.rounds for entry in round_.entries if entry.model}
    seats = [seat for seat in transcript.agents if not spoke or seat.name in spoke]
    models = {one_name(name) for name in spoke.values()}
    if not models:
        models = {one_name(seat.model or transcript.model) for seat in seats} - {""}
    vendors = {seat.vendor for seat in seats}
    if not models:
        yield Trust(words("trust.no_model"))
    elif len(models) == 1:
        yield Trust(words("trust.one_model"), warns=True)
    elif vendors & {"", "unknown"} or not vendors:
        yield Trust(words("trust.models", n=len(models)))
    elif frozenset.intersection(*map(makers, vendors)):
        yield Trust(words("trust.one_vendor", n=len(models)), warns=True)
    else:
        yield Trust(words("trust.vendors", n=len(models), vendors=len(frozenset.union(*map(makers, vendors)))))


def _citations(transcript: Transcript, words: Words) -> Iterator[Trust]:
    """What the replies cite of the project: how much was checked, and how much of it is not there."""
    entries = [entry for round_ in transcript.rounds for entry in round_.entries]
    cited = [citation for entry in entries for citation in entry.citations]
    missing, looked = sum(not each.exists for each in cited), sum(len(entry.tools) for entry in entries)
    checked = words.count("citations", len(cited))
    if missing:
        yield Trust(checked + words("comma") + words.count("citations_missing", missing), warns=True)
    elif cited:
        yield Trust(words("trust.citations_all", checked=checked))
    elif looked:
        yield Trust(words.count("uncited", looked), warns=True)


def _doubts(transcript: Transcript, verdict: Verdict, words: Words) -> Iterator[Trust]:
    if verdict.shared_premise:
        yield Trust(words("trust.premise", premise=shorten(verdict.shared_premise, 400)), warns=True)
    if verdict.unsupported:
        yield Trust(words.count("unsupported", verdict.unsupported), warns=True)
    entries = [entry for round_ in transcript.rounds for entry in round_.entries]
    for what, n in (
        ("last_round", sum(entry.history == "last_round" for entry in entries)),
        ("cut", sum(entry.finish == "length" for entry in entries)),
        ("refused", sum(entry.finish == "refusal" for entry in entries)),
    ):
        if n:
            yield Trust(words.count(what, n), warns=True)
    if transcript.notes:
        yield Trust(words.count("notes", len(transcript.notes)), warns=True)
