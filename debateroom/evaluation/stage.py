"""What one trial has: its task and attempt, its models and agent, its world, and what the journal knows of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from debateroom import clock
from debateroom.agents.agent import Agent
from debateroom.errors import DebateroomError
from debateroom.evaluation.journal import Key, Party
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.task import Task
from debateroom.evaluation.world import World
from debateroom.messages import Model
from debateroom.room.room import event
from debateroom.room.spending import spent_by_model

Tell = Callable[[Mapping[str, Any]], None]
"""Puts an event on its way into the journal, from any thread; events stay in the order in which they are told."""


class Misfit(Exception):
    """What the journal has of an attempt cannot be gone on with: something in it is lost, or it was played by other
    rules.
    """


class Over(Exception):
    """The run may go on no longer; the word says why: `budget`, `deadline` or `stopped`."""

    def __init__(self, why: Literal["budget", "deadline", "stopped"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(slots=True)
class Stage:
    """One attempt at one trial."""

    plan: Plan
    task: Task
    key: Key
    attempt: int
    seed: int
    session: str
    language: str
    """Of the customer's prompt."""
    customer: Model
    agent: Agent
    judge: Model | None
    world: World | None
    target: Any
    """The state that the reference solution leads to; None where it is not needed."""
    tell: Tell
    may_call: Callable[[], None]
    """Raises Over when nothing more may be asked."""
    until: float | None
    """Moment of `clock.monotonic()` at which the run's time is over; None is never."""
    tape: deque[Mapping[str, Any]] = field(default_factory=deque)
    place: int = 0
    """How much was said in this attempt."""

    def begin_anew(self) -> None:
        """Leaves what the journal has of this attempt, and begins another."""
        self.tape.clear()
        self.attempt, self.place = self.attempt + 1, 0
        self.tell(self.event("trial_started", seed=self.seed))

    def taped(self, party: Party) -> Mapping[str, Any] | None:
        """The next thing that the journal says `party` said; None when it has no more. Raises Misfit."""
        if not self.tape:
            return None
        told = self.tape.popleft()
        if told["party"] != party:
            raise Misfit
        self.place += 1
        return told

    def say(self, party: Party, text: str, **more: Any) -> None:
        """Tells the journal what somebody said; by its place it is seen when something before it is lost."""
        self.place += 1
        self.tell(self.event("trial_said", place=self.place, party=party, text=text, **more))

    def failed(self, party: Party, error: DebateroomError, model: str) -> None:
        """Tells the journal that a call gave no answer, and what it cost all the same."""
        if self.until is not None and clock.monotonic() >= self.until:
            raise Over("deadline") from error
        self.may_call()
        spent = spent_by_model({model: error.paid}, prices=self.plan.prices)
        self.tell(self.event("trial_call_failed", party=party, reason=str(error), **spent))

    def event(self, name: str, **values: Any) -> dict[str, Any]:
        """An event of this attempt."""
        return event(name, task=self.key.task, trial=self.key.number, attempt=self.attempt, **values)
