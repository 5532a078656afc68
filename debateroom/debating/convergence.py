"""Whether a round's replies are an agreement. Pure: asks no model, compares no words.

A reported confidence alone never stops a debate, and neither do shared words: opposed proposals share most of
theirs. Only the moderator's verdict counts, or, without a moderator, declared endorsements (DESIGN, section 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from debateroom.messages import Entry, Kind, Round, Transcript
from debateroom.reading.reply import read_reply
from debateroom.reading.topic import is_error_text, is_no_speech
from debateroom.room.played import devil

THRESHOLD = 8.0
"""Confidence (1–10) from which a seat counts as sure; from the seed."""


OBSTACLES = (
    "few_replies",
    "unsure",
    "few_confidences",
    "unknown_confidence",
    "no_verdict",
    "no_agreement",
    "blocker",
    "no_common_proposal",
)
"""What can stand against an agreement, in the order in which it is looked for."""


class Gate(NamedTuple):
    """Whether asking the moderator is worth a call, and why not."""

    open: bool
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What a round came to."""

    converged: bool
    proposal: str | None
    """The seat whose proposal they would sign, or most would; None when none stands out."""
    backers: tuple[str, ...]
    """Seats that would sign it."""
    effective: int
    """Seats whose reply counts: neither failed nor empty nor off topic, nor devil's advocate."""
    excluded: tuple[str, ...]
    """Seats whose reply was left out."""
    why: str
    """What decided: `agreed`, or the first of OBSTACLES that stands."""

    def to_event(self) -> dict[str, Any]:
        """The decision as the journal holds it."""
        return asdict(self)


def counted(item: Round) -> tuple[Entry, ...]:
    """Replies that count: not off topic, not empty, not an error's text in place of a speech."""
    return tuple(entry for entry in item.entries if not entry.off_topic and not _no_answer(entry, item))


def voices(item: Round) -> tuple[Entry, ...]:
    """Replies that can make an agreement: those that count, without that of the round's devil's advocate."""
    return tuple(entry for entry in counted(item) if entry.agent != item.devil)


def _no_answer(entry: Entry, item: Round) -> bool:
    """Whether the reply is no speech at all: empty, a refusal, or an error's text, alone or as the proposal."""
    if not entry.response.strip() or entry.finish == "refusal":
        return True
    return _says_an_error(entry, "opening" if item.round == 1 else "debate")


@lru_cache(maxsize=2048)
def _says_an_error(entry: Entry, kind: Kind) -> bool:
    """Whether the reply or its proposal is an error's text. Kept: each verdict asks again about every reply."""
    response = entry.response
    sections = read_reply(response, kind=kind, speaker=entry.agent, stop_reason=entry.finish).sections
    proposal = sections.get("refined_proposal") or sections.get("proposal") or ""
    return is_no_speech(response) or is_error_text(proposal)


def gate(item: Round, *, quorum: int, threshold: float = THRESHOLD) -> Gate:
    """Open when every known confidence is at least `threshold` and a quorum is known; after round 1 none need be.

    The devil's advocate has none.
    """
    entries = voices(item)
    known = [entry.confidence for entry in entries if entry.confidence is not None]
    enough = min(quorum, len(entries)) if devil(item) else quorum  # who attacks is of the quorum, and has no voice
    if len(entries) < 2:
        return Gate(False, "few_replies")
    if any(confidence < threshold for confidence in known):
        return Gate(False, "unsure")
    if item.round > 1 and len(known) < enough:
        return Gate(False, "few_confidences")
    return Gate(True, "")


def decide(item: Round, *, moderated: bool, quorum: int, threshold: float = THRESHOLD) -> Decision:
    """What the round came to. Without a moderator's verdict only declared endorsements count.

    Converged means: the gate is open, every reply that counts is sure (in round 1: none is unsure), at least two
    count, and all would sign the same proposal with nothing left that its author calls a blocker.
    """
    entries = voices(item)
    heard = set(counted(item))
    excluded = tuple(entry.agent for entry in item.entries if entry not in heard)
    verdict = item.moderation if moderated else None
    named = verdict is not None and verdict["proposal"] not in (None, *excluded)
    proposal, backers = _moderated(entries, verdict) if verdict and named else _declared(entries)
    why = _obstacle(item, entries, proposal, backers, verdict, moderated, quorum, threshold)
    if not why and (proposal in excluded or (verdict is not None and not named)):
        why = "no_common_proposal"  # a proposal that was left out is nobody's to sign
    return Decision(not why, proposal, backers, len(entries), excluded, why or "agreed")


def _obstacle(
    item: Round,
    entries: Sequence[Entry],
    proposal: str | None,
    backers: Sequence[str],
    verdict: Mapping[str, Any] | None,
    moderated: bool,
    quorum: int,
    threshold: float,
) -> str:
    """The first thing that stands against agreement; empty when nothing does."""
    entrance = gate(item, quorum=quorum, threshold=threshold)
    if not entrance.open:
        return entrance.why
    if item.round > 1 and any(entry.confidence is None for entry in entries):
        return "unknown_confidence"
    if moderated and verdict is None:
        return "no_verdict"
    if verdict is not None and not verdict["aligned"]:
        return "no_agreement"
    if verdict is not None and verdict["open_blockers"]:
        return "blocker"
    if proposal is None or len(backers) < len(entries):
        return "no_common_proposal"
    return ""


def _declared(entries: Sequence[Entry]) -> tuple[str | None, tuple[str, ...]]:
    """The proposal with most declared endorsements, and who declared them; (None, ()) on a tie at the top."""
    votes = Counter(entry.endorses for entry in entries if entry.endorses)
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None, ()
    leader = ranked[0][0]
    return leader, tuple(entry.agent for entry in entries if entry.endorses == leader)


def _moderated(entries: Sequence[Entry], verdict: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """The proposal the moderator names, and all who count but the holdouts."""
    holdouts = set(verdict["holdouts"])
    proposal = verdict["proposal"] or None
    if proposal is None:
        return None, ()
    return proposal, tuple(entry.agent for entry in entries if entry.agent not in holdouts)


def outcome(transcript: Transcript, decision: Decision) -> str:
    """`unanimous`, `consensus`, `split` or `deadlock` (DESIGN, section 3). Never taken from a model.

    `unanimous` is agreement in round 1 of every seat; agreement later, or with a seat that failed or was left
    out, is `consensus`; short of agreement, `split` when more than half would sign one proposal.
    """
    everyone = len(transcript.agents)
    if decision.converged:
        first = len(transcript.rounds) == 1
        return "unanimous" if first and decision.effective == everyone else "consensus"
    if decision.proposal and decision.effective >= 2 and len(decision.backers) * 2 > decision.effective:
        return "split"
    return "deadlock"
