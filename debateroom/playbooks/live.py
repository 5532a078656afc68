"""A run while it goes on, worked out from its events alone: what it does now, how its steps stand, what was decided.

Pure: the same events and the same moment give the same card, in the terminal, on the page and in the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from debateroom.playbooks.decision import EVENT
from debateroom.playbooks.doing import ABOUT, status_text
from debateroom.playbooks.plan import KIND
from debateroom.room.events import Event, State, replay
from debateroom.terminal import one_line

StepState = Literal["pending", "running", "ok", "failed", "skipped", "missing"]


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A step of the playbook."""

    number: int
    text: str
    state: StepState
    evidence: str = ""
    """Of the last decision that settles it."""


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A worker of the run."""

    room: str
    task: str
    model: str
    state: str
    """`running`, `ok`, `failed`, or `missing` when the run ended before it did."""
    outcome: str = ""
    """`delivered`, `partial`, `refused` or why there is none; empty while it runs."""


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
    seconds: float | None = None
    """Since it was started, or that it took; None when not known."""

    def to_json(self) -> dict[str, Any]:
        """As `--json` and the page have it."""
        return asdict(self)


def compute_live(events: Sequence[Event], now: datetime) -> Live:
    """The card that follows from a journal's `events` at the moment `now`. An empty journal is a queued run."""
    state = replay(events)
    told, status = state.transcript, _status(state, events)
    steps, workers = _steps(state, events, status), tuple(_workers(events, status))
    running = sum(worker.state == "running" for worker in workers)
    shared: dict[str, Any] = {
        "uuid": told.uuid,
        "kind": told.kind,
        "title": one_line(told.problem, ABOUT),
        "language": told.language,
        "status": status,
        "status_text": status_text(state, events, status, running),
        "workers": workers,
        "counters": _counters(events),
        "decisions": tuple(_decisions(events)),
        "round": told.rounds[-1].round if told.rounds else 0,
        "rounds": told.rounds_asked,
        "cost": told.cost,
        "seconds": _seconds(state, status, now),
    }
    if told.kind == KIND:
        ended = status in ("finished", "failed")
        return Live(**shared, steps=steps, verdict=verdict(steps) if ended else None)
    return Live(**shared, seats=tuple(_seats(state, events, status)))


def verdict(steps: Sequence[LiveStep]) -> str:
    """`complete`, `failed` or `incomplete`: a missing result never counts as a success, and neither do only skips."""
    states = {step.state for step in steps}
    if not states or not states <= {"ok", "failed", "skipped"} or states == {"skipped"}:
        return "incomplete"
    return "failed" if "failed" in states else "complete"


def _status(state: State, events: Sequence[Event]) -> str:
    opened = any(each["event"] not in ("room_opened", "moved_aside") for each in events)
    known = state.transcript.status
    return "queued" if known == "running" and not opened else known


def _steps(state: State, events: Sequence[Event], status: str) -> tuple[LiveStep, ...]:
    given = state.settings.get("playbook") if state.transcript.kind == KIND else None
    if not isinstance(given, Mapping):
        return ()
    alive, acted = status in ("queued", "running"), any(map(_is_action, events))
    last = {each["step"]: each for each in events if each["event"] == EVENT and each.get("step")}
    made, reached = [], False
    for number, step in enumerate(given["steps"], 1):
        if given.get("follows_workers") and number == len(given["steps"]):
            workers = list(_workers(events, status))
            made.append(LiveStep(number, str(step["do"]), _followed(workers, alive)))
            continue
        noted = last.get(number)
        if noted is not None:
            found: StepState = noted["outcome"]
        elif not alive:
            found = "missing"
        else:
            found = "running" if acted and not reached else "pending"
            reached = True
        made.append(LiveStep(number, str(step["do"]), found, noted["evidence"] if noted else ""))
    return tuple(made)


def _followed(workers: Sequence[LiveWorker], alive: bool) -> StepState:
    """The step that follows the workers."""
    states = {worker.state for worker in workers}
    if not workers:
        return "pending" if alive else "missing"
    if "running" in states:
        return "running"
    if "failed" in states:
        return "failed"
    return "missing" if "missing" in states else "ok"


def _is_action(told: Event) -> bool:
    return told["event"] in ("tools_asked", "tool_called", EVENT, "reply", "worker_delegated")


def _workers(events: Sequence[Event], status: str) -> Iterator[LiveWorker]:
    ended = {each["id"]: each for each in events if each["event"] == "worker_ended"}
    started = {each["id"]: each for each in events if each["event"] == "worker_delegated"}
    for key, each in started.items():
        end = ended.get(key)
        about = (each["room"], one_line(each["task"], ABOUT), each["model"])
        if end is not None:
            done = "ok" if end["outcome"] == "delivered" else "failed"
            yield LiveWorker(*about, done, one_line(end.get("error") or end["outcome"], ABOUT))
        else:
            yield LiveWorker(*about, "running" if status == "running" else "missing")


def _counters(events: Sequence[Event]) -> Counters:
    done = [each["ok"] for each in events if each["event"] == "tool_answered"]
    names = [each["event"] for each in events]
    delegated = {each["id"] for each in events if each["event"] == "worker_delegated"}
    return Counters(sum(done), len(done) - sum(done), len(delegated), names.count(EVENT))


def _decisions(events: Sequence[Event]) -> Iterator[LiveDecision]:
    for each in events:
        if each["event"] == EVENT:
            told = (each["what"], each["why"], each["evidence"], each["outcome"], each.get("step"))
            yield LiveDecision(each.get("at", ""), *told)
        elif each["event"] == "approval_answered":
            what = f"{each['tool']}({one_line(each['shown'], ABOUT)})"
            where = f"receipts.jsonl#{each['uuid']}"
            yield LiveDecision(each.get("at", ""), what, each["by"], where, each["answer"], receipt=True)


def _seats(state: State, events: Sequence[Event], status: str) -> Iterator[LiveSeat]:
    rounds = state.transcript.rounds
    last = rounds[-1] if rounds else None
    entries = {entry.agent: entry for entry in last.entries} if last else {}
    failed = {failure.agent for failure in last.failures} if last else set()
    for seat in state.transcript.agents:
        entry = entries.get(seat.name)
        if entry is not None:
            yield LiveSeat(seat.name, seat.role, "done", entry.confidence)
        elif seat.name in failed:
            yield LiveSeat(seat.name, seat.role, "failed")
        else:
            asking = last is not None and status == "running"
            yield LiveSeat(seat.name, seat.role, "asking" if asking else "waiting")


def _seconds(state: State, status: str, now: datetime) -> float | None:
    if status not in ("queued", "running"):
        return state.transcript.seconds
    try:
        return max(0.0, round((now - datetime.fromisoformat(state.transcript.started)).total_seconds(), 1))
    except (TypeError, ValueError):
        return state.transcript.seconds
