"""What one answer shares with all sub-agents that are asked for it: its time, its session, and how much is left."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from debateroom import clock
from debateroom.messages import CALL_SECONDS
from debateroom.models.prices import BATCH_SECONDS

if TYPE_CHECKING:
    from debateroom.agents.agent import OnEvent
    from debateroom.agents.conversation import Taped


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one answer may go."""

    steps: int = 12
    """Times that an agent may ask for tools before it must answer; several asked for at once are one time."""
    depth: int = 3
    """Sub-agents below one another, at most."""
    calls: int = 60
    """Tool calls for one answer, those of sub-agents included, at most."""
    seconds: float = 300.0
    """Seconds for one answer, everything included."""
    call_seconds: float = CALL_SECONDS
    """Seconds that one call to a model may take."""

    def for_calls(self, seconds: float) -> Limits:
        """The same limits with calls of so many seconds; in providers' batches an answer may take as long as one."""
        whole = seconds if seconds >= BATCH_SECONDS else self.seconds
        return replace(self, call_seconds=seconds, seconds=whole)

    characters: int | None = None
    """Characters of all results of one answer together; None: each tool has its own limit and there is no other."""
    one_limit: bool = False
    """Whether the calls to the model for one answer share the tokens that each may have; else each has all."""


class Allowance:
    """How much of something is left; taken from many threads."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._lock = threading.Lock()  # protects _left: sub-agents count at the same time

    def take(self, amount: int = 1) -> int:
        """Takes `amount`, or what is left of it; how much that is."""
        with self._lock:
            taken = max(0, min(amount, self._left))
            self._left -= taken
            return taken


def nobody(event: Mapping[str, Any]) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Run:
    """One answer while it is made."""

    limits: Limits
    until: float
    """Moment of `clock.monotonic()` at which its time is over."""
    session: str = ""
    language: str = "en"
    """In which tools and sub-agents are described to the model."""
    depth: int = 0
    """How many sub-agents are above the one that is asked; 0 for the agent itself."""
    turn: int = 1
    """Which turn of the conversation is answered."""
    budget: Allowance = field(default_factory=lambda: Allowance(Limits().calls))
    """Tool calls."""
    room: Allowance | None = None
    """Characters of results; None is no limit."""
    fence: str = ""
    """Tag around what tools give, as around all that is quoted to the model; empty for none."""
    tell: OnEvent = nobody
    """Tells what happens within the call that is made, before it ends."""
    tape: tuple[Taped, ...] = ()
    """What a tool that goes on had done for this call before it broke off."""
    seed: int | None = None
    """Sent with each call to a model that takes one; None is the model's own."""

    def left(self) -> float:
        """Seconds until the time is over; below 0 when it is."""
        return self.until - clock.monotonic()

    def deeper(self, language: str) -> Run:
        """The same one step further down."""
        return replace(self, depth=self.depth + 1, language=language, turn=1, tape=())


def start(
    limits: Limits,
    *,
    until: float | None,
    session: str,
    language: str,
    turn: int,
    fence: str = "",
    seed: int | None = None,
) -> Run:
    """The beginning of an answer that must be there at `until` at the latest."""
    own = clock.monotonic() + limits.seconds
    ends = own if until is None else min(own, until)
    room = None if limits.characters is None else Allowance(limits.characters)
    calls = Allowance(limits.calls)
    return Run(limits, ends, session, language, turn=turn, budget=calls, room=room, fence=fence, seed=seed)
