"""Permission for tools that change something: of a person or settled beforehand, and a receipt for each."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from typing import Any

from debateroom import clock, files
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


class Guarded:
    """A tool that is run only with permission."""

    def __init__(self, tool: Tool, desk: Desk) -> None:
        self.spec = tool.spec
        self.aliases = tool.aliases
        self.timeout = tool.timeout + (PATIENCE if desk.plan.task.approve == "ask" else 0.0)
        self._tool = tool
        self._desk = desk

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What the tool came to, or that it was not run. A receipt says who answered what."""
        written = files.dumps(arguments)
        shown = visible(without_keys(written.decode()))
        approved, by = self._answer(shown, min(PATIENCE, run.left()))
        self._keep(written, shown=shown, approved=approved, by=by)
        if approved:
            return self._tool.run(arguments, run)
        reason = say(run.language, _DENIED[by])
        return Outcome(say(run.language, "denied", name=self.spec.name, reason=reason), ok=False, executed=False)

    def _answer(self, shown: str, seconds: float) -> tuple[bool, str]:
        """Whether it may run, and who says so: `always`, `never`, a `person`, `nobody`, or `long`: too
        long to be shown whole."""
        approve = self._desk.plan.task.approve
        if approve != "ask":
            return approve == "always", approve
        if len(shown) > _SHOWN:
            return False, "long"
        said = self._desk.asked(self.spec.name, shown, seconds)
        return bool(said), "nobody" if said is None else "person"

    def _keep(self, written: bytes, *, shown: str, approved: bool, by: str) -> None:
        """Writes the receipt into its file, then into the journal: the whole call, with its length and hash."""
        receipt = {
            "uuid": str(uuid.uuid4()),
            "tool": self.spec.name,
            "shown": shown,
            "sha256": hashlib.sha256(written).hexdigest(),
            "length": len(written),
            "answer": "approved" if approved else "denied",
            "by": by,
        }
        path = self._desk.room.folder / FILE

        def write() -> None:
            log = AppendLog(path)
            try:
                log.append([{"at": clock.now().isoformat(), **receipt}])
            finally:
                log.close()
            self._desk.room.write(event("approval_answered", **receipt))

        self._desk.tell(write)
