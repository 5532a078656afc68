"""`debateroom record`: notes a decision in the run that the caller coordinates."""

from __future__ import annotations

from typing import Any

import click

from debateroom.cli import output, place


@click.command("record", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--what", required=True, metavar="TEXT", help="What was done or decided, in a sentence.")
@click.option("--why", required=True, metavar="TEXT", help="Why, in a sentence.")
@click.option("--evidence", required=True, metavar="LINK|PATH", help="Exactly one http(s) link or one path.")
@click.option("--outcome", required=True, metavar="OUTCOME", help="ok, failed or skipped.")
@click.option(
    "--step", type=int, metavar="N", help="The step it settles, 1 to 3; without, it is in the journal only."
)
@click.option("--room", metavar="NAME", help="The run's room.  [default: the project's coordinator's]")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def record(room: str | None, active: str | None, as_json: bool, **given: Any) -> int:
    """Note a decision with its evidence in the run that you coordinate (debateroom playbook start).

    A path has to exist in the project; the SHA-256 of a file is kept beside it.
    """
    from dataclasses import asdict

    from debateroom import coordinating, files
    from debateroom.cli import card
    from debateroom.playbooks.live import LiveDecision
    from debateroom.room.room import read

    folder = place.coordinated(room, active)
    made = coordinating.note(folder, **given)
    if as_json:
        output.line(files.dumps({"ok": True, "room": str(folder.resolve()), **asdict(made)}).decode())
    else:
        shown = LiveDecision("", made.what, made.why, made.evidence, made.outcome, made.step)
        output.tell(card.decided(read(folder).transcript.language, shown))
    return 0
