"""`debateroom decisions`: what was decided in a run and what was permitted, in order, each with its evidence."""

from __future__ import annotations

import click

from debateroom.cli import output, place


@click.command("decisions", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of text.")
def decisions(room: str | None, active: str | None, as_json: bool) -> int:
    """List the decisions in ROOM and the answers to tools that asked for permission, in the order they came."""
    from dataclasses import asdict

    from debateroom import files
    from debateroom.cli import card
    from debateroom.language import say
    from debateroom.playbooks.looking import look

    folder = place.coordinator(room, active)
    live = look(folder)
    if live.damage:
        output.note(live.damage)
    if as_json:
        output.line(files.dumps([asdict(each) for each in live.decisions]).decode())
        return 0
    for each in live.decisions:
        output.tell(card.decided(live.language, each))
    if not live.decisions:
        output.note(say(live.language, "no_decisions", room=folder.name))
    return 0
