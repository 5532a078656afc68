"""What a debate will use and cost, before it is played: calls, tokens and US dollars a round. Asks nobody.

The rounds are `played` with sizes, as `measured` so far. How long replies get is a guess, so a budget is held
otherwise: by the tokens that each call may have at most (see `budget`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from debateroom.debating import baseline_cost, judge, singles
from debateroom.debating.expected import Expected, expected, total
from debateroom.debating.plan import HOST, NO_MODERATOR, Plan
from debateroom.debating.played import LAST_QUESTION, VERDICT, Played
from debateroom.messages import Transcript
from debateroom.room.events import State

SYNTHESIS = 1500
"""Tokens of a synthesis."""


def rounds(
    plan: Plan, transcript: Transcript, *, answered: Collection[str] = (), worst: bool = False
) -> tuple[Expected, ...]:
    """The rounds after the finished ones of `transcript`, in order, then the synthesis, and a baseline last.

    The seats that have `answered` in the first of them are not asked in it again.
    The moderator is taken to be asked after each: whether a round needs it shows only once it is played. Repairs of
    unreadable replies are not foreseen. At `worst` no cache serves anything.
    """
    played = Played(plan, transcript)
    if worst:
        played = played.careful(())
    first = len(transcript.rounds) + 1
    found = [played.round(number, answered if number == first else ()) for number in range(first, plan.rounds + 1)]
    if plan.moderator != NO_MODERATOR and plan.synthesis != HOST:
        found.append(
            expected(plan, "synthesis", [(plan.moderator, played.moderator(SYNTHESIS, question=LAST_QUESTION))])
        )
    if plan.judging is not None:
        found.append(played.judgements(judge.calls(len(plan.seats))))
    if plan.baseline is not None:
        target = baseline_cost.whole(transcript.usage) + baseline_cost.whole(total(found).usage)
        found.append(baseline_cost.foreseen(plan, played, target))
    return tuple(found)


def best(plan: Plan) -> Expected:
    """The cheapest that can happen: agreement in round 1, where a moderator can find it; else in round 2.

    Nobody looks anything up then.
    """
    plan = replace(plan, tools=None)
    first = 1 if plan.moderator != NO_MODERATOR else 2
    short = replace(plan, rounds=min(first, plan.rounds)) if plan.early_stop else plan
    return total(rounds(short, nothing_yet(plan)))


def usual(plan: Plan) -> Expected:
    """What it comes to when all rounds are played, with all look-ups, and the moderator is asked after each."""
    return total(rounds(plan, nothing_yet(plan)))


def baseline(plan: Plan) -> Expected:
    """The baseline of a debate that plays all its rounds."""
    return next(part for part in rounds(plan, nothing_yet(plan)) if part.name == "baseline")


def worst(plan: Plan) -> Expected:
    """The same when nothing is found in any cache, all is written to one wherever that is dearer, and prompts are
    larger than estimated by as much as they may be; replies are as long as foreseen."""
    return total(rounds(plan, nothing_yet(plan), worst=True))


def without_tools(plan: Plan) -> Expected | None:
    """What `worst` would be if the seats looked nothing up; None where they do not."""
    return worst(replace(plan, tools=None)) if plan.tools else None


def remaining(plan: Plan, state: State) -> Expected:
    """What a room that goes on still comes to at most: the rounds it has not finished, less what was answered."""
    transcript = state.transcript
    finished = tuple(item for item in transcript.rounds if item.round in state.finished_rounds)
    if transcript.final_output is not None:
        return _of_baseline(plan, state)
    agreed = plan.early_stop and any(decision["converged"] for decision in state.decisions.values())
    last = replace(plan, rounds=len(finished)) if agreed else plan
    answered = {entry.agent for item in transcript.rounds if item not in finished for entry in item.entries}
    parts = list(rounds(last, replace(transcript, rounds=finished), answered=answered))
    if plan.judging is not None:  # those that are there are not made again
        left = Played(plan, transcript).judgements(judge.calls(len(plan.seats)) - len(state.judgements))
        parts = [left if part.name == left.name else part for part in parts]
    if plan.moderator != NO_MODERATOR:
        played = Played(plan, replace(transcript, rounds=finished))
        undecided = [item for item in finished if item.round not in {*state.decisions, *state.moderated}]
        verdicts = [(plan.moderator, played.moderator(VERDICT)) for _ in undecided]
        parts.append(expected(plan, "moderator", verdicts))
    return total(parts)


def _of_baseline(plan: Plan, state: State) -> Expected:
    """What the baseline of a concluded debate still comes to at most."""
    if plan.baseline is None or state.transcript.baseline is not None:
        return total(())
    used = baseline_cost.whole(singles.used(state))
    debate = baseline_cost.whole(state.transcript.usage) - used
    return baseline_cost.foreseen(plan, Played(plan, state.transcript), max(1, debate - used))


def nothing_yet(plan: Plan) -> Transcript:
    """The transcript of a room before its first round."""
    return Transcript(problem=plan.problem, agents=plan.seats)
