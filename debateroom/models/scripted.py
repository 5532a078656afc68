"""`scripted:PATH`: a model whose replies come from a file, so that tests, examples and demos need no key."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import count
from pathlib import Path

from debateroom import clock
from debateroom.errors import CallFailed, Wording
from debateroom.language import worded
from debateroom.messages import Answer, OnText, Request, ToolCall
from debateroom.models.script import Cue, Line, Script, read

PIECE = 24
"""Characters handed to `on_text` at a time."""


class ScriptedModel:
    """Answers by seat and round from a file; its format is described in `script`."""

    def __init__(self, name: str, path: Path) -> None:
        """Reads the file at once. Raises UsageError when it is missing or broken."""
        self._script: Script = read(path)
        self.name = name
        self.vendor = self._script.vendor
        self.window = self._script.window
        self.moderates = self._script.moderates
        self._given: Counter[Cue] = Counter()
        self._numbers = count(1)
        self._counting = threading.Lock()  # protects both: seats are asked from many threads
        self._closed = threading.Event()

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The reply that the file has for this call. Raises CallFailed when it has none, or an error in its place."""
        started = clock.monotonic()
        line = self._next(request)
        if line.error is not None:
            self._wait(min(line.seconds, request.timeout))
            raise CallFailed(line.error)
        self._speak(line, request.timeout, on_text)
        calls = self._calls(line)
        finish = "tools" if calls else line.finish
        return Answer(line.text, line.usage, finish, self.name, clock.monotonic() - started, calls=calls)

    def close(self) -> None:
        """Ends every wait at once."""
        self._closed.set()

    def _next(self, request: Request) -> Line:
        cue = _cue(request)
        lines = self._script.matching(cue)
        if lines is None:
            raise CallFailed(f"The script {self._script.path} has no reply for {_spoken(cue)}.")
        with self._counting:
            turn = max(self._given[cue], _steps(request))
            self._given[cue] = turn + 1
        return lines[min(turn, len(lines) - 1)]

    def _calls(self, line: Line) -> tuple[ToolCall, ...]:
        with self._counting:
            return tuple(ToolCall(f"call_{next(self._numbers)}", each.name, each.arguments) for each in line.calls)

    def _speak(self, line: Line, timeout: float, on_text: OnText | None) -> None:
        pieces = [line.text[start : start + PIECE] for start in range(0, len(line.text), PIECE)]
        pause = min(line.seconds, timeout) / (len(pieces) or 1)
        for piece in pieces or [""]:
            self._wait(pause)
            if on_text is not None and piece:
                on_text(piece)
        if line.seconds > timeout:
            raise worded(CallFailed, Wording("fault_no_answer", {"seconds": f"{timeout:g}"}), cause="timeout")

    def _wait(self, seconds: float) -> None:
        if seconds > 0 and self._closed.wait(seconds):
            raise CallFailed("The model was closed while it answered.")


def _steps(request: Request) -> int:
    """Replies to this call that are over: those that asked for tools, also before a run that broke off."""
    steps = 0
    for turn in request.turns:
        steps = 0 if turn.role == "user" else steps + bool(turn.calls)
    return steps


def _cue(request: Request) -> Cue:
    purpose = request.purpose
    return Cue("seat") if purpose is None else Cue(purpose.call, purpose.agent, purpose.round)


def _spoken(cue: Cue) -> str:
    """The call in words: `the reply of Agent A in round 2`."""
    who = {"seat": cue.agent or "a seat", "repair": f"the repair of {cue.agent or 'a seat'}"}.get(
        cue.call, f"the {cue.call}"
    )
    return f"{who} in round {cue.round}" if cue.round else who
