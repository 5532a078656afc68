"""`debateroom status`: how a room is getting on, without disturbing it."""

from __future__ import annotations

import click

from debateroom.cli import output, place
from debateroom.terminal import printable


@click.command("status", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def status(room: str | None, active: str | None, as_json: bool) -> int:
    """Say how ROOM is getting on: running, finished, interrupted or failed, and what came of it so far."""
    from debateroom.room.summary import look

    value = look(place.folder(room, active))
    if as_json:
        output.print_json(value)
        return 0
    click.echo(f"{value['room']}: {value['status']}, {value['rounds_played']} rounds played")
    for key in ("outcome", "summary", "error", "hint"):
        if value[key]:
            click.echo(printable(f"{key}: {value[key]}"))
    return 0
