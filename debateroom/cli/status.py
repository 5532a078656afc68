"""`debateroom status`: how a room is getting on, without disturbing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from debateroom.cli import output, place, states
from debateroom.terminal import printable


@click.command("status", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def status(room: str | None, active: str | None, as_json: bool) -> int:
    """Say how ROOM is getting on: running, finished, interrupted or failed, and what came of it so far.

    Ends with 0 whenever the room can be read; else it is unreadable. The object's `ok` and `exit_code` are those of
    the room's run; while it is running, `ok` is true and `exit_code` is null.
    """
    from debateroom.room.room import read
    from debateroom.room.summary import UNREADABLE, look

    folder = place.folder(room, active)
    value = look(folder)
    unreadable = value["status"] == UNREADABLE
    if as_json:
        output.print_json(value)
    else:
        _show(value, "en" if unreadable else read(folder).transcript.language)
    return value["exit_code"] if unreadable else 0


def _done(value: Mapping[str, Any], language: str) -> str:
    """How far the room is: its rounds, or the trials of an evaluation."""
    from debateroom.language import say

    figures = value.get("figures")
    if figures is None:
        return say(language, "rounds_played", count=value["rounds_played"])
    done = figures["trials"] - figures.get("errors", 0)  # those that broke are still to be played
    return say(language, "trials_ended", done=done, count=figures["planned"])


def _show(value: Mapping[str, Any], language: str) -> None:
    """The room in a few lines, in the language of its debate."""
    from debateroom.language import say

    told = {"status": states.status(language, value["status"]), "done": _done(value, language)}
    output.tell(printable(say(language, "status_line", room=value["room"], **told)))
    if value["summary"]:
        output.tell(printable(output.verdict(language, value["outcome"], value["summary"])))
    for label, key in (("problem_label", "error"), ("next_label", "hint")):
        if value[key] and value[key] != "interrupted":  # that is what the first line says
            output.tell(printable(say(language, "labelled", label=say(language, label), text=value[key])))
