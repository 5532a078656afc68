"""A run while it goes on, worked out from its events alone: what it does now, how its steps stand, what was decided.

Pure: the same events and the same moment give the same card, in the terminal, on the page and in the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from debateroom.dialogue.plan import KINDS as IN_TURNS
from debateroom.language import say
from debateroom.messages import Transcript
from debateroom.playbooks import wording
from debateroom.playbooks.approval import named
from debateroom.playbooks.decision import EVENT
from debateroom.playbooks.doing import ABOUT, end_text, status_text
from debateroom.playbooks.plan import KIND
from debateroom.playbooks.standing import LiveStep, LiveWorker, steps_of, verdict, workers_of
from debateroom.room.events import Event, State, replay
from debateroom.terminal import one_line

_GOAL = 400
"""Characters of a goal."""


@dataclass(frozen=True, slots=True)
class LiveDecision:
    """A decision or a receipt, in the order in which they came."""

    at: str
    what: str
    why: str
    evidence: str
    outcome: str
    step: int | None = None
    receipt: bool = False
    """Whether it is somebody's answer to what a tool asked permission for."""


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """A seat of a debate, in the round that is played or was last."""

    name: str
    role: str
    state: str
    """`waiting`, `asking`, `done` or `failed`."""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Counters:
    """What was done so far."""

    actions_ok: int = 0
    actions_failed: int = 0
    workers: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Live:
    """The card of one room."""

    uuid: str
    kind: str
    title: str
    goal: str
    """What was typed into the playbook's field; empty for nothing, and for what is no playbook."""
    language: str
    status: str
    """`queued`, `running`, `interrupted`, `finished` or `failed`."""
    status_text: str
    """The same for people: the tool in progress, a milestone, done, or why it failed."""
    verdict: str | None = None
    """`complete`, `failed` or `incomplete`; None while it runs, and for what is no playbook."""
    steps: tuple[LiveStep, ...] = ()
    workers: tuple[LiveWorker, ...] = ()
    counters: Counters = field(default_factory=Counters)
    decisions: tuple[LiveDecision, ...] = ()
    seats: tuple[LiveSeat, ...] = ()
    """Of a debate."""
    round: int = 0
    """The round or turn that is played, or was last; 0 before the first."""
    rounds: int | None = None
    """At most."""
    cost: float | None = None
    """US dollars so far; None when not known."""
    damage: str = ""
    """What of the journal cannot be read; empty when all of it can."""
    seconds: float | None = None
    """Since it was started, or that it took; None when not known."""

    def to_json(self) -> dict[str, Any]:
        """As `--json` and the page have it."""
        return asdict(self)


def compute_live(events: Sequence[Event], now: datetime, *, gone: bool = False) -> Live:
    """The card that follows from a journal's `events` at the moment `now`. An empty journal is a queued run.
    `gone`: the process that wrote it is not there any more, so a run without an end is `interrupted`.
    """
    state = replay(events)
    told, status = state.transcript, _status(state, events)
    if gone and status in ("queued", "running"):
        status = "interrupted"
    workers, decisions = tuple(workers_of(events, status)), tuple(_decisions(events, told.language))
    steps = _steps(state, events, workers, status)
    ended = verdict(steps) if told.kind == KIND and status in ("finished", "failed") else None
    return Live(
        uuid=told.uuid,
        kind=told.kind,
        title=one_line(told.problem, ABOUT),
        goal=_goal(told),
        language=told.language,
        status=status,
        status_text=_text(state, events, status, workers, steps),
        verdict=ended,
        steps=steps,
        workers=workers,
        counters=_counters(events, workers, decisions),
        decisions=decisions,
        seats=() if told.kind == KIND else tuple(_seats(state, status)),
        round=told.rounds[-1].round if told.rounds else 0,
        rounds=told.rounds_asked,
        cost=told.cost,
        seconds=_seconds(state, status, now),
    )


def _goal(told: Transcript) -> str:
    return one_line(told.context, _GOAL) if told.kind == KIND and isinstance(told.context, str) else ""


def _status(state: State, events: Sequence[Event]) -> str:
    opened = any(each["event"] not in ("room_opened", "moved_aside") for each in events)
    known = state.transcript.status
    return "queued" if known == "running" and not opened else known


def _steps(state: State, events: Sequence[Event], workers: Sequence[LiveWorker], status: str) -> tuple[LiveStep, ...]:
    playbook = state.settings.get("playbook") if state.transcript.kind == KIND else None
    if not isinstance(playbook, Mapping):
        return ()
    return tuple(steps_of(playbook, events, workers, alive=status in ("queued", "running")))


def _text(
    state: State, events: Sequence[Event], status: str, workers: Sequence[LiveWorker], steps: Sequence[LiveStep]
) -> str:
    """What it does now, or what it came to: a verdict that is no is said with its reason."""
    if status != "finished":
        return status_text(state, events, status, sum(worker.state == "running" for worker in workers))
    told, final = state.transcript, state.transcript.final_output or {}
    if told.kind == KIND:
        summary = wording.summary(told.language, [step.state for step in steps])
        return end_text(told.language, verdict(steps), state.error or summary)
    outcome = None if state.exit_code in (0, None) else str(final.get("outcome"))
    return end_text(told.language, outcome, state.error or str(final.get("summary", "")))


def _counters(events: Sequence[Event], workers: Sequence[LiveWorker], decisions: Sequence[LiveDecision]) -> Counters:
    done = [each["ok"] for each in events if each["event"] == "tool_answered"]
    noted = sum(not each.receipt for each in decisions)
    return Counters(sum(done), len(done) - sum(done), len(workers), noted)


def _decisions(events: Sequence[Event], language: str) -> Iterator[LiveDecision]:
    for each in events:
        if each["event"] == EVENT:
            told = (each["what"], each["why"], each["evidence"], each["outcome"], each.get("step"))
            yield LiveDecision(each.get("at", ""), *told)
        elif each["event"] == "approval_answered":
            what = f"{named(each['tool'], each.get('worker', ''))}({one_line(each['shown'], ABOUT)})"
            why, where = say(language, f"receipt_by_{each['by']}"), f"receipts.jsonl#{each['uuid']}"
            yield LiveDecision(each.get("at", ""), what, why, where, each["answer"], receipt=True)


def _seats(state: State, status: str) -> Iterator[LiveSeat]:
    rounds, in_turns = state.transcript.rounds, state.transcript.kind in IN_TURNS
    entries = {entry.agent: entry for entry in rounds[-1].entries} if rounds else {}
    failed = {failure.agent for failure in rounds[-1].failures} if rounds else set()
    before = {entry.agent for item in rounds for entry in item.entries}
    asking = bool(rounds) and status == "running"
    for seat in state.transcript.agents:
        found, sure = "waiting", None
        if seat.name in entries:
            found, sure = "done", entries[seat.name].confidence
        elif seat.name in failed:
            found = "failed"
        elif asking:
            found, asking = "asking", not in_turns
        elif status == "finished" and seat.name in before:  # the last word of a dialogue is the other one's
            found = "done"
        yield LiveSeat(seat.name, seat.role, found, sure)


def _seconds(state: State, status: str, now: datetime) -> float | None:
    if status not in ("queued", "running"):
        return state.transcript.seconds
    try:
        return max(0.0, round((now - datetime.fromisoformat(state.transcript.started)).total_seconds(), 1))
    except (TypeError, ValueError):
        return state.transcript.seconds
