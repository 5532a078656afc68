"""What a command leaves on stdout: the four things a person needs, or one JSON object. Errors go to stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """One line on stderr."""
    click.echo(printable(text), err=True)


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
    click.echo(printable(str(final.get("summary", ""))))
    for key in ("recommended_action", "sharpest_disagreement"):
        click.echo(f"\n{say(language, key)}: {printable(str(final.get(key, '')))}")
    click.echo(f"\n{say(language, 'report')}: {outcome.report}")
    click.echo(f"{say(language, 'transcript')}: {outcome.chat}")
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
        return summarize(room, read(room))
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
