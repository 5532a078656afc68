"""What a tool is to the loop, and several of them run at once. What a tool raises, a model reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from debateroom import clock
from debateroom.agents.agent import ToolRecord
from debateroom.agents.aside import TOOL_THREAD, aside
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
    again: bool = True
    """Whether the model may call this tool once more for the same answer."""
    records: tuple[ToolRecord, ...] = ()
    """Tools that were executed on the way."""
    events: tuple[Mapping[str, Any], ...] = ()
    """What happened on the way, to be told by the thread that waits."""
    paid: Mapping[str, tuple[Paid, ...]] = field(default_factory=dict)
    """Calls to models that were made on the way."""


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


class AtOnce(Tool):
    """A tool that comes back at once. Those of one answer are run in their order, while the others work."""


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


def run_all(jobs: Sequence[Job], run: Run) -> list[Done]:
    """What the jobs came to, in their order. They run at the same time, each in a thread of its own.

    A tool whose time is over is answered for and left behind: a thread cannot be stopped, and ends with the process.
    """
    with aside():
        return [wait() for wait in [_started(job, run) for job in jobs]]


def _started(job: Job, run: Run) -> Callable[[], Done]:
    began = clock.monotonic()
    if isinstance(job.tool, AtOnce):
        now = Done(_run(job, run), clock.monotonic() - began)
        return lambda: now
    seconds = max(0.0, min(job.tool.timeout, run.left()))
    done: list[Done] = []

    def work() -> None:
        outcome = _run(job, run)
        done.append(Done(outcome, clock.monotonic() - began))

    def wait() -> Done:
        thread.join(max(0.0, began + seconds + _SLACK - clock.monotonic()))
        if done:
            return done[0]
        text = say(run.language, "tool_too_slow", name=job.tool.spec.name, seconds=f"{seconds:.3g}")
        return Done(Outcome(text, ok=False), clock.monotonic() - began)

    thread = threading.Thread(target=work, name=f"{TOOL_THREAD}{job.tool.spec.name}", daemon=True)
    thread.start()
    return wait


def _run(job: Job, run: Run) -> Outcome:
    try:
        return job.tool.run(job.arguments, run)
    except BaseException as error:  # also SystemExit: a tool does not end the run
        reason = f"{type(error).__name__}: {error}".strip()[:_MOST_REASON]
        return Outcome(say(run.language, "tool_failed", name=job.tool.spec.name, reason=reason), ok=False)
