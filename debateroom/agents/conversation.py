"""What an answer is made with and what came of it: a model with its tools, the conversation so far, a tape of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from debateroom.agents.agent import ToolRecord
from debateroom.agents.run import Run
from debateroom.agents.tools import Tool
from debateroom.messages import Answer, Model, Paid, Purpose, Request, Turn


@dataclass(frozen=True, slots=True)
class Equipped:
    """A model with its instructions and everything that it can do."""

    name: str
    model: Model
    instructions: str = ""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """By the name that the model is told."""
    language: str = "en"

    def request(self, turns: Sequence[Turn], run: Run, *, schema: Mapping[str, Any] | None = None) -> Request:
        """What the model is asked for one answer of an agent."""
        purpose = Purpose("seat", self.name, run.turn)
        return Request(
            system=self.instructions, turns=tuple(turns), timeout=run.limits.call_seconds, schema=schema,
            cache_key=run.session, purpose=purpose, seed=run.seed,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that came to its end before the answer broke off."""

    record: ToolRecord
    executed: bool = True
    again: bool = True
    """Both as in `tools.Outcome`."""
    refused: bool = False
    """Whether no tool was asked: unknown, closed, or with arguments that do not fit."""


@dataclass(frozen=True, slots=True)
class Taped:
    """A step of an answer that broke off: what the model asked for, and what of it was run."""

    answer: Answer
    ran: Mapping[str, Ran] = field(default_factory=dict)
    """By the call's id."""
    begun: frozenset[str] = frozenset()
    """Ids of calls that are not made again whatever came of them: they may have changed something."""
    below: Mapping[str, tuple[Taped, ...]] = field(default_factory=dict)
    """The steps that a sub-agent made for a call, by the call's id."""
    over: bool = False
    """Whether the answer came to its end: then nothing in it is made any more."""

    def records(self) -> tuple[ToolRecord, ...]:
        """All that was executed in it, call by call, what a sub-agent executed before the call of it."""
        found: list[ToolRecord] = []
        for call in self.answer.calls:
            found += [record for step in self.below.get(call.id, ()) for record in step.records()]
            ran = self.ran.get(call.id)
            found += [ran.record] if ran and ran.executed else []
        return tuple(found)


@dataclass(slots=True)
class Conversation:
    """What came of one answer."""

    turns: list[Turn] = field(default_factory=list)
    """The conversation, tool calls and results included, up to the model's last word."""
    answer: Answer | None = None
    """The model's last one."""
    stop_reason: str = "stop"
    records: list[ToolRecord] = field(default_factory=list)
    paid: dict[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Calls to models, those of sub-agents included."""
    untold: dict[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Those of them of which no event has told."""
    written: int = 0
    """Tokens that the model has written."""

    def pay(self, model: str, paid: Sequence[Paid], *, told: bool = False) -> None:
        """Notes calls that were paid for; `told` are those of which an event tells."""
        if paid:
            self.paid[model] = (*self.paid.get(model, ()), *paid)
            if not told:
                self.untold[model] = (*self.untold.get(model, ()), *paid)

    @property
    def all_paid(self) -> tuple[Paid, ...]:
        """The same, whichever model it was."""
        return tuple(each for paid in self.paid.values() for each in paid)
