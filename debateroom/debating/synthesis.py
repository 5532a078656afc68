"""The synthesis: the moderator's structured reading of the whole debate, or an extract made of the seats' own words.

The outcome and the votes are never a model's: they are worked out from the transcript (see `convergence`, `votes`).
What a model says about a seat is kept only when it stands on that seat's replies (see `grounding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from debateroom import clock
from debateroom.debating import budget, convergence, deciding, extract, grounding, prompts, structured, votes
from debateroom.debating.convergence import Decision
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.purse import Purse
from debateroom.debating.structured import SeatName
from debateroom.debating.window import fitted
from debateroom.language import say
from debateroom.messages import Request, Transcript
from debateroom.models.registry import Models
from debateroom.room.events import State
from debateroom.room.played import devil, standing
from debateroom.room.room import Room, event
from debateroom.room.spending import spent


class Side(BaseModel):
    """One side of a disagreement."""

    model_config = ConfigDict(frozen=True)
    agents: list[SeatName]
    claim: str


class Disagreement(BaseModel):
    """A question on which the seats stayed split."""

    model_config = ConfigDict(frozen=True)
    question: str
    sides: list[Side]


class Risk(BaseModel):
    """A concern that was raised and not resolved."""

    model_config = ConfigDict(frozen=True)
    risk: str
    raised_by: list[SeatName]


class MindChange(BaseModel):
    """A seat that changed its mind, and because of what."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, serialize_by_alias=True)
    agent: SeatName
    before: str = Field(alias="from")
    after: str = Field(alias="to")
    because: str
    round: int


class OpeningPosition(BaseModel):
    """Seats that took the same position in round 1."""

    model_config = ConfigDict(frozen=True)
    agents: list[SeatName]
    claim: str


class Synthesis(BaseModel):
    """What the moderator is asked for at the end."""

    model_config = ConfigDict(frozen=True)
    summary: str
    consensus: list[str]
    disagreements: list[Disagreement]
    recommended_action: str
    sharpest_disagreement: str
    unresolved_risks: list[Risk]
    mind_changes: list[MindChange]
    highlights: list[str]
    opening_positions: list[OpeningPosition]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a debate before anybody concludes."""

    transcript: Transcript
    """With the rounds that count as played."""
    decision: Decision
    facts: dict[str, Any]
    """The part of the final output that nobody is asked for."""
    unsupported: int
    """Claims of the moderator's in it that stood on nothing."""


def findings(state: State, plan: Plan) -> Findings:
    """What the rounds of a debate came to."""
    transcript = replace(state.transcript, rounds=standing(state.transcript))
    last = transcript.rounds[-1]
    decision = convergence.decide(last, moderated=plan.moderator != NO_MODERATOR, quorum=plan.quorum)
    facts = _facts(transcript, decision, state.moderator_problems)
    if decided := deciding.of(plan, state):
        won = {"proposal": extract.newest_proposal(transcript, decided["winner"])} if decided["winner"] else {}
        facts["decision"] = decided | won
    premise = grounding.premise(facts["shared_premise"] or "", transcript)
    return Findings(transcript, decision, facts | premise.claims, premise.unsupported)


def concluded(found: Findings, synthesis: Synthesis, *, by: str) -> dict[str, Any]:
    """The final output: the findings, and the claims of the `synthesis` that stand on the transcript."""
    transcript, facts = found.transcript, dict(found.facts)
    claims, unsupported = grounding.held_to_transcript(synthesis.model_dump(by_alias=True), transcript)
    positions = claims.pop("opening_positions")
    if len(transcript.rounds) > 1:
        facts["opening_vote"] = votes.opening(transcript, positions)
    filled = _filled(claims, transcript, found.decision, facts["outcome"])
    final = {**filled, **facts, "unsupported": unsupported + found.unsupported, "synthesized_by": by}
    return _in_order(final)


def conclude(room: Room, plan: Plan, models: Models, *, purse: Purse, until: float | None = None) -> None:
    """Writes the final output into the journal: the moderator's, or the marked extract when none can be used.

    After `until`, on the monotonic clock, nobody is asked any more, nor when the `purse` does not hold it.
    """
    in_time = until is None or clock.monotonic() < until
    found = findings(room.state, plan)
    transcript, decision, facts = found.transcript, found.decision, found.facts
    answer: structured.Structured[Synthesis] | None = None
    history = "full"
    if in_time and plan.moderator != NO_MODERATOR:
        allowance = budget.moderator_limit(plan, transcript, synthesis_after=False, warm=purse.sent.warm())
        if allowance is None:
            purse.refuse()
            answer = structured.unaffordable(plan)
        else:
            purse.begin(allowance, transcript.cost)
            room.write(event("synthesis_asked"))
            request = _request(plan, found)
            request = replace(request, until=until, max_tokens=allowance.limit)
            answer, history = _asked(transcript, plan, models, request, purse)
    if answer is not None and answer.value is not None:
        final = concluded(found, answer.value, by=answer.model)
    else:
        moderated = plan.moderator != NO_MODERATOR
        problem = answer.problem if answer else say(plan.language, "time_over") if moderated else ""
        final = {**extract.build(transcript, decision, facts["outcome"], alone=not moderated), **facts}
        if won := facts.get("decision", {}).get("proposal"):
            final["recommended_action"] = won
        final |= {"unsupported": found.unsupported, "synthesized_by": "extract", "extract_because": problem}
    paid = spent(plan.moderator, *answer.paid, prices=plan.prices) if answer else {}
    room.write(event("synthesized", final_output=_in_order(final), history=history, **paid))


def _filled(claims: dict[str, Any], transcript: Transcript, decision: Decision, outcome: str) -> dict[str, Any]:
    """`claims`, with the extract's words where nothing of the moderator's could be kept."""
    needed = ("summary", "recommended_action", "sharpest_disagreement")
    if all(claims[key] for key in needed):
        return claims
    stand_in = extract.build(transcript, decision, outcome, alone=False)
    return claims | {key: stand_in[key] for key in needed if not claims[key]}


def _request(plan: Plan, found: Findings) -> Request:
    excluded = [entry for item in found.transcript.rounds for entry in item.entries if entry.off_topic]
    finding = finding_of(plan.language, found)
    schema = structured.schema(Synthesis, [seat.name for seat in plan.seats])
    return prompts.synthesis_request(plan, found.transcript, schema, finding=finding, excluded=excluded)


def finding_of(language: str, found: Findings) -> str:
    """The outcome as whoever concludes is told it, and what was decided beside it."""
    figures = {"proposal": found.decision.proposal or "—", "rounds": len(found.transcript.rounds)}
    told = [say(language, f"finding_{found.facts['outcome']}", **figures)]
    decided = found.facts.get("decision") or {}
    if decided.get("winner"):
        told.append(say(language, f"finding_{decided['by']}", agent=decided["winner"]))
    return say(language, "between_sentences").join(told)


def _asked(
    transcript: Transcript, plan: Plan, models: Models, request: Request, purse: Purse
) -> tuple[structured.Structured[Synthesis], str]:
    """What came of the question, and how much of the debate the moderator's window held (see `window`)."""
    model = models.open(plan.moderator)
    request, history = fitted(model, request)
    if transcript.rounds[-1].moderation is None:
        request = _last_unwritten(request)
    return structured.ask(plan, model, request, Synthesis, purse=purse), history


def _last_unwritten(request: Request) -> Request:
    """The same prompt with the last round's block outside the cached part.

    Nobody reads it after this call, and a provider takes a quarter more for writing it to its cache.
    """
    return replace(request, shared=request.shared[:-1], own=f"{request.shared[-1]}\n\n{request.own}")


def _facts(transcript: Transcript, decision: Decision, problems: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """The part of the final output that no model is asked for."""
    first = transcript.rounds[0].moderation or {}
    excluded = [
        {"agent": entry.agent, "round": item.round, "reason": "off_topic" if entry.off_topic else "no_answer"}
        for item in transcript.rounds
        for entry in item.entries
        if entry not in convergence.counted(item)
    ]
    final_vote = votes.final(transcript, decision)
    attacker = devil(transcript.rounds[-1])
    agreed_at_once = decision.converged and len(transcript.rounds) == 1
    return {
        "outcome": convergence.outcome(transcript, decision),
        # a debate of one round has one vote
        "opening_vote": votes.opening(transcript, []) if len(transcript.rounds) > 1 else final_vote,
        "final_vote": final_vote,
        "effective_agents": decision.effective,
        "excluded": excluded,
        **({"devil": attacker} if attacker else {}),
        "undecided_because": None if decision.converged else decision.why,
        "open_blockers": list((transcript.rounds[-1].moderation or {}).get("open_blockers", ())),
        "moderator_problems": [{"round": number, "reason": reason} for number, reason in problems],
        "shared_premise": (first.get("shared_premise") or None) if agreed_at_once else None,
    }


_ORDER = (
    "summary", "outcome", "consensus", "disagreements", "recommended_action", "sharpest_disagreement",
    "unresolved_risks", "mind_changes", "highlights", "opening_vote", "final_vote", "effective_agents", "excluded",
    "undecided_because", "open_blockers", "moderator_problems", "shared_premise", "decision", "synthesized_by",
    "unsupported",
)  # fmt: skip


def _in_order(final: dict[str, Any]) -> dict[str, Any]:
    known = [key for key in _ORDER if key in final]
    return {key: final[key] for key in (*known, *(key for key in final if key not in _ORDER))}
