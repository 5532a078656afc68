"""What the baseline will come to: as many tokens as the debate, however many calls that takes. Asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from statistics import fmean
from typing import Any

from debateroom import tokens
from debateroom.debating import prompts, share
from debateroom.debating.ballot import Ballot
from debateroom.debating.expected import Expected, expected
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.played import HEADING, Played, tokens_of
from debateroom.messages import Request, Usage

_RECOMMENDED = "A recommendation that says what to do, in which order, by when, and what it costs. " * 4
"""A recommendation of usual length, before any is there."""
_ASKED_AGAIN = 60
"""Tokens by which an answer that is asked again is asked more."""
_GROUP = 40
"""Tokens of a group in the moderator's answer."""


def ballot_size(plan: Plan, played: Played, request: Request, items: int) -> float:
    """Tokens of the question that groups so many recommendations, and of its answer; 0 without a moderator."""
    if plan.moderator == NO_MODERATOR:
        return 0.0
    return whole(_ballot(plan, played, request, items))


def _ballot(plan: Plan, played: Played, request: Request, items: int) -> Usage:
    own = tokens.estimate(request.own) + tokens_of(request.schema)
    return played.alone(plan.moderator, own, _GROUP * (items + 1), shared=0.0, held=0.0)


def ballot_request(plan: Plan, texts: list[str]) -> Request:
    """The moderator's question about the recommendations `texts`."""
    return prompts.ballot_request(plan, texts, Ballot.model_json_schema())


def usual_ballot(plan: Plan) -> Request:
    """The same before there is any recommendation."""
    return ballot_request(plan, [_RECOMMENDED] * ((plan.baseline or 0) + 1))


def whole(usage: Usage) -> int:
    """The tokens by which a debate and its baseline are compared: all that were sent and received."""
    return usage.input + usage.output


def comparable(used: int, debate: Mapping[str, Any] | None) -> bool:
    """Whether a baseline that used so many tokens is within a fifth of its debate; where that told none it is."""
    target = int((debate or {}).get("tokens") or 0)
    return not target or abs(used - target) <= target / 5


def model_of(plan: Plan, number: int) -> str:
    """The model of single answer `number`: the seats' models, dealt in order."""
    return plan.seats[(number - 1) % len(plan.seats)].model


def answers(plan: Plan, played: Played, target: float) -> int:
    """How many single answers the `target` tokens hold."""
    wanted = plan.baseline or 0
    first = [_call(plan, played, number, 1) for number in range(1, wanted + 1)]
    vote = ballot_size(plan, played, usual_ballot(plan), wanted + 1)
    return share.answers(wanted, target, first=fmean(whole(usage) for usage in first), vote=vote)


def foreseen(plan: Plan, played: Played, target: float) -> Expected:
    """The baseline of a debate with `target` tokens, its calls and what they cost."""
    numbers = range(1, answers(plan, played, target) + 1)
    vote = ballot_size(plan, played, usual_ballot(plan), len(numbers) + 1)
    calls = [(model_of(plan, number), _call(plan, played, number, 1)) for number in numbers]
    for step in count(2):
        left = target - vote - sum(whole(usage) for _, usage in calls)
        sizes = {number: _call(plan, played, number, step) for number in numbers}
        wave = share.again(left, {number: whole(usage) for number, usage in sizes.items()})
        if not wave:
            break
        calls += [(model_of(plan, number), sizes[number]) for number in wave]
    if plan.moderator != NO_MODERATOR:
        calls.append((plan.moderator, _ballot(plan, played, usual_ballot(plan), len(numbers) + 1)))
    return expected(plan, "baseline", calls)


def _call(plan: Plan, played: Played, number: int, step: int) -> Usage:
    """A call for answer `number`: its drafts stand before the question, and all but the last may be in the cache."""
    model = model_of(plan, number)
    known = played.known[model]
    request = prompts.alone_request(plan, number)
    room, draft = tokens.estimate(request.shared[0]), known.quoted + HEADING
    own = tokens.estimate(request.own) + (_ASKED_AGAIN if step > 1 else 0)
    first = next(other for other in range(1, number + 1) if model_of(plan, other) == model)
    held = room + (step - 2) * draft if step > 1 else float(room if first < number else 0)
    return played.alone(model, own, known.reply, shared=room + (step - 1) * draft, held=held)
