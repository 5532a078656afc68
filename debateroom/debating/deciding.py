"""What decides a room beside its debate: the votes counted, or the judgements put together. Pure; asks nobody.

A judge's verdict on two answers stands when it is the same both ways round. A winner is one that leads even if every
pair without a verdict had gone against it; what is short of that is a tie, or no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from debateroom.debating import judge, judging, votes
from debateroom.debating.judge import Judging
from debateroom.debating.plan import Plan
from debateroom.debating.strength import strengths
from debateroom.language import say
from debateroom.messages import Seat, Transcript
from debateroom.room.events import Event, State
from debateroom.room.played import standing

WINNER, TIE, NO_VERDICT = "winner", "tie", "no_verdict"
EXIT_CODES = {WINNER: 0, TIE: 0, NO_VERDICT: 3}
"""How a run ends by what was decided."""
REASONS = ("order", "unusable", "few_answers", "few_votes", "devil", "ratings", judging.BUDGET, judging.DEADLINE)
"""Why there is no verdict."""
EQUAL, CYCLE, IDENTICAL = "equal", "cycle", "identical"
"""What a judge's tie is: nothing between them, each beaten by another in a circle, or the same answers."""


def of(plan: Plan, state: State) -> dict[str, Any] | None:
    """What decided the room of `state`; None where nothing does beside the debate."""
    if plan.decide == "vote":
        return by_vote(plan, state.transcript)
    if plan.judging is None:
        return None
    return by_judge(plan, plan.judging, state.transcript, state.judgements, state.judging_halted)


def exit_code(final: Mapping[str, Any] | None) -> int:
    """How a run ends by what a final output says was decided; 0 where nothing was beside the debate."""
    return EXIT_CODES.get(str(((final or {}).get("decision") or {}).get("outcome")), 0)


def by_vote(plan: Plan, transcript: Transcript) -> dict[str, Any]:
    """The decision of the final endorsements, each seat's own one included; the opening vote stands beside it.

    Who attacked by order in the last round has no vote, and what it wrote there cannot win.
    """
    rounds = standing(transcript)
    final = votes.declared(transcript, rounds[-1:])
    counts = {name: len(backers) for name, backers in final.items() if name != votes.UNKNOWN}
    most = max(counts.values(), default=0)
    leading = [seat.name for seat in plan.seats if most and counts.get(seat.name) == most]
    because = None if leading else "few_votes"
    if rounds and rounds[-1].devil in leading:
        because = "devil"
    return {
        "by": "vote",
        **_outcome(leading, because),
        "votes": final,
        "opening_votes": votes.declared(transcript, rounds[:1]) if len(rounds) > 1 else final,
    }


def by_judge(
    plan: Plan, held: Judging, transcript: Transcript, judgements: Sequence[Event], halted: str
) -> dict[str, Any]:
    """The decision of the judge. `halted` is why not all judgements were made; empty when they were."""
    answers = judging.shown_answers(plan, transcript)
    names = list(answers)
    rated = len(names) > judge.MOST_PAIRED
    told: dict[str, Any] = {
        "by": "judge",
        "judge": {"model": held.model, "vendor": held.vendor},
        "method": "rating" if rated else "pairs",
        "seed": held.seed,
        "rubric": held.rubric,
    }
    if len(names) < 2:
        return told | _outcome([], "few_answers") | {"scores": [], "pairs": []}
    seats = [seat for seat in plan.seats if seat.name in answers]
    if rated:
        return told | _of_ratings(plan, seats, answers, judgements, halted)
    return told | _of_pairs(plan, seats, answers, judgements, halted)


def _outcome(leading: Sequence[str], because: str | None) -> dict[str, Any]:
    """`because` is why there is no verdict; None when there is."""
    outcome = NO_VERDICT if because else WINNER if len(leading) == 1 else TIE
    return {
        "outcome": outcome,
        "winner": leading[0] if outcome == WINNER else None,
        "tied": list(leading) if outcome == TIE else [],
        "undecided_because": because,
    }


def _of_pairs(
    plan: Plan, seats: Sequence[Seat], answers: Mapping[str, str], judgements: Sequence[Event], halted: str
) -> dict[str, Any]:
    sizes = {name: len(text) for name, text in answers.items()}
    pairs = [_pair(plan, pair, answers, judgements) for pair in combinations([seat.name for seat in seats], 2)]
    points = {seat.name: 0.0 for seat in seats}
    open_ = dict.fromkeys(points, 0)
    for pair in pairs:
        for name in pair["agents"]:
            points[name] += {name: 1.0, TIE: 0.5}.get(pair["verdict"], 0.0)
            open_[name] += pair["verdict"] == NO_VERDICT
    most = max(points.values())
    leading = [name for name, won in points.items() if won == most]
    rivals = [won + open_[name] for name, won in points.items() if name != leading[0]]
    undecided = [pair["because"] for pair in pairs if pair["verdict"] == NO_VERDICT]
    because = None
    if undecided and not most > max(rivals):
        because = halted or ("unusable" if "unusable" in undecided else "order")
    held = sum(bool(pair["judgements"]) and pair["because"] is None for pair in pairs)
    return {
        **_outcome(leading, because),
        "tie": None if because or len(leading) < 2 else _tie(leading, pairs),
        "scores": list(_standings(seats, sizes, pairs)),
        "pairs": pairs,
        "agreed": [held, held + sum(pair["because"] == "order" for pair in pairs)],
        "longer_won": _longer_won(pairs, sizes),
    }


def _tie(leading: Sequence[str], pairs: Sequence[Mapping[str, Any]]) -> str:
    """What the tie of those that lead is."""
    among = [pair for pair in pairs if set(pair["agents"]) <= set(leading)]
    if all(pair["because"] == IDENTICAL for pair in among):
        return IDENTICAL
    return EQUAL if all(pair["verdict"] == TIE for pair in among) else CYCLE


def _pair(
    plan: Plan, agents: tuple[str, str], answers: Mapping[str, str], judgements: Sequence[Event]
) -> dict[str, Any]:
    """Two seats, what came of them, and both judgements; the same answers are a tie that nobody is asked for."""
    if answers[agents[0]] == answers[agents[1]]:
        return {"agents": list(agents), "verdict": TIE, "because": IDENTICAL, "judgements": []}
    made = [each for each in judgements if set(each["shown"]) == set(agents)]
    said = [each.get("verdict") for each in sorted(made, key=lambda each: each["turn"])]
    agreed = len(said) == 2 and said[0] == said[1] and said[0] in (*agents, TIE)
    lacking = "missing" if len(said) < 2 else "unusable" if None in said else "order"
    return {
        "agents": list(agents),
        "verdict": said[0] if agreed else NO_VERDICT,
        "because": None if agreed else lacking,
        "judgements": [_judgement(plan, each) for each in made],
    }


def _judgement(plan: Plan, made: Event) -> dict[str, Any]:
    """What a judge said, with the seats' names in place of the numbers that it knew them by."""
    why = str(made.get("why", ""))
    for number, name in enumerate(made["shown"], 1):
        known_as = re.escape(say(plan.language, "answer_number", count=number))
        why = re.sub(rf"{known_as}(?!\d)", name, why, flags=re.IGNORECASE)
    result = {key: made[key] for key in ("verdict", "score") if key in made}
    return {"shown": list(made["shown"]), **result, "why": why, "problem": str(made.get("problem", ""))}


def _standings(
    seats: Sequence[Seat], sizes: Mapping[str, int], pairs: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Each seat with its results, and among more than two its strength; the strongest first."""
    decided = [pair for pair in pairs if pair["verdict"] != NO_VERDICT]
    results = {
        (pair["agents"][0], pair["agents"][1]): {pair["agents"][0]: 1.0, TIE: 0.5}.get(pair["verdict"], 0.0)
        for pair in decided
    }
    found = strengths([seat.name for seat in seats], results) if len(seats) > 2 and results else {}
    rows: list[dict[str, Any]] = []
    for seat in seats:
        own = [pair["verdict"] for pair in pairs if seat.name in pair["agents"]]
        strength = found.get(seat.name)
        rows.append({
            "agent": seat.name, "model": seat.model, "vendor": seat.vendor,
            "score": round(strength.score, 4) if strength else None,
            "low": round(strength.low, 4) if strength else None,
            "high": round(strength.high, 4) if strength else None,
            "won": own.count(seat.name), "tied": own.count(TIE), "undecided": own.count(NO_VERDICT),
            "lost": sum(verdict not in (seat.name, TIE, NO_VERDICT) for verdict in own),
            "characters": sizes[seat.name],
        })  # fmt: skip
    yield from sorted(rows, key=lambda row: (row["score"] or 0.0, row["won"]), reverse=True)


def _longer_won(pairs: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]) -> list[int]:
    """Of the pairs with a winner and answers of different lengths: in how many the longer one won, and how many."""
    won = [pair for pair in pairs if pair["verdict"] in pair["agents"]]
    uneven = [pair for pair in won if len({sizes[name] for name in pair["agents"]}) > 1]
    longer = [pair for pair in uneven if pair["verdict"] == max(pair["agents"], key=sizes.__getitem__)]
    return [len(longer), len(uneven)]


def _of_ratings(
    plan: Plan, seats: Sequence[Seat], answers: Mapping[str, str], judgements: Sequence[Event], halted: str
) -> dict[str, Any]:
    """Of answers that were rated by themselves: the winner is one whose lower rating is above all others' higher."""
    said = {seat.name: [each for each in judgements if each["shown"] == [seat.name]] for seat in seats}
    given = {name: [each["score"] for each in made if each.get("score") is not None] for name, made in said.items()}
    lacking = any(len(scores) < 2 for scores in given.values())
    known = {name: scores for name, scores in given.items() if scores}
    best = max(known, key=lambda name: (min(known[name]), max(known[name])), default="")
    leading = [name for name in known if sorted(known[name]) == sorted(known[best])]
    beaten = all(max(known[name]) < min(known[best]) for name in known if name not in leading)
    because = None
    if lacking:
        because = halted or "unusable"
    elif not beaten or (len(leading) > 1 and min(known[best]) != max(known[best])):
        because = "ratings"
    rows: list[dict[str, Any]] = [
        {
            "agent": seat.name, "model": seat.model, "vendor": seat.vendor,
            "score": fmean(given[seat.name]) if given[seat.name] else None,
            "low": min(given[seat.name], default=None), "high": max(given[seat.name], default=None),
            "characters": len(answers[seat.name]),
            "judgements": [_judgement(plan, each) for each in said[seat.name]],
        }
        for seat in seats
    ]  # fmt: skip
    return {
        **_outcome(leading, because),
        "tie": None if because or len(leading) < 2 else EQUAL,
        "scores": sorted(rows, key=lambda row: -(row["score"] or 0.0)),
        "pairs": [],
    }
