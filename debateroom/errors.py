"""Every error a person can meet: what happened, the exit code, and the next command to run.

DebateroomError            1  something failed
├── UsageError             2  the call cannot be understood, or contradicts itself
│   ├── BadEvidence           evidence that is not one link or one path
│   └── RefusedURL            a web address the guard does not open
├── Declined               1  a person was asked, and said no or nothing
├── RoomError              1  a room's files cannot be written or read
├── NoModel                4  no key, no such model, or a key that was refused
├── TooFewReplies          5  fewer seats answered than the quorum
├── RoomBusy               6  another process writes in this room
├── BudgetSpent            7  the next round would pass the budget
├── VagueQuestion          8  the question names nothing that can be debated
├── DeadlinePassed       124  the time for the whole run is over
├── Unreachable            1  a server on the web could not be asked
│   └── TimedOut              it did not answer in time
├── AgentFailed            1  an agent crashed, ran out of time or answered garbage: no verdict on what it said
└── CallFailed             1  one call to a model failed; the round records it and goes on
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from debateroom.messages import Paid


class Wording(NamedTuple):
    """A sentence by its name among the messages in `templates/labels`, with what fills its places."""

    key: str
    figures: Mapping[str, object] = {}


class DebateroomError(Exception):
    """An error with a sentence for people, an exit code and, where one exists, the next command."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        """The next command to run, or what would help; None when nothing would."""
        self.wording: tuple[Wording, ...] = ()
        """The message, sentence by sentence, for those who know in which language to say it; empty: as it stands."""
        self.hint_wording: Wording | None = None
        """The same for the hint."""
        self.language = "en"
        """The language that message and hint are in (see `language.spoken`)."""
        self.room: Path | None = None
        """The room in which it happened; None when there was none yet."""
        self.paid: tuple[Paid, ...] = ()
        """The calls that were paid for before it was clear that there is no answer."""


class UsageError(DebateroomError):
    """The call cannot be understood, or contradicts itself."""

    exit_code = 2


class BadEvidence(UsageError):
    """Evidence that is not exactly one http(s) link or one path."""


class RefusedURL(UsageError):
    """A web address that the guard does not open; the message is the reason."""


class Declined(DebateroomError):
    """A person was asked whether or how to go on, and said no, or nothing."""


class RoomError(DebateroomError):
    """A room's files cannot be written or read."""


class NoModel(DebateroomError):
    """No key, no such model, or a key that the provider refused."""

    exit_code = 4


class TooFewReplies(DebateroomError):
    """Fewer seats answered in a round than the quorum."""

    exit_code = 5


class RoomBusy(DebateroomError):
    """Another process writes in this room."""

    exit_code = 6


class BudgetSpent(DebateroomError):
    """The next round would pass the budget."""

    exit_code = 7


class VagueQuestion(DebateroomError):
    """The question names nothing that can be debated, and nobody is there to ask."""

    exit_code = 8


class DeadlinePassed(DebateroomError):
    """The time for the whole run is over."""

    exit_code = 124


class Unreachable(DebateroomError):
    """A server on the web could not be asked, or broke its answer off; the message says why."""


class TimedOut(Unreachable):
    """A server on the web did not answer in time."""


class AgentFailed(DebateroomError):
    """An agent crashed, ran out of time or answered garbage: an error of the run, never a verdict on the agent."""


class CallFailed(DebateroomError):
    """One call to a model failed. The seat has no turn in this round; the reason is for people."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        retry: bool = False,
        retry_after: float | None = None,
        cause: str = "error",
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry = retry
        """Whether the same call may succeed later."""
        self.retry_after = retry_after
        """Seconds the provider asked us to wait; None when it did not say."""
        self.cause = cause
        """One word for the kind: `rate_limit`, `overloaded`, `timeout`, `connection`, `empty`, `cut`, `error`."""
