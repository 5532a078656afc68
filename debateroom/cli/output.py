"""What a command leaves on stdout: the four things a person needs, or one JSON object. Errors go to stderr."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debateroom.cli import stdout
from debateroom.errors import DebateroomError, RoomBusy, RoomError
from debateroom.interruption import Interrupted
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.messages import Transcript

LONGEST = 4000
"""Characters of one of the texts that a person gets on standard output; the whole is in the report."""


def line(text: str) -> None:
    """One line on stdout, in UTF-8 whatever the terminal's encoding: machines read it."""
    with _while_read():
        stream = stdout.stream()
        stream.flush()
        if hasattr(stream, "buffer"):
            stream.buffer.write(text.encode() + b"\n")
            stream.buffer.flush()
        else:
            stream.write(text + "\n")


def tell(text: str) -> None:
    """Text for a person on stdout."""
    with _while_read():
        stream = stdout.stream()
        stream.write(text + "\n")
        stream.flush()


def note(text: str) -> None:
    """One line on stderr, nothing in it that looks like a key.

    A stderr that is closed or full stops nothing: what is said there is only on the way.
    """
    from debateroom.models.quote import scrub

    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(printable(scrub(text)) + "\n")
        sys.stderr.flush()


def moved(language: str, event: Mapping[str, Any]) -> str:
    """The line about an earlier run that a `moved_aside` event tells of: what is kept, and the command for it."""
    from debateroom.language import say

    return say(language, "kept_line" if event.get("finished") else "moved_line", command=event["hint"])


def to_nobody() -> None:
    """From now on what is written to standard output goes nowhere: it cannot be written, or nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.stream().fileno())


@contextlib.contextmanager
def _while_read() -> Iterator[None]:
    """Writing to a reader who has gone is no failure: from then on it goes nowhere."""
    try:
        yield
    except BrokenPipeError:
        to_nobody()


class Unwritable(DebateroomError):
    """Standard output cannot be written. The room is finished on disk."""


def finished(outcome: Outcome, *, as_json: bool) -> int:
    """Prints what a finished room came to; its exit code. Raises Unwritable."""
    from debateroom.room.room import command

    _note_problem(outcome.summary["error"], outcome.summary["hint"], outcome.transcript.language)
    try:
        if as_json:
            print_json(outcome.summary)
        else:
            _tell_outcome(outcome)
    except OSError as error:
        reason = f"standard output cannot be written: {error.strerror or error}"
        raise Unwritable(reason, hint=command("status", outcome.folder)) from error
    return int(outcome.summary["exit_code"])


def _tell_outcome(outcome: Outcome) -> None:
    """The four things a person needs."""
    from debateroom.language import say
    from debateroom.room.played import EVALUATION

    if outcome.transcript.kind == "playbook":
        from debateroom.cli import playbook

        playbook.tell(outcome)
        return
    if outcome.transcript.kind in ("simulation", "work"):
        from debateroom.cli import talk

        talk.tell(outcome)
        return
    if outcome.transcript.kind == EVALUATION:
        from debateroom.cli import trials

        trials.tell(outcome)
        return
    if outcome.transcript.kind == "arena":
        from debateroom.cli import arena

        arena.tell(outcome)
        return
    language = outcome.transcript.language
    if outcome.summary["brief"]:
        tell(say(language, "host_waits") + "\n")
        tell(say(language, "labelled", label=say(language, "brief"), text=outcome.summary["brief"]))
    else:
        _tell_answer(outcome.transcript)
    tell("\n" + say(language, "labelled", label=say(language, "report"), text=outcome.report))
    tell(say(language, "labelled", label=say(language, "transcript"), text=outcome.chat))


def _tell_answer(transcript: Transcript) -> None:
    """What was concluded, each thing on one line: a line of a model's cannot pass for one of ours."""
    from debateroom.language import say
    from debateroom.room.summary import paragraph

    final, language = transcript.final_output or {}, transcript.language
    tell(verdict(language, final.get("outcome"), paragraph(transcript)))
    if final.get("decision"):
        from debateroom.report import decision

        tell(one_line(decision.headline(transcript), LONGEST))
    for key in ("recommended_action", "sharpest_disagreement"):
        if key not in final:  # it is no debate's
            continue
        text = one_line(str(final[key]), LONGEST)
        tell("\n" + say(language, "labelled", label=say(language, key), text=text))


def verdict(language: str, outcome: object, summary: str) -> str:
    """The outcome and the paragraph about it, on one line; a final output from elsewhere may name no outcome."""
    from debateroom.language import say

    told = one_line(summary, LONGEST)
    try:
        return say(language, "verdict_line", verdict=say(language, f"verdict_{outcome}"), summary=told)
    except KeyError:
        return told


def _note_problem(error: str | None, hint: str | None, language: str) -> None:
    from debateroom.language import say

    if error is not None:
        note(f"debateroom: {error}")
    if hint:
        note(say(language, "next_line", command=hint))


def failed(error: DebateroomError, *, as_json: bool) -> int:
    """Says what went wrong and what to run next; the error's exit code."""
    _note_problem(str(error), error.hint, error.language)
    if as_json:
        found = _room_of(error.room)
        if found.get("status") == "running" and not isinstance(error, RoomBusy):
            found["status"] = "failed"  # and on a full disk the journal could not say so
        ended = {"ok": False, "exit_code": error.exit_code, "error": str(error), "hint": error.hint}
        print_json(found | ended)
    elif isinstance(error, RoomError):
        _tell_what_is_there(error.room)
    return error.exit_code


def _tell_what_is_there(room: Path | None) -> None:
    """The answer of a room whose files could not be written: it was paid for, and is in the journal."""
    if room is None:
        return
    from debateroom.room.played import EVALUATION
    from debateroom.room.room import read

    with contextlib.suppress(DebateroomError, OSError):
        transcript = read(room).transcript
        if transcript.final_output and transcript.kind in ("simulation", "work"):
            from debateroom.cli import talk

            talk.tell_answer(transcript)
        elif transcript.final_output and transcript.kind == EVALUATION:
            from debateroom.cli import trials

            trials.tell_figures(transcript)
        elif transcript.final_output:
            _tell_answer(transcript)


def interrupted(stop: Interrupted, *, as_json: bool, typed: str | None = None) -> int:
    """Says how to go on after Ctrl-C or SIGTERM, as the last line; 130 or 143.

    `typed` is the command to give again where it had not come to its room yet.
    """
    again = typed
    said = f"debateroom: interrupted; continue with: {typed}" if typed else "debateroom: interrupted"
    if stop.room is not None:
        from debateroom.language import say
        from debateroom.room.room import command

        again = command("resume", stop.room)
        said = say(_language(stop.room), "interrupted_line", command=again)
    if as_json:
        ended = {"ok": False, "exit_code": stop.exit_code, "error": "interrupted", "hint": again}
        found = _room_of(stop.room)
        if found.get("status") in (None, "running"):
            found["status"] = "interrupted"  # on a full disk the journal could not say so
        print_json(found | ended)
    note(said)
    return stop.exit_code


def _language(room: Path) -> str:
    """The language that a room speaks; English where its journal cannot be read."""
    from debateroom.room.room import read

    try:
        return read(room).transcript.language
    except DebateroomError:
        return "en"


def _room_of(room: Path | None) -> dict[str, Any]:
    """What the room in which it happened came to; empty where there is none, its path where it cannot be read."""
    if room is None:
        return {}
    from debateroom.room.room import read
    from debateroom.room.summary import summarize

    try:
        return summarize(room, read(room))
    except DebateroomError:
        return {"room": str(room.resolve())}


def print_json(value: Mapping[str, Any]) -> None:
    """One line: the object of a room, short enough for an assistant."""
    from debateroom import files
    from debateroom.room.summary import shortened

    line(files.dumps(shortened(value)).decode())
