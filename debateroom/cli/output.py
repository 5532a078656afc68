"""What a command leaves on stdout: the four things a person needs, or one JSON object. Errors go to stderr."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debateroom.errors import DebateroomError
from debateroom.interruption import Interrupted
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.activities import Outcome

JSON_LIMIT = 2000
"""Bytes the JSON object of a room may have: assistants read it, and their context costs money."""

_KEYS = (
    "ok", "exit_code", "room", "kind", "status", "outcome", "summary", "recommended_action", "sharpest_disagreement",
    "rounds_played", "agents", "effective_agents", "cost", "report", "transcript", "error", "hint",
)  # fmt: skip
_SHORTENED = ("summary", "recommended_action", "sharpest_disagreement", "error", "hint")


def line(text: str) -> None:
    """One line on stdout, in UTF-8 whatever the terminal's encoding: machines read it."""
    with _to_nobody():
        stream = sys.stdout
        stream.flush()
        if hasattr(stream, "buffer"):
            stream.buffer.write(text.encode() + b"\n")
            stream.buffer.flush()
        else:
            stream.write(text + "\n")


def tell(text: str) -> None:
    """Text for a person on stdout."""
    with _to_nobody():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def note(text: str) -> None:
    """One line on stderr. A stderr that is closed or full stops nothing: what is said there is only on the way."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(printable(text) + "\n")
        sys.stderr.flush()


@contextlib.contextmanager
def _to_nobody() -> Iterator[None]:
    """Writing to a reader who has gone is no failure: from then on it goes nowhere."""
    try:
        yield
    except BrokenPipeError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def finished(outcome: Outcome, *, as_json: bool) -> int:
    """Prints what a finished room came to; its exit code."""
    code = int(outcome.summary["exit_code"])
    if as_json:
        print_json(outcome.summary)
        return code
    from debateroom.language import say

    transcript = outcome.transcript
    final = transcript.final_output or {}
    language = transcript.language
    tell(say(language, f"verdict_{final.get('outcome')}") + " " + one_line(str(final.get("summary", "")), 4000))
    for key in ("recommended_action", "sharpest_disagreement"):
        text = printable(str(final.get(key, "")))
        tell("\n" + say(language, "labelled", label=say(language, key), text=text))
    tell("\n" + say(language, "labelled", label=say(language, "report"), text=outcome.report))
    tell(say(language, "labelled", label=say(language, "transcript"), text=outcome.chat))
    return code


def failed(error: DebateroomError, *, as_json: bool) -> int:
    """Says what went wrong and what to run next; the error's exit code."""
    note(f"debateroom: {error}")
    if error.hint:
        note(f"  next: {error.hint}")
    if as_json:
        ended = {"ok": False, "exit_code": error.exit_code, "error": str(error), "hint": error.hint}
        print_json(_room_of(error.room) | ended)
    return error.exit_code


def interrupted(stop: Interrupted, *, as_json: bool) -> int:
    """Says how to go on after Ctrl-C or SIGTERM, as the last line; 130 or 143."""
    again = _resume(stop.room)
    if as_json:
        ended = {"ok": False, "exit_code": stop.exit_code, "error": "interrupted", "hint": again}
        print_json(_room_of(stop.room) | ended)
    note(f"debateroom: interrupted; continue with: {again}" if again else "debateroom: interrupted")
    return stop.exit_code


def _resume(room: Path | None) -> str | None:
    if room is None:
        return None
    from debateroom.room.room import resume_command

    return resume_command(room)


def _room_of(room: Path | None) -> dict[str, Any]:
    """What the room in which it happened came to; empty where there is none."""
    if room is None:
        return {}
    from debateroom.room.room import read
    from debateroom.room.summary import summarize

    try:
        found = summarize(room, read(room))
        return found | ({"status": "failed"} if found["status"] == "running" else {})
    except DebateroomError:
        return {}


def print_json(value: Mapping[str, Any]) -> None:
    """One line, all keys present, long texts shortened until it is under the limit."""
    from debateroom import files

    whole: dict[str, Any] = {key: value.get(key) for key in _KEYS}
    for key in _SHORTENED:
        if isinstance(whole[key], str):
            whole[key] = one_line(whole[key], 600)
    data = files.dumps(whole)
    while len(data) > JSON_LIMIT:
        longest = max((key for key in _SHORTENED if whole[key]), key=lambda key: len(whole[key]), default=None)
        if longest is None or len(whole[longest]) < 40:
            break
        whole[longest] = one_line(whole[longest], len(whole[longest]) * 4 // 5)
        data = files.dumps(whole)
    line(data.decode())
