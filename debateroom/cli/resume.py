"""`debateroom resume`: an unfinished room goes on with the settings it was started with."""

from __future__ import annotations

import click

from debateroom.cli import output, place, progress


@click.command("resume", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--events", is_flag=True, help="Print the events as JSON lines, the object of --json last.")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
def resume(room: str | None, active: str | None, as_json: bool, events: bool, quiet: bool) -> int:
    """Continue ROOM (a name below active/, or a folder) where it stopped. No finished call is repeated."""
    from debateroom import activities

    folder = place.folder(room, active)
    if activities.is_finished(folder):
        output.note(f"the room {folder} is finished; nothing was asked again")
    shown = progress.make(quiet=quiet, events=events)
    try:
        outcome = activities.resume(folder, shown.on_event, shown.on_progress)
    finally:
        shown.close()
    return output.finished(outcome, as_json=as_json or events)
