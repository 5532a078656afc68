"""What a tool is to an agent, and several of them run at once. What a tool raises, a model reads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Literal, Protocol, runtime_checkable

from debateroom import clock
from debateroom.agents.agent import ToolRecord
from debateroom.agents.run import Run
from debateroom.agents.wording import say
from debateroom.messages import Paid, ToolSpec

TIMEOUT = 60.0
"""Seconds a tool may take unless its definition says otherwise."""
MOST_TEXT = 20_000
"""Characters of a result that a model is given."""
_MOST_REASON = 600
_SLACK = 1.0
"""Seconds beyond a tool's time in which one that watches its own time still ends by itself."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call of a tool came to."""

    text: str
    """What the model is told."""
    ok: bool = True
    executed: bool = True
    """Whether anything was done; a refusal is no execution."""
    again: bool = True
    """Whether the model may call this tool once more for the same answer."""
    records: tuple[ToolRecord, ...] = ()
    """Tools that were executed on the way."""
    events: tuple[Mapping[str, Any], ...] = ()
    """What happened on the way, to be told by the thread that waits."""
    paid: Mapping[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Calls to models that were made on the way."""
    untold: Mapping[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Those of them of which no event told."""


class Tool(Protocol):
    """Something that an agent can do."""

    spec: ToolSpec
    timeout: float
    """Seconds one call may take."""
    aliases: Mapping[str, str]
    """Older names of arguments that are still understood."""

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What it came to, with arguments that fit the schema. Whatever it raises is told to the model."""
        ...


@runtime_checkable
class OneByOne(Protocol):
    """A tool whose calls of one step are made one after the other, in order."""

    one_by_one: Literal[True]


@runtime_checkable
class GoesOn(Protocol):
    """A tool whose call that broke off is made again: it goes on behind what `Run.tape` has."""

    goes_on: Literal[True]


def first_line(tool: Tool) -> str:
    """What a tool can do, in one line."""
    return tool.spec.description.strip().split("\n")[0].strip() or tool.spec.name


def cut(text: str, language: str, most: int = MOST_TEXT) -> str:
    """`text`, its end replaced by a notice where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most]}\n" + say(language, "result_cut", most=most, whole=len(text))


@dataclass(frozen=True, slots=True)
class Job:
    """One call that is ready to be run."""

    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """The same call afterwards."""

    outcome: Outcome
    seconds: float


class Running:
    """Jobs under way, each in a thread of its own."""

    def __init__(self) -> None:
        self._landed: SimpleQueue[tuple[int, Done]] = SimpleQueue()
        self._waiting: dict[int, _Begun] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def start(self, key: int, job: Job, run: Run) -> None:
        """Begins a job, known by `key`."""
        begun = _Begun(job, run, clock.monotonic(), max(0.0, min(job.tool.timeout, run.left())))
        self._waiting[key] = begun

        def work() -> None:
            outcome = _run(job, run)
            self._landed.put((key, Done(outcome, clock.monotonic() - begun.at)))

        threading.Thread(target=work, name=f"tool-{job.tool.spec.name}", daemon=True).start()

    def next(self) -> tuple[int, Done]:
        """The key of the next job that ends, and what it came to.

        A tool whose time is over is answered for and left behind: a thread cannot be stopped, and ends with the
        process.
        """
        while True:
            key, begun = min(self._waiting.items(), key=lambda item: item[1].ends)
            try:
                landed, done = self._landed.get(timeout=max(0.0, begun.ends - clock.monotonic()))
            except Empty:
                del self._waiting[key]
                return key, begun.too_slow()
            if self._waiting.pop(landed, None) is not None:  # else it was left behind
                return landed, done


@dataclass(frozen=True, slots=True)
class _Begun:
    """A job under way."""

    job: Job
    run: Run
    at: float
    seconds: float

    @property
    def ends(self) -> float:
        """The moment until which it is waited for."""
        return self.at + self.seconds + _SLACK

    def too_slow(self) -> Done:
        name, seconds = self.job.tool.spec.name, f"{self.seconds:.3g}"
        text = say(self.run.language, "tool_too_slow", name=name, seconds=seconds)
        return Done(Outcome(text, ok=False), clock.monotonic() - self.at)


def _run(job: Job, run: Run) -> Outcome:
    try:
        return job.tool.run(job.arguments, run)
    except BaseException as error:  # also SystemExit: a tool does not end the run
        reason = f"{type(error).__name__}: {error}".strip()[:_MOST_REASON]
        return Outcome(say(run.language, "tool_failed", name=job.tool.spec.name, reason=reason), ok=False)
