"""Which rounds of a debate were played, and which seats are missing from what came of it. The only place for both."""

from __future__ import annotations

from debateroom.messages import Failure, Round, Transcript

DEBATES = ("debate", "arena")
"""Kinds of rooms in which all seats speak in every round, in sections; in others a round is a turn of two parties."""
EVALUATION = "eval"
"""The kind of rooms in which an agent is evaluated, in trials."""
PLAYBOOK = "playbook"
"""The kind of rooms in which a coordinator goes through a playbook."""


def played(transcript: Transcript) -> tuple[Round, ...]:
    """The rounds that are over and in which enough seats answered.

    Where there is a final output although no round had enough, those that it stands on.
    """
    concluded = transcript.final_output is not None and transcript.kind in DEBATES
    return standing(transcript) if concluded else _over(transcript)


def standing(transcript: Transcript) -> tuple[Round, ...]:
    """The rounds that a verdict stands on: the played ones, or where there is none, those with any reply.

    The time of the run may have ended in the middle of a round: a few early replies are no verdict.
    """
    return _over(transcript) or tuple(item for item in transcript.rounds if item.entries)


def devil(item: Round) -> str | None:
    """The seat that attacked in a round by order, where it spoke: its word counts in no vote. Else None."""
    return item.devil if any(entry.agent == item.devil for entry in item.entries) else None


def missing(transcript: Transcript) -> tuple[Failure, ...]:
    """The last failure of each seat without a reply in the last round in which anybody answered, in seat order.

    When there is a final output, only the rounds that it stands on are looked at.
    """
    concluded = transcript.final_output is not None and transcript.kind in DEBATES
    rounds = played(transcript) if concluded else transcript.rounds
    heard = {entry.agent: item.round for item in rounds for entry in item.entries}
    last = max(heard.values(), default=1)
    failed = {failure.agent: failure for item in rounds for failure in item.failures}
    seats = {seat.name: position for position, seat in enumerate(transcript.agents)}
    gone = [failure for agent, failure in failed.items() if heard.get(agent, 0) < last]
    return tuple(sorted(gone, key=lambda failure: seats.get(failure.agent, len(seats))))


def _over(transcript: Transcript) -> tuple[Round, ...]:
    """A round is over when a later one has begun, or when each seat has answered or failed in it.

    A turn of a dialogue is over when both have spoken: the word that ends it stands alone.
    """
    if transcript.kind not in DEBATES:
        return tuple(item for item in transcript.rounds if len(item.entries) > 1)
    enough = max(1, transcript.quorum or 1)
    seats = {seat.name for seat in transcript.agents} if transcript.version else set()  # others note no failures
    return tuple(
        item
        for item in transcript.rounds
        if len(item.entries) >= enough and (item is not transcript.rounds[-1] or _heard_of(item) >= seats)
    )


def _heard_of(item: Round) -> set[str]:
    return {entry.agent for entry in item.entries} | {failure.agent for failure in item.failures}
