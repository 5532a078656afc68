"""The events of a journal, and the transcript that follows from them. Pure: what happened in, what it means out.

| event | says |
|---|---|
| `room_opened` | the problem, the context, the seats and every setting: all that `resume` needs |
| `moved_aside` | where the earlier run that was in the room is kept now |
| `journal_mended` | bytes of a torn last line that were cut, and numbers of lines that are left out |
| `carried_over` | what a run had spent of which only `chat.json` was left |
| `round_started` | which round begins, and who attacks whose proposal in it by order |
| `unreadable` | a paid answer without a readable section; the seat is asked once more |
| `reply` | a seat's answer, and what was read from it |
| `seat_failed` | a seat without an answer in this round, and why |
| `round_finished` | all seats of the round have answered or failed |
| `planned` | a worker's plan, which nobody else sees |
| `set_aside` | what a simulator or worker wrote and a rule kept back, and why |
| `call_failed` | a call in a dialogue that gave no answer, and what it cost all the same |
| `agent_lost` | an agent in a dialogue that failed after its last answer, and why: there is no verdict |
| `tools_asked` | the paid answer of a seat or an agent that asks for tools; its reply is still to come |
| `tool_called`, `tool_answered` | what an agent's or a seat's tool was asked, and what came of it |
| `worker_started`, `worker_iteration`, `worker_completed`, `worker_failed` | how a worker's job goes on |
| `decision_recorded` | what a coordinator decided, why, and the evidence; which step it settles |
| `approval_answered` | whether a tool that changes something was permitted, and by whom |
| `worker_delegated`, `worker_ended` | a coordinator's worker in its own room: its task, what came of it and cost |
| `moderator_asked`, `synthesis_asked` | a call to the moderator is under way |
| `moderated` | the moderator's verdict on a round, or why there is none |
| `decided` | whether the round's replies are an agreement, and why |
| `synthesized` | the final output |
| `baseline_started` | single answers begin that the debate is held against: how many, and what it used and cost |
| `single_answered`, `single_failed` | what one of them came to, the first time or asked again; or why it did not |
| `baseline_finished` | their vote, and how the debate compares |
| `judging_started` | a judge is asked, and how many judgements are still to be made |
| `judged` | a judgement: whose answers were shown, in which order, and what came of it |
| `judge_failed` | a call for one that gave no answer, and what it cost all the same |
| `judging_finished` | no more is judged, and why where not all was |
| `trial_started` | an attempt at a trial of an evaluation begins, with its seed |
| `trial_said` | what customer, agent or judge wrote in it; of a customer also what was kept back, and why |
| `trial_call_failed` | a call in it that gave no answer, and what it cost all the same |
| `trial_finished` | how it ended: all that its checks look at |
| `customer_judged`, `customer_unjudged` | what a judge of customers said of one afterwards, or why it said nothing |
| `room_resumed`, `room_interrupted`, `room_finished` | how the run went on or ended |
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from debateroom.language import LANGUAGES
from debateroom.messages import Citation, Entry, Failure, Round, Seat, Transcript, Usage
from debateroom.room.foreign import as_count

Event = Mapping[str, Any]
Speaker = TypeVar("Speaker", Entry, Failure)


class Step(NamedTuple):
    """One time that a seat asked for tools."""

    asked: Event
    """The `tools_asked` event."""
    ran: Mapping[str, Event] = {}
    """The `tool_answered` event of each call, by its id."""
    begun: tuple[str, ...] = ()
    """Ids of the calls that were made, ended or not."""
    below: Mapping[str, tuple[Step, ...]] = {}
    """The steps of the sub-agent that a call asked, by the call's id."""

    def events(self) -> Iterator[Event]:
        """All that was paid for in it."""
        yield self.asked
        for steps in self.below.values():
            for step in steps:
                yield from step.events()
        yield from self.ran.values()

    def under_way(self) -> Iterator[str]:
        """Names of the tools that were called and did not come to an end, a sub-agent's before its own."""
        for call in self.asked["asked"]:
            yield from (name for step in self.below.get(call["id"], ()) for name in step.under_way())
            if call["id"] in self.begun and call["id"] not in self.ran:
                yield call["name"]

    def interrupted(self) -> Iterator[str]:
        """Names of the tools of which nobody knows what became of them: the run broke off while they were at work."""
        yield from (name for steps in self.below.values() for step in steps for name in step.interrupted())
        yield from (each["name"] for each in self.ran.values() if each.get("interrupted"))

    def executed(self) -> Iterator[Event]:
        """The `tool_answered` events of what was really done, in the order of the calls."""
        ended = (self.ran.get(call["id"]) for call in self.asked["asked"])
        yield from (each for each in ended if each is not None and each.get("executed", True))


Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Everything a journal says."""

    transcript: Transcript
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the room was opened with, for `resume`."""
    order: Mapping[str, int] = field(default_factory=dict)
    """Position of each seat in the room."""
    finished_rounds: tuple[int, ...] = ()
    unreadable: Mapping[tuple[int, str], Event] = field(default_factory=dict)
    """Answers waiting for their repair, by round and seat."""
    looked: Mapping[tuple[int, str], Steps] = field(default_factory=dict)
    """Steps whose reply is not there yet, by round and seat."""
    led: Mapping[tuple[int, str], Steps] = field(default_factory=dict)
    """Steps that led to a reply, by round and seat."""
    decisions: Mapping[int, Event] = field(default_factory=dict)
    """The `decided` event of each round."""
    moderated: frozenset[int] = frozenset()
    """Rounds about which the moderator was asked."""
    moderator_problems: tuple[tuple[int, str], ...] = ()
    """Rounds about which it gave no usable verdict, and why."""
    spoken: bool = False
    """Whether anybody has said anything in a trial of an evaluation."""
    trials: int = 0
    """Trials of an evaluation that came to an end, those that broke left out."""
    baseline_started: Event | None = None
    """The event with which single answers were begun; None before."""
    singles: tuple[Event, ...] = ()
    """What came of each call for a single answer, in order."""
    judgements: tuple[Event, ...] = ()
    """The `judged` events, in the order in which they came."""
    judging_halted: str = ""
    """Why not all judgements were made: `budget` or `deadline`; empty when they were, or nobody judged."""
    exit_code: int | None = None
    """How the run ended; None while it has not."""
    error: str | None = None
    """What went wrong, for people; None when nothing did."""
    hint: str | None = None
    """The next command, where there is one."""


def _usage(value: Any) -> Usage:
    given = value if isinstance(value, Mapping) else {}
    return Usage(**{name.name: int(given.get(name.name, 0)) for name in fields(Usage)})


def usage_json(usage: Usage) -> dict[str, int]:
    """`usage` as events and `chat.json` hold it."""
    return {name.name: getattr(usage, name.name) for name in fields(Usage)}


def replay(events: Iterable[Event]) -> State:
    """The state after all `events` of a journal, in order, each of which passed `shapes.check`."""
    return reduce(apply, events, State(Transcript(problem="", status="running")))


def apply(state: State, event: Event) -> State:
    """The state after one more event. An event of an unknown kind changes nothing."""
    handler = _HANDLERS.get(str(event.get("event")))
    if handler is None:
        return state
    return _spend(handler(state, event), event)


def _spend(state: State, event: Event) -> State:
    """Adds what the event's call cost, to its round and to the room.

    A call without a known price makes the room's cost unknown for good, also one that reported no usage.
    """
    spent = _usage(event.get("usage"))
    if spent == Usage() and event.get("cost", 0.0) == 0.0:
        return state
    transcript = state.transcript
    before, price = transcript.cost, event.get("cost")
    changed = replace(
        transcript,
        usage=transcript.usage + spent,
        cost=None if before is None or price is None else round(before + price, 9),
        rounds=tuple(
            replace(item, usage=item.usage + spent) if item.round == event.get("round") else item
            for item in transcript.rounds
        ),
    )
    return replace(state, transcript=changed)


def _opened(state: State, event: Event) -> State:
    transcript = Transcript(
        problem=event["problem"],
        context=event.get("context", ""),
        agents=tuple(Seat(**seat) for seat in event["agents"]),
        version=event.get("version", ""),
        uuid=event.get("uuid", ""),
        kind=event.get("kind", "debate"),
        status="running",
        language=_language(event.get("language")),
        model=event.get("model", ""),
        started=event.get("at", ""),
        rounds_asked=event.get("rounds"),
        quorum=as_count(event.get("settings", {}).get("quorum")),
        cost=None if event.get("settings", {}).get("outside") else 0.0,  # who coordinates by itself tells of no cost
    )
    order = {seat.name: position for position, seat in enumerate(transcript.agents)}
    return State(transcript, settings=dict(event.get("settings", {})), order=order)


def _language(value: object) -> str:
    return value if isinstance(value, str) and value in LANGUAGES else "en"


def _carried_over(state: State, event: Event) -> State:
    return replace(state, transcript=replace(state.transcript, seconds=event.get("seconds")))


def _round(state: State, number: int, change: Any) -> State:
    """`state` with round `number` changed by `change(round)`; the round is made when it is new."""
    rounds = {item.round: item for item in state.transcript.rounds}
    rounds[number] = change(rounds.get(number, Round(number)))
    ordered = tuple(rounds[key] for key in sorted(rounds))
    return replace(state, transcript=replace(state.transcript, rounds=ordered))


def _round_started(state: State, event: Event) -> State:
    told = {name: event.get(name) for name in ("devil", "attacks")}
    return _round(state, event["round"], lambda item: replace(item, **told))


def _seated(state: State, items: tuple[Speaker, ...], new: Speaker) -> tuple[Speaker, ...]:
    """`items`, which are in seat order, with `new` at its place, or in place of the one its seat had.

    One look at each would make a round of N replies cost N² of them.
    """
    last = len(state.order)
    place = bisect_left(items, state.order.get(new.agent, last), key=lambda item: state.order.get(item.agent, last))
    again = place < len(items) and items[place].agent == new.agent
    seated = list(items)
    seated[place : place + again] = [new]
    return tuple(seated)


def _reply(state: State, event: Event) -> State:
    place = (event["round"], event["agent"])
    unread = state.unreadable.get(place, {})  # what was asked once more was paid for as well
    steps = state.looked.get(place, ())
    before = [unread, *(each for step in steps for each in step.events())]
    told = event.get("tools") or [each for step in steps for each in step.executed()]
    entry = Entry(
        agent=event["agent"],
        role=event["role"],
        response=event["response"],
        confidence=event.get("confidence"),
        endorses=event.get("endorses"),
        model=event.get("model", ""),
        usage=sum((_usage(each.get("usage")) for each in before), _usage(event.get("usage"))),
        calls=sum((each.get("calls", 0) for each in before), event.get("calls", 0)) or 1,
        seconds=round(sum((step.asked["seconds"] for step in steps), event.get("seconds", 0.0)), 3),
        finish=event.get("finish", "stop"),
        repaired=event.get("repaired", False),
        history=event.get("history", "full"),
        tools=tuple(str(tool["name"]) for tool in told),
        interrupted=tuple(name for step in steps for name in step.interrupted()),
        citations=tuple(Citation(**each) for each in event.get("citations", ())),
    )

    def add(item: Round) -> Round:
        failures = tuple(failure for failure in item.failures if failure.agent != entry.agent)
        return replace(item, entries=_seated(state, item.entries, entry), failures=failures)

    if steps:
        looked = {key: value for key, value in state.looked.items() if key != place}
        state = replace(state, looked=looked, led={**state.led, place: steps})
    return _read(_round(state, event["round"], add), place)


def _read(state: State, place: tuple[int, str]) -> State:
    """`state` in which no answer at `place` waits for its repair any more."""
    if place not in state.unreadable:
        return state
    return replace(state, unreadable={key: value for key, value in state.unreadable.items() if key != place})


def _tools_asked(state: State, event: Event) -> State:
    return _stepped(state, event, lambda steps: (*steps, Step(event)))


def _tool_called(state: State, event: Event) -> State:
    return _step(state, event, lambda step: step._replace(begun=(*step.begun, event.get("id", ""))))


def _tool_answered(state: State, event: Event) -> State:
    return _step(state, event, lambda step: step._replace(ran={**step.ran, event.get("id", ""): event}))


def _step(state: State, event: Event, change: Callable[[Step], Step]) -> State:
    """`state` with the last step changed to which a tool's event belongs."""
    return _stepped(state, event, lambda steps: (*steps[:-1], change(steps[-1])) if steps else ())


def _stepped(state: State, event: Event, change: Callable[[Steps], Steps]) -> State:
    """`state` with the steps changed to which an event belongs: those of its seat, or of a sub-agent below it."""
    place = (event.get("round") or 0, event.get("seat") or event.get("agent", ""))
    changed = _below(state.looked.get(place, ()), event.get("within", ()), change)
    return replace(state, looked={**state.looked, place: changed}) if changed else state


def _below(steps: Steps, within: Sequence[str], change: Callable[[Steps], Steps]) -> Steps:
    """`steps`, changed below those calls of the last one that `within` names; as they are where there is none."""
    if not within:
        return change(steps)
    if not steps:
        return ()
    last, call = steps[-1], within[0]
    below = _below(last.below.get(call, ()), within[1:], change)
    return (*steps[:-1], last._replace(below={**last.below, call: below}))


def _unreadable(state: State, event: Event) -> State:
    return replace(state, unreadable={**state.unreadable, (event["round"], event["agent"]): event})


def _seat_failed(state: State, event: Event) -> State:
    failure = Failure(event["agent"], event["role"], event["reason"])

    def add(item: Round) -> Round:
        if any(entry.agent == failure.agent for entry in item.entries):
            return item
        return replace(item, failures=_seated(state, item.failures, failure))

    # an answer that was no speech is not asked about again: the whole question is
    return _read(_round(state, event["round"], add), (event["round"], event["agent"]))


def _round_finished(state: State, event: Event) -> State:
    return replace(state, finished_rounds=(*state.finished_rounds, event["round"]))


def _moderated(state: State, event: Event) -> State:
    verdict = _from(event, event.get("verdict"))

    def judge(item: Round) -> Round:
        astray = set(verdict["off_topic"]) if verdict else set()
        entries = tuple(replace(entry, off_topic=entry.agent in astray) for entry in item.entries)
        return replace(item, entries=entries, moderation=verdict)

    asked = replace(state, moderated=state.moderated | {event["round"]})
    if verdict is None:
        problem = (event["round"], str(event.get("problem", "")))
        asked = replace(asked, moderator_problems=(*state.moderator_problems, problem))
    return _round(asked, event["round"], judge)


def _unchanged(state: State, event: Event) -> State:
    """Only what the event's call cost counts."""
    return state


def _trial_said(state: State, event: Event) -> State:
    return state if state.spoken else replace(state, spoken=True)


def _trial_finished(state: State, event: Event) -> State:
    stop = event["result"].get("stop")
    broke = isinstance(stop, Mapping) and stop.get("cause") == "error"
    return state if broke else replace(state, trials=state.trials + 1)


def _decided(state: State, event: Event) -> State:
    return replace(state, decisions={**state.decisions, event["round"]: event})


def _judged(state: State, event: Event) -> State:
    return replace(state, judgements=(*state.judgements, event))


def _judging_finished(state: State, event: Event) -> State:
    return replace(state, judging_halted=event["halted"])


def _synthesized(state: State, event: Event) -> State:
    final = event["final_output"]
    judged = final.get("synthesized_by") != "extract"
    return replace(state, transcript=replace(state.transcript, final_output=_from(event, final) if judged else final))


def _baseline_started(state: State, event: Event) -> State:
    return replace(state, baseline_started=event)


def _single(state: State, event: Event) -> State:
    return replace(state, singles=(*state.singles, event))


def _baseline_finished(state: State, event: Event) -> State:
    return replace(state, transcript=replace(state.transcript, baseline=event["baseline"]))


def _from(event: Event, said: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What a moderator `said`, marked when its model's window held only the last round (see `debating.window`)."""
    return {**said, "history": "last_round"} if said and event.get("history") == "last_round" else said


def _status(status: str) -> Any:
    def change(state: State, event: Event) -> State:
        known = event.get("status") or status
        stopped = event.get("stopped", "interrupted" if known == "interrupted" else None)
        seconds = (state.transcript.seconds or 0.0) + event.get("seconds", 0.0)
        changed = replace(state.transcript, status=known, stopped=stopped, seconds=seconds)
        return replace(
            state,
            transcript=changed,
            exit_code=event.get("exit_code"),
            error=event.get("error"),
            hint=event.get("hint"),
        )

    return change


_HANDLERS = {
    "room_opened": _opened,
    "carried_over": _carried_over,
    "round_started": _round_started,
    "unreadable": _unreadable,
    "tools_asked": _tools_asked,
    "tool_called": _tool_called,
    "tool_answered": _tool_answered,
    "reply": _reply,
    "seat_failed": _seat_failed,
    "round_finished": _round_finished,
    "moderated": _moderated,
    "planned": _unchanged,
    "set_aside": _unchanged,
    "call_failed": _unchanged,
    "agent_lost": _unchanged,
    "worker_ended": _unchanged,
    "trial_said": _trial_said,
    "trial_finished": _trial_finished,
    "trial_call_failed": _unchanged,
    "customer_judged": _unchanged,
    "customer_unjudged": _unchanged,
    "decided": _decided,
    "synthesized": _synthesized,
    "baseline_started": _baseline_started,
    "single_answered": _single,
    "single_failed": _single,
    "baseline_finished": _baseline_finished,
    "judged": _judged,
    "judge_failed": _unchanged,
    "judging_finished": _judging_finished,
    "room_resumed": _status("running"),
    "room_interrupted": _status("interrupted"),
    "room_finished": _status("finished"),
}
