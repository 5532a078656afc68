"""Permission for tools that change something: of a person or settled beforehand, and a receipt for each."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from debateroom import clock, files
from debateroom.agents.load import Guard
from debateroom.agents.run import Run
from debateroom.agents.tools import Outcome, Tool
from debateroom.files import AppendLog
from debateroom.models.quote import without_keys
from debateroom.playbooks.desk import Desk
from debateroom.playbooks.wording import say
from debateroom.room.room import event
from debateroom.terminal import visible

FILE = "receipts.jsonl"
PATIENCE = 600.0
"""Seconds that a person has to answer, beside the tool's own."""
_SHOWN = 2_000
"""Characters of a call's arguments that a person is shown: one with more is denied, nobody approves a part."""
_DENIED = {"never": "denied_never", "person": "denied_person", "nobody": "denied_nobody", "long": "denied_long"}


class Answer(NamedTuple):
    """Whether a tool may run."""

    approved: bool
    by: str
    """Who says so: `always`, `never`, a `person`, `nobody`, or `long`: too long to be shown whole."""


Permit = Callable[[str, Mapping[str, Any], float], Answer]
"""Whether a tool may be called with its arguments, said within so many seconds."""


class Guarded:
    """A tool that is run only with permission, which may take `patience` seconds."""

    def __init__(self, tool: Tool, permit: Permit, *, patience: float = PATIENCE) -> None:
        self.spec = tool.spec
        self.aliases = tool.aliases
        self.timeout = tool.timeout + patience
        self._tool = tool
        self._permit = permit

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What the tool came to, or that it was not run."""
        answer = self._permit(self.spec.name, arguments, min(PATIENCE, run.left()))
        return self._tool.run(arguments, run) if answer.approved else denied(run.language, self.spec.name, answer)


def guard(desk: Desk) -> Guard:
    """What makes a coordinator's tool that acts one which runs only with permission; each answer is a receipt."""
    patience = PATIENCE if desk.plan.task.approve == "ask" else 0.0
    return lambda tool: Guarded(tool, partial(ask, desk), patience=patience)


def ask(desk: Desk, tool: str, arguments: Mapping[str, Any], seconds: float, *, worker: str = "") -> Answer:
    """Whether `tool` may be called with `arguments`, of the coordinator or, in the room `worker`, of a worker.

    The answer is kept as a receipt.
    """
    written = files.dumps(arguments)
    shown = visible(without_keys(written.decode()))
    answer = _answer(desk, named(tool, worker), shown, clock.monotonic() + seconds)
    _keep(desk, written, {"tool": tool, "worker": worker, "shown": shown}, answer)
    return answer


def named(tool: str, worker: str) -> str:
    """A tool as people are told of it, behind the worker's room when it is a worker's."""
    return f"{worker}: {tool}" if worker else tool


def denied(language: str, tool: str, answer: Answer) -> Outcome:
    """What a model is told whose tool was not run."""
    reason = say(language, _DENIED[answer.by])
    return Outcome(say(language, "denied", name=tool, reason=reason), ok=False, executed=False)


def _answer(desk: Desk, tool: str, shown: str, until: float) -> Answer:
    approve = desk.plan.task.approve
    if approve != "ask":
        return Answer(approve == "always", approve)
    if len(shown) > _SHOWN:
        return Answer(False, "long")
    said = desk.asked(tool, shown, until)
    return Answer(bool(said), "nobody" if said is None else "person")


def _keep(desk: Desk, written: bytes, told: Mapping[str, str], answer: Answer) -> None:
    """Writes the receipt into its file, then into the journal: the whole call, with its length and hash."""
    receipt = {
        "uuid": str(uuid.uuid4()),
        **told,
        "sha256": hashlib.sha256(written).hexdigest(),
        "length": len(written),
        "answer": "approved" if answer.approved else "denied",
        "by": answer.by,
    }

    def write() -> None:
        log = AppendLog(desk.room.folder / FILE)
        try:
            log.append([{"at": clock.now().isoformat(), **receipt}])
        finally:
            log.close()
        desk.room.write(event("approval_answered", **receipt))

    desk.tell(write)
