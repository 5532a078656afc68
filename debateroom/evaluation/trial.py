"""What happened in one trial, as the journal keeps it: all that checks look at, now and when they run again."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Cause = Literal["token", "max_turns", "no_progress", "error"]
"""Why a trial stopped: the customer's token, the turn limit, two parties that turn in circles, or a fault of the run.
"""
Token = Literal["stop", "transfer", "out_of_scope"]
"""The customer's `###STOP###`, `###TRANSFER###`, `###OUT-OF-SCOPE###`."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Value):
    """What one party said to the other."""

    party: Literal["customer", "agent"]
    text: str
    """What was visible: without tokens."""
    late: bool = False
    """Said beside the token when no message was left: heard, and no turn."""


class Call(_Value):
    """A tool call of the agent."""

    tool: str
    args: Any = None
    """As the agent gave them: an object, if it did its part."""
    result: str | None = None
    """What the agent was told; None when the call was never executed, and then it does not count."""
    ok: bool = True
    """Whether the tool did it; false for a refusal or a fault."""
    by: str = ""
    """Name of the agent or sub-agent that called."""


class Stop(_Value):
    """How a trial ended."""

    cause: Cause
    token: Token | None = None
    """The customer's token; None unless the cause is `token`."""
    error: str = ""
    """What went wrong; empty unless the cause is `error`."""

    @property
    def satisfied(self) -> bool:
        """Whether the customer itself said that it has what it came for: its own STOP, never the turn limit."""
        return self.cause == "token" and self.token == "stop"  # noqa: S105 — no secret


class Judgement(_Value):
    """What a judge said on one criterion."""

    criterion: str
    met: bool | None
    """None when the judge gave no usable answer."""
    reasoning: str = ""


class Trial(_Value):
    """One trial of one task."""

    task: str
    """The task's id."""
    number: int = 1
    """1 and up, of this task's trials."""
    seed: int | None = None
    messages: tuple[Message, ...] = ()
    calls: tuple[Call, ...] = ()
    """In the order in which they ended."""
    initial: Any = None
    """The world's state before; None without a world."""
    final: Any = None
    """The world's state after; None without a world."""
    target: Any = None
    """The state that the reference solution leads to; needed only by a task that expects that one."""
    stop: Stop
    simulator_invalid: tuple[str, ...] = ()
    """Why the customer's part is no fair one (see `check_customer_text`); such a trial says nothing of the agent."""
    judged: tuple[Judgement, ...] | None = None
    """The judge's answers; None when none was asked."""

    @property
    def turns(self) -> int:
        """Messages of the customer, never more than the task allows."""
        return sum(message.party == "customer" and not message.late for message in self.messages)
