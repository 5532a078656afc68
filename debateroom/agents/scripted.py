"""`scripted:PATH` as an agent: its replies, the tools it says it executed and its state come from the file."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from debateroom import clock
from debateroom.agents.agent import Answered, OnEvent
from debateroom.agents.outside import ends_at, garbage, read_records
from debateroom.errors import AgentFailed
from debateroom.messages import CALL_SECONDS, Turn
from debateroom.models.script import Cue, Line, Script, read


class ScriptedAgent:
    """Answers turn N with the reply to `agent` in round N (the format: `models/script`).

    A call with a `result` in the file is a tool that was executed; one without was only asked for.
    """

    capabilities: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    def __init__(self, name: str, path: Path, *, stop: threading.Event, call_timeout: float = CALL_SECONDS) -> None:
        """Reads the file at once. Raises UsageError when it is missing or broken."""
        self.name = name
        self.model = f"scripted:{path}"
        self._script: Script = read(path)
        self._stop = stop
        self._call_timeout = call_timeout
        self._given: Counter[int] = Counter()

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """The reply to the last turn. Raises AgentFailed when the file has an error there or nothing, or is slow."""
        began = clock.monotonic()
        line = self._next(sum(turn.role == "user" for turn in said))
        left = ends_at(began, self._call_timeout, until) - began
        stopped = self._stop.wait(max(0.0, min(line.seconds, left)))
        if line.seconds > left or stopped:
            why = "the run was stopped" if stopped else f"no answer within {left:.3g} s"
            raise AgentFailed(f"The agent {self.name} gave no answer: {why}.")
        if line.error is not None:
            raise AgentFailed(f"The agent {self.name} failed: {line.error}")
        if not line.text.strip():
            raise garbage(self.name, "its answer has no text")
        calls = [
            {"name": call.name, "arguments": call.arguments, "result": call.result, "ok": call.ok}
            for call in line.calls
        ]
        tools = read_records(calls, agent=self.name)
        return Answered(
            text=line.text,
            tools=tools,
            state=line.state,
            usage=line.usage,
            model=self.model,
            seconds=clock.monotonic() - began,
            stop_reason=line.finish,
        )

    def close(self) -> None:
        """Nothing to end."""

    def _next(self, turn: int) -> Line:
        lines = self._script.matching(Cue("seat", self.name, turn))
        if lines is None:
            raise AgentFailed(f"The script {self._script.path} has no reply of {self.name} in turn {turn}.")
        self._given[turn] += 1
        return lines[min(self._given[turn], len(lines)) - 1]
