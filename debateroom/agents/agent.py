"""What every agent is to those who talk to it, and the one door that opens one from what stands after `--agent`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from debateroom.messages import CALL_SECONDS, Paid, Turn, Usage

if TYPE_CHECKING:
    from debateroom.agents.conversation import Taped
    from debateroom.agents.load import Guard
    from debateroom.models.registry import Models

OnEvent = Callable[[Mapping[str, Any]], None]
"""Called with `{"event": "tool_called", "agent", "id", "name", "arguments"}` before a tool runs and `{"event":
"tool_answered", …, "result", "ok", "seconds"}` when it ends; a refusal has `"executed": false`, beside it `"refused":
true` where no tool was asked and `"interrupted": true` for a call that was under way when the run broke off; a
sub-agent that must not be asked again has `"again": false`. Agents of ours tell `{"event": "tools_asked", …}` before,
with the fields of `tape.asked`. What a sub-agent tells has `within`: the ids of the calls that lead to it, the
outermost first; it comes from a thread of its own. What was paid for on the way stands in `paid`, as in `Answered`,
where it stands too.
"""


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """A tool that was really executed."""

    name: str
    arguments: Mapping[str, Any]
    result: str
    """What the agent was told, cut to the tool's limit."""
    ok: bool
    """Whether it did what it was called for; false for an exception, a time that was over, a refusal."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What an agent said in one turn."""

    text: str
    tools: tuple[ToolRecord, ...] = ()
    """In the order of the calls; those of a sub-agent before the call of the sub-agent itself."""
    state: Any = None
    """What an outside agent shows of its world, as JSON; None when it shows nothing."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all calls to models that this turn took, as far as they are known."""
    model: str = ""
    seconds: float = 0.0
    stop_reason: str = "stop"
    """`stop`, `length`, `refusal`, or `steps` when it still asked for tools after the last step it may take."""
    paid: Mapping[str, tuple[Paid, ...]] = field(default_factory=dict)
    """The calls to models one by one, by the model's `provider:model`; empty for an agent that is not ours."""


class Agent(Protocol):
    """Somebody who answers in a conversation. One agent serves one conversation, one call at a time."""

    name: str
    model: str
    """`provider:model`, or what the agent is spoken to through."""
    capabilities: tuple[str, ...]
    """First line of each tool's description; empty when not known."""
    asks: tuple[str, ...]
    """`provider:model` of each model that it asks through this program, those of its sub-agents included; empty for
    an agent from outside."""

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """What the agent says to the last turn of `said`.

        `said` is the conversation as the agent sees it: user turns are the other party's, assistant turns its own.
        After the moment `until` of `clock.monotonic()` nobody wants the answer. Raises AgentFailed when the agent
        crashed, ran out of time or answered garbage; it is stopped then, and nothing of it goes on running. Raises
        NoModel when its model can never be asked.
        """
        ...

    def close(self) -> None:
        """Ends what the agent has started."""
        ...


@runtime_checkable
class Declares(Protocol):
    """An agent of which it is known what its tools are called."""

    declared: tuple[str, ...]
    """Names of all tools, those of its sub-agents included."""


@runtime_checkable
class GoesOn(Protocol):
    """An agent that can go on with a conversation that broke off with the run."""

    def go_on_from(self, steps: Sequence[Taped]) -> None:
        """`steps` of the next answer are made already: they are neither asked for nor executed nor paid again."""
        ...

    def remember(self, said: Sequence[Turn], steps: Sequence[Taped], text: str) -> None:
        """An earlier answer to `said`: `text`, with `steps` before it. Nothing of it is asked for or executed."""
        ...


@runtime_checkable
class Finishes(Protocol):
    """An agent that may turn out to have failed after its last answer."""

    def finish(self) -> None:
        """Ends what it has started: nothing more is asked of it. Raises AgentFailed when it failed after all."""
        ...


def open_agent(
    text: str,
    *,
    models: Models,
    model: str | None = None,
    start: str | None = None,
    session: str = "",
    call_timeout: float = CALL_SECONDS,
    seed: int | None = None,
    guard: Guard | None = None,
) -> Agent:
    """The agent that `text` names: FILE.yaml, python:module:callable, an http address, command:"…", scripted:PATH, or
    a model's name, which is an agent without tools.

    `model` stands in for the model that an agent would use by itself, and is what an address is asked for. `start`
    names the first agent of a file. `session` tells conversations apart for tools and outside agents. `call_timeout`
    is the time of one call in seconds: of an answer of an agent from outside, of a call to a model of one of ours.
    `seed` is sent with each call to a model of ours that takes one; an outside agent hears nothing of it. `guard`
    makes something else of each tool of ours that may change something. Raises UsageError for what cannot be
    understood, naming file, line and field; NoModel for a model that cannot be used.
    """
    from debateroom.agents.adapters import adapt

    return adapt(
        text, models=models, model=model, start=start, session=session, call_timeout=call_timeout, seed=seed,
        guard=guard,
    )  # fmt: skip
