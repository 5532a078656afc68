"""What came of a debate, in words: a badge, a sentence, and what stood against agreement. Decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from debateroom.messages import Transcript
from debateroom.report.seats import Finder, ShownSeat
from debateroom.report.text import shorten
from debateroom.report.verdict import Verdict, items
from debateroom.report.words import Words
from debateroom.room.played import devil, played

TONES = {"unanimous": "good", "consensus": "good", "split": "mixed", "deadlock": "open"}
"""Of each outcome of a debate."""
_QUOTED = 240
"""Columns of a blocker that a sentence has room for."""


class Outcome(NamedTuple):
    """The outcome as both reports show it."""

    state: str
    """The outcome, or why there is none: the keys of `badge` and `outcome` in the words."""
    tone: str
    """`good`, `mixed`, `open` or `none`."""
    badge: str
    """In a few words."""
    sentence: str
    """As a sentence, with what stood against agreement."""
    obstacle: str
    """What stood against agreement, as a sentence by itself; empty where it is not known or there is agreement."""
    blockers: tuple[str, ...]
    """Open blockers that the sentence does not quote already."""


def of(transcript: Transcript, said: Verdict, seats: Sequence[ShownSeat], find: Finder, words: Words) -> Outcome:
    """The outcome of a debate of these `seats`; who attacked in its last round by order is not counted."""
    state = _state(transcript, said)
    attacker = find(devil(transcript.rounds[-1]) or "") if transcript.rounds else None
    voices = len(seats) - (attacker is not None)
    most = max(said.final_vote.counts.values(), default=0) if said.final_vote else 0
    key = state
    if state == "split":
        key = "split_uncounted" if 2 * most <= voices else "split_all" if most == voices else "split"
    elif state == "extract":
        key = _of_extract("extract", transcript, said)
    blockers = _blockers(transcript, said, state)
    reason = _reason(said, state, blockers, words)
    last = transcript.rounds[-1].round if transcript.rounds else 0
    count = words.count("rounds", len(played(transcript)))
    values = {"round": last, "n": most, "total": voices, "played": count}
    sentence = words(f"outcome.{key}", **values)
    if state == "split":
        sentence = words("sentence", text=words("colon").join([sentence, reason]) if reason else sentence)
    elif reason:
        sentence = words("space").join([sentence, words("outcome.no_agreement", reason=reason)])
    if said.synthesized_by.lower() == "extract" and state != "extract":
        sentence += words("space") + words(f"outcome.{_of_extract('by_extract', transcript, said)}")
    if attacker is not None and transcript.final_output is not None:
        sentence += words("space") + words("outcome.devil", seat=seats[attacker].short)
    return Outcome(
        state=state,
        tone=TONES.get(state, "none"),
        badge=words(f"badge.{'extract' if state == 'extract' else key}", **values),
        sentence=sentence,
        obstacle=words("outcome.no_agreement", reason=reason) if reason else "",
        blockers=() if said.undecided_because == "blocker" and reason else blockers,
    )


def had_moderator(transcript: Transcript, said: Verdict) -> bool | None:
    """Whether somebody was asked to moderate or conclude; None where the file does not tell."""
    if said.extract_because or said.moderator_problems or any(round_.moderation for round_ in transcript.rounds):
        return True
    return None if said.extract_because is None else False


def _of_extract(key: str, transcript: Transcript, said: Verdict) -> str:
    """The words for an extract: made without a moderator, made because the moderator failed, or not recorded why."""
    moderated = had_moderator(transcript, said)
    if moderated is None:
        return f"{key}_unstated"
    return f"{key}_failed" if moderated else key


def _state(transcript: Transcript, said: Verdict) -> str:
    if transcript.final_output is None:
        return transcript.status
    if said.outcome:
        return said.outcome
    return "extract" if said.synthesized_by.lower() == "extract" else "unstated"


def _blockers(transcript: Transcript, said: Verdict, state: str) -> tuple[str, ...]:
    """The synthesis's; where it has no such field, those of the last round's moderation if nothing was agreed."""
    if said.open_blockers is not None:
        return said.open_blockers
    last = transcript.rounds[-1].moderation if transcript.rounds else None
    return items(last.get("open_blockers")) if last and state in ("split", "deadlock") else ()


def _reason(said: Verdict, state: str, blockers: tuple[str, ...], words: Words) -> str:
    """What stood against agreement, without a full stop; empty where it is not known."""
    if state not in ("split", "deadlock") or said.undecided_because is None:
        return ""
    if said.undecided_because == "blocker" and blockers:
        quoted = [words("quoted", text=shorten(text, _QUOTED)) for text in blockers]
        return words("undecided.blocker_quoted", texts=words.join(quoted))
    return words(f"undecided.{said.undecided_because}")
