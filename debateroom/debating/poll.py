"""The poll: the single answers grouped by what they decide, their votes counted, and the debate held against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from debateroom import clock
from debateroom.debating import ballot, baseline_cost, singles, structured
from debateroom.debating.ballot import Ballot, Group
from debateroom.debating.budget import Allowance
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.debating.played import Played
from debateroom.debating.purse import Purse
from debateroom.errors import NoModel
from debateroom.language import say, spoken
from debateroom.messages import Transcript
from debateroom.models.registry import Models
from debateroom.room.events import Event, State, usage_json
from debateroom.room.foreign import as_usage
from debateroom.room.room import Room
from debateroom.room.spending import spent


@dataclass(frozen=True, slots=True)
class Poll:
    """What the recommendations came to. Items are the answers, in order, and last the debate."""

    groups: tuple[Group, ...] = ()
    grouped_by: str | None = None
    """The moderator's model, or `declared`; None where there was nothing to group."""
    problem: str = ""
    """Why the moderator's groups could not be used; empty when they could, or without one."""
    debate: int = 0
    """The debate's recommendation among the items; 0 where nobody judged it."""
    paid: Mapping[str, Any] | None = None
    """What the moderator was paid for it, as events have it."""


def held(room: Room, plan: Plan, models: Models, purse: Purse, until: float | None) -> Poll:
    """The poll over the answers in the room: grouped by the moderator, or by the options they declare."""
    answers = singles.last(room.state)
    if not answers:
        return Poll()
    options = {place: str(each["option"]) for place, each in enumerate(answers.values(), 1)}
    declared = ballot.declared(options, plan.language)
    if plan.moderator == NO_MODERATOR:
        return Poll(declared, "declared")
    debate = _recommended(room.transcript)
    texts = [*singles.texts(room.state), *([debate] if debate else [])]
    came = _grouped(room.transcript, plan, models, purse, until, texts)
    paid = spent(plan.moderator, *came.paid, prices=plan.prices)
    if came.value is None:
        return Poll(declared, "declared", came.problem, paid=paid)
    return Poll(ballot.moderated(came.value), came.model, debate=len(texts) if debate else 0, paid=paid)


def _recommended(transcript: Transcript) -> str:
    """What the debate recommends; empty where it is an extract: that is one seat's proposal, and nobody's verdict."""
    final = transcript.final_output or {}
    if final.get("synthesized_by") == "extract":
        return ""
    return str(final.get("recommended_action") or "").strip()[: singles.QUOTED]


def _grouped(
    transcript: Transcript, plan: Plan, models: Models, purse: Purse, until: float | None, texts: list[str]
) -> structured.Structured[Ballot]:
    """What the moderator makes of the recommendations; no value where it cannot be asked or used."""
    if until is not None and clock.monotonic() >= until:
        return structured.Structured(None, (), "", 0.0, say(plan.language, "time_over"))
    model = models.open(plan.moderator)
    request = replace(baseline_cost.ballot_request(plan, texts), until=until)
    allowance = Allowance(plan.max_tokens, Played(plan, transcript).careful(()))
    purse.begin(allowance, transcript.cost)
    affordable = purse.afford(model.name, request)
    if affordable is None:
        return structured.unaffordable(plan)
    purse.begin(allowance, transcript.cost)  # asking it takes its place in the purse
    request = replace(request, max_tokens=affordable.max_tokens)

    def check(value: Ballot) -> str:
        return ballot.problem(value, len(texts), plan.language)

    try:
        return structured.ask(plan, model, request, Ballot, purse=purse, check=check)
    except NoModel as error:
        return structured.Structured(None, error.paid, model.name, 0.0, str(spoken(error, plan.language)))


def result(state: State, plan: Plan, poll: Poll, stopped: str) -> dict[str, Any]:
    """The baseline as `chat.json` has it: answers, their votes, and what debate and baseline used and cost.

    `stopped` is why it ended before it had used as much as the debate; empty when it had. One that did not come near
    it because of that, or of calls that failed, is not comparable: whether the debate changed the answer is not said.
    """
    answers = singles.last(state)
    numbers = list(answers)
    groups = ballot.ranked(poll.groups, range(1, len(numbers) + 1))
    first = ballot.winner(groups)
    speaker = ballot.spoken([answers[numbers[item - 1]] for item in first.items]) if first else {}
    usage = singles.used(state) + as_usage((poll.paid or {}).get("usage"))
    costs = [each.get("cost", 0.0) for each in (*state.singles, poll.paid or {})]
    debate, tokens = (state.baseline_started or {}).get("debate"), baseline_cost.whole(usage)
    alike = bool(answers) and not stopped and (not singles.failed(state) or baseline_cost.comparable(tokens, debate))
    judged = alike and poll.debate and first
    return {
        "asked": plan.baseline,
        "answers": [_told(state, plan, number, each) for number, each in answers.items()],
        "failures": [{name: each[name] for name in ("answer", "step", "reason")} for each in singles.failed(state)],
        "groups": [
            {"option": group.option, "answers": [numbers[item - 1] for item in group.items]} for group in groups
        ],
        "option": first.option if first else None,
        "votes": len(first.items) if first else None,
        "recommended_action": speaker.get("recommendation"),
        "grouped_by": poll.grouped_by,
        "problem": poll.problem,
        "comparable": alike,
        "same_as_debate": ballot.together(poll.groups, poll.debate, first.items) if judged and first else None,
        "stopped": stopped,
        "tokens": tokens,
        "usage": usage_json(usage),
        "cost": None if None in costs else round(sum(costs), 9),
        "debate": debate,
    }


def _told(state: State, plan: Plan, number: int, answer: Event) -> dict[str, Any]:
    return {
        "answer": number,
        "model": baseline_cost.model_of(plan, number),
        "option": answer["option"],
        "confidence": answer.get("confidence"),
        "asked": len(singles.steps(state, number)),
        "response": answer["response"],
    }
