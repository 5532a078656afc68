"""The coordinator at work: one conversation with its tools, told in the journal as it goes, to its last word.

What it asks for and what its tools gave is in the journal at once; a run that broke off goes on behind that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from debateroom import clock
from debateroom.agents import run as runs
from debateroom.agents.conversation import Conversation, Equipped
from debateroom.agents.loop import Listens, converse
from debateroom.agents.run import Limits
from debateroom.agents.tape import tape, told
from debateroom.dialogue.waiting import Tell, TooLate, wait_for
from debateroom.errors import AgentFailed, CallFailed
from debateroom.language import in_marks, say
from debateroom.messages import Answer, Paid, Turn
from debateroom.playbooks import live, wording
from debateroom.playbooks.desk import Desk
from debateroom.playbooks.plan import Plan
from debateroom.playbooks.purse import HeldModel, Spent
from debateroom.room.room import Room, event, journal
from debateroom.room.spending import spent_by_model, untold

OnProgress = Callable[[str, int], None]
_CALLS = 300
"""Tools that a coordinator may call."""
_SECONDS = 86_400.0
"""A run without a limit of its own may take."""
EXIT_CODES = {"complete": 0, "failed": 3, "incomplete": 3}
_STOPPED = {"budget": 7, "deadline": 124}


def run(
    desk: Desk, equipped: Equipped, *, until: float | None = None, on_progress: OnProgress | None = None
) -> tuple[str, int, str | None]:
    """Has the coordinator work and writes the final output; why it stopped, the exit code, and for people what it was
    that stopped it before its own end.

    Raises AgentFailed when its model failed, NoModel when it can never be asked.
    """
    stopped = "done"
    if not desk.room.state.finished_rounds:
        try:
            _Work(desk, equipped, until, on_progress).do()
        except Spent:
            stopped = "budget"
        except TooLate:
            stopped = "deadline"
    return *conclude(desk.room, desk.plan, stopped), _cut_short(desk.room, desk.plan, stopped)


def _cut_short(room: Room, plan: Plan, stopped: str) -> str | None:
    if stopped == "deadline":
        return say(plan.language, "run_deadline", seconds=in_marks(plan.language, f"{plan.timeout or 0:g}"))
    if stopped == "budget":
        why = "run_budget" if room.transcript.cost is not None else "run_unpriced"
        return say(plan.language, why, budget=in_marks(plan.language, f"{plan.budget or 0:g}"))
    return None


def conclude(room: Room, plan: Plan, stopped: str) -> tuple[str, int]:
    """Writes the verdict that follows from the journal, unless it is there; why it stopped, and the exit code."""
    if room.transcript.final_output is None:
        room.write(event("synthesized", final_output=final_output(room, plan)))
    outcome = str((room.transcript.final_output or {}).get("outcome"))
    return stopped, _STOPPED.get(stopped, EXIT_CODES.get(outcome, 3))


def final_output(room: Room, plan: Plan) -> dict[str, Any]:
    """What came of the run: the verdict, the steps, the workers, decisions and receipts in order."""
    events = [*journal(room.folder).values, event("room_finished", exit_code=0)]
    card = live.compute_live(events, clock.now())
    said = [entry.response for item in room.transcript.rounds for entry in item.entries]
    states = [step.state for step in card.steps]
    return {
        "outcome": card.verdict,
        "summary": wording.summary(plan.language, states),
        "answer": said[-1] if said else "",
        "playbook": plan.playbook.id,
        "rule": plan.playbook.rule,
        "goal": plan.goal,
        "steps": [asdict(step) for step in card.steps],
        "workers": [asdict(worker) for worker in card.workers],
        "counters": asdict(card.counters),
        "decisions": [asdict(each) for each in card.decisions],
    }


class _Work:
    """One stretch of work."""

    def __init__(self, desk: Desk, equipped: Equipped, until: float | None, on_progress: OnProgress | None) -> None:
        self._desk = desk
        self._plan: Plan = desk.plan
        self._equipped = equipped
        self._until = until
        self._on_progress = on_progress
        self._told: list[Paid] = []
        """Calls of which the journal knows."""

    def do(self) -> None:
        """Asks, and writes the coordinator's last word. Raises Spent, TooLate, AgentFailed, NoModel."""
        room = self._desk.room
        if not room.transcript.rounds:
            room.write(event("round_started", round=1))
        began, talk = clock.monotonic(), Conversation()
        try:
            wait_for(lambda tell: self._converse(tell, talk), until=self._until)
        except CallFailed as error:
            self._write_failed(talk, str(error))
            if self._until is not None and clock.monotonic() >= self._until:
                raise TooLate from None
            raise AgentFailed(f"The coordinator gave no answer: {error}", hint=error.hint) from error
        if talk.answer is not None:
            room.write(self._reply(talk, talk.answer, clock.monotonic() - began), event("round_finished", round=1))

    def _converse(self, tell: Tell, talk: Conversation) -> None:
        plan = self._plan
        self._desk.tell = tell
        limits = Limits(plan.task.steps, calls=_CALLS, seconds=_SECONDS, call_seconds=plan.call_timeout)
        run = runs.start(
            limits, until=self._until, session=plan.uuid, language=plan.language, turn=1, fence=plan.fence
        )
        model = HeldModel(self._equipped.model, lambda: self._desk.on_main(self._desk.purse.hold))
        held = replace(self._equipped, model=model)
        asked = held.request([Turn("user", wording.prompt(plan))], run)
        asked = replace(asked, max_tokens=plan.max_tokens)
        before = tape(self._desk.room.state.looked.get((1, plan.name), ()), repeatable=True)
        converse(
            held, asked, run, self._on_event, talk=talk, tape=before,
            listens=Listens(self._on_text(), self._on_step),
        )  # fmt: skip

    def _on_text(self) -> Callable[[str], None]:
        written = 0

        def on_text(piece: str) -> None:
            nonlocal written
            written += len(piece)
            shown = written
            self._desk.tell(lambda: self._progress(shown))

        return on_text

    def _progress(self, characters: int) -> None:
        if self._on_progress:
            self._on_progress(self._plan.name, characters)

    def _on_step(self, answer: Answer) -> None:
        """Puts what was asked for into the journal before it is done."""
        self._on_event(told(self._equipped, answer))

    def _on_event(self, said: Mapping[str, Any]) -> None:
        """Puts a step, what a tool is asked and what it gave into the journal, with what was paid for it."""
        paid = said.get("paid", {})
        own = {name: value for name, value in said.items() if name != "paid"}
        self._told += [each for calls in paid.values() for each in calls]
        place = {"round": 1, **({"seat": self._plan.name} if "within" in said else {})}
        self._desk.write({**event(str(said["event"])), **place, **own, **self._spent(paid)})

    def _reply(self, talk: Conversation, answer: Answer, seconds: float) -> dict[str, Any]:
        return event(
            "reply",
            round=1,
            agent=self._plan.name,
            role=self._plan.name,
            response=answer.text,
            model=answer.model,
            seconds=round(seconds, 3),
            finish=talk.stop_reason,
            **self._spent(untold(talk.paid, self._told)),
        )

    def _write_failed(self, talk: Conversation, reason: str) -> None:
        told = {"round": 1, "agent": self._plan.name, "reason": reason}
        self._desk.room.write(event("call_failed", **told, **self._spent(untold(talk.paid, self._told))))

    def _spent(self, paid: Mapping[str, Sequence[Paid]]) -> dict[str, Any]:
        return spent_by_model(paid, prices=self._plan.prices)
