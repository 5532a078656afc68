"""What the page's three buttons do: each is a command of our own, run as a process with a list of arguments."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debateroom.doors.commands import call
from debateroom.terminal import one_line


@dataclass(frozen=True, slots=True)
class Said:
    """What a command came to."""

    ok: bool
    text: str
    """Its first line, for people, and behind what went wrong the next command."""


@dataclass(frozen=True, slots=True)
class Acts:
    """The three commands."""

    active: Path
    agent: str | None
    """The coordinator that *start* starts; None: there is none, and nothing is started."""
    folder: Path
    """Where the commands are run: where the page was opened."""

    def start(self, playbook: str, goal: str) -> Said:
        """Starts a playbook in the background; when it is started, its card says the rest."""
        if self.agent is None:
            return Said(False, "serve --agent AGENT")
        words = ["playbook", "run", "--agent", self.agent, "--detach", "--active", str(self.active)]
        words += ["--goal", goal] if goal else []
        said = self._run([*words, "--", playbook])
        return Said(True, "") if said.ok else said

    def stop(self, room: Path) -> Said:
        """Stops the run in a room; it can be resumed."""
        return self._run(["stop", "--active", str(self.active), "--", str(room)])

    def wake(self, room: Path) -> Said:
        """Calls the workspace's webhook about a room."""
        return self._run(["wake", "send", "--active", str(self.active), "--", str(room)])

    def _run(self, words: Sequence[str]) -> Said:
        try:
            code, out, err = call(words, self.folder)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Said(False, type(error).__name__)
        lines = [line for line in (err or out).splitlines() if line.strip()]
        said = lines[:1] if code == 0 else lines[:2]  # what went wrong, and the next command
        return Said(code == 0, one_line(" · ".join(line.strip() for line in said), 300))
