"""What a `chat.json` says has happened, as the events that a journal would have had. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from debateroom.debating import convergence, moderation
from debateroom.debating.plan import NO_MODERATOR, Plan
from debateroom.messages import Entry, Round, Transcript, Usage
from debateroom.models import prices
from debateroom.room.events import State, usage_json
from debateroom.room.room import event


def events(transcript: Transcript, plan: Plan) -> list[dict[str, Any]]:
    """The events after the opening: replies and failures as they are, verdicts that can be read, the final output.

    The last round is unfinished when a seat has neither answered nor failed in it, or fewer have answered than the
    quorum. Any other one is over, and did not end the debate: another one follows it.
    """
    found: list[dict[str, Any]] = list(_spent(transcript))
    for item in transcript.rounds:
        found += _round(item, plan, last=item is transcript.rounds[-1])
    if transcript.final_output is not None:
        found.append(event("synthesized", final_output=transcript.final_output))
        if transcript.baseline is not None:
            found.append(event("baseline_finished", baseline=transcript.baseline))
        found.append(event("room_finished", status="finished", stopped=transcript.stopped, exit_code=0))
    return found


def _spent(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """What was spent beside the replies, which say it themselves; the whole cost, or that it is unknown.

    Nothing when nobody had been asked.
    """
    entries = [entry for item in transcript.rounds for entry in item.entries]
    if not entries and transcript.usage == Usage() and not transcript.cost:
        return
    total, told = (usage_json(usage) for usage in (transcript.usage, sum((e.usage for e in entries), Usage())))
    rest = {name: max(0, total[name] - told[name]) for name in total}
    yield event("carried_over", usage=rest, cost=transcript.cost, seconds=transcript.seconds)


def _round(item: Round, plan: Plan, *, last: bool) -> Iterator[dict[str, Any]]:
    if item.devil:
        yield event("round_started", round=item.round, devil=item.devil, attacks=item.attacks)
    yield from (_reply(item.round, entry) for entry in item.entries)
    yield from (event("seat_failed", round=item.round, **asdict(failure)) for failure in item.failures)
    heard_of = {entry.agent for entry in item.entries} | {failure.agent for failure in item.failures}
    if last and (len(item.entries) < plan.quorum or not heard_of >= {seat.name for seat in plan.seats}):
        return
    yield event("round_finished", round=item.round)
    verdict = moderation.kept(item.moderation, plan, item.devil)
    if verdict is not None:
        kept = (item.moderation or {}).get("history") == "last_round"
        told = {"problem": "", "model": "", "seconds": 0.0, "history": "last_round" if kept else "full"}
        yield event("moderated", round=item.round, verdict=verdict, **told)
    if not last:
        read = replace(item, moderation=verdict)
        decision = convergence.decide(read, moderated=plan.moderator != NO_MODERATOR, quorum=plan.quorum)
        yield event("decided", round=item.round, **decision.to_event() | {"converged": False})


def missing(transcript: Transcript, state: State, plan: Plan) -> list[dict[str, Any]]:
    """The replies of `transcript`, an earlier one of the same run, that `state` lacks; with what they cost."""
    there = {(item.round, entry.agent) for item in state.transcript.rounds for entry in item.entries}
    seats = {seat.name: seat for seat in plan.seats}
    own = prices.own_table(plan.prices)
    found = []
    for item in transcript.rounds:
        for entry in item.entries:
            if (item.round, entry.agent) in there or entry.agent not in seats or item.round > plan.rounds:
                continue
            cost = prices.cost(seats[entry.agent].model, entry.usage, own)
            found.append(_reply(item.round, entry) | {"cost": cost})
    return found


def _reply(number: int, entry: Entry) -> dict[str, Any]:
    tools = [{"name": name, "arguments": {}, "result": "", "ok": True} for name in entry.tools]  # no more is known
    return event("reply", round=number, repairs=[], cost=0.0, **{**asdict(entry), "tools": tools})
