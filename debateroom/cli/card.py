"""The live card as plain lines: one for each thing that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from debateroom import clock
from debateroom.cli import output
from debateroom.language import in_marks, say
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.playbooks.live import Live, LiveDecision, LiveSeat
    from debateroom.playbooks.standing import LiveStep

_SEATS = {"waiting": "waiting", "asking": "live_thinking", "done": "done", "failed": "failed"}


def changes(before: Live | None, now: Live, *, whole: bool = False) -> Iterator[str]:
    """One line for each thing that is not as it was; all of it where there was nothing before.

    `whole`: also the steps that are still to come.
    """
    language = now.language
    if before is None:
        yield now.title
    known: Any = before
    for step in now.steps:
        old = known.steps[step.number - 1].state if known and known.steps else "" if whole else "pending"
        if step.state != old:
            yield stepped(language, step)
    workers = {worker.room: worker.state for worker in known.workers} if known else {}
    for worker in now.workers:
        if workers.get(worker.room) != worker.state:
            state = say(language, f"step_{worker.state}")
            told = say(language, "worker_line", room=worker.room, state=state, task=one_line(worker.task, 80))
            yield f"{told} — {worker.outcome}" if worker.state == "failed" else told
    seats = {seat.name: seat.state for seat in known.seats} if known else {}
    for seat in now.seats:
        if seat.state in ("done", "failed") and seats.get(seat.name) != seat.state:
            yield say(language, "seat_line", agent=seat.name, state=seated(now.language, seat))
    for decision in now.decisions[len(known.decisions) if known else 0 :]:
        if decision.step is None:
            yield decided(language, decision)
    if known is None or known.status_text != now.status_text:
        yield now.status_text


def stepped(language: str, step: LiveStep) -> str:
    """A step on one line, with what proves it."""
    evidence = f" [{step.evidence}]" if step.evidence else ""
    state = say(language, f"step_{step.state}")
    return one_line(say(language, "step_line", number=step.number, state=state, text=step.text) + evidence, 1_000)


def decided(language: str, decision: LiveDecision) -> str:
    """A decision or a receipt on one line."""
    mark = f"[{decision.outcome}]"
    if decision.receipt:
        mark = f"[{say(language, f'receipt_{decision.outcome}')}]"
    elif decision.step is not None:
        outcome = say(language, f"step_{decision.outcome}")
        mark = say(language, "step_mark", number=decision.step, outcome=outcome)
    told = {"what": decision.what, "why": decision.why, "evidence": decision.evidence}
    return one_line(say(language, "decision_line", mark=mark, **told), 1_000)


def counted(live: Live) -> str:
    """The counters on one line."""
    counts = live.counters
    figures = {"ok": counts.actions_ok, "failed": counts.actions_failed}
    return say(live.language, "counters_line", **figures, workers=counts.workers, decisions=counts.decisions)


def notices(language: str, event: Mapping[str, Any]) -> Iterator[str]:
    """What an event says about the room itself: where an earlier run is kept, who is asked elsewhere than here."""
    if event["event"] == "moved_aside":
        yield output.moved(language, event)
    elif event["event"] == "room_resumed":
        for provider, address in event["elsewhere"].items():
            yield say(language, "reached_line", provider=provider, address=address)


def seated(language: str, seat: LiveSeat) -> str:
    """How a seat stands, in words."""
    if seat.state == "done" and seat.confidence is not None:
        return say(language, "done_confidence", confidence=in_marks(language, f"{seat.confidence:g}"))
    return say(language, _SEATS.get(seat.state, "waiting"))


class CardLines:
    """Progress of a run in this process: one plain line on stderr for each thing that changed."""

    def __init__(self, known: Sequence[Mapping[str, Any]] = (), *, quiet: bool = False, verbose: int = 0) -> None:
        """`known` is what the journal of a run that goes on holds already."""
        self._quiet = quiet
        self._verbose = verbose
        self._events = list(known)
        self._again = bool(known)
        self._live: Live | None = None

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Says what is new with it."""
        from debateroom.cli import progress
        from debateroom.playbooks.live import compute_live

        again = self._again and event["event"] == "room_opened"  # whoever goes on is told once more what it was
        if not again:
            self._events.append(event)
        if self._verbose > 1:
            from debateroom import files

            output.note(one_line(f"{event['event']} {files.dumps(event).decode()}", progress.EVENT_LENGTH))
        if self._quiet or again:
            return
        live = compute_live(self._events, clock.now())
        for line in (*changes(self._live, live), *notices(live.language, event)):
            output.note(line)
        self._live = live

    def on_progress(self, agent: str, characters: int) -> None:
        """Nothing: plain lines do not move."""

    def on_wait(self, provider: str, seconds: float) -> None:
        """One line: a minute in which nothing happens has a reason."""
        if not self._quiet:
            language = self._live.language if self._live else "en"
            output.note(say(language, "wait_line", provider=provider, seconds=round(seconds)))

    def close(self) -> None:
        """Nothing to take down."""
