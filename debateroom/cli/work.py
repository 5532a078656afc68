"""`debateroom work`: a worker drives an agent towards a deliverable for a user who is away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import talk

if TYPE_CHECKING:
    from debateroom.dialogue.plan import Job
    from debateroom.dialogues import Cast
    from debateroom.models.registry import Models
    from debateroom.settings import Settings


@click.command(
    "work",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="The deliverable goes to stdout and to deliverable.md in the room, the rest to stderr. Exit codes: "
    "0 delivered, 3 partial or refused, 1 the run broke, 2 usage, 4 no model, 6 room busy, 7 budget, 124 time.",
)
@click.argument("mission")
@click.option("--brief", required=True, metavar="POSITION.md", help="The worker's position, read up to -- END --.")
@click.option("--result-persona", metavar="TEXT", help="Style of the deliverable.  [default: clear, for the client]")
@click.option("--room", metavar="NAME", help="Name of the room.  [default: work]")
@click.option("--parent", default="", hidden=True, help="The uuid of the coordinator's run that this is a part of.")
@talk.with_options
def work(mission: str, *, brief: str, result_persona: str | None, parent: str, **given: Any) -> int:
    """Have a worker carry out MISSION by driving an agent, one request at a time.

    An explicit intent in MISSION is its goal; else the activity of the brief whose Trigger fits best.
    """
    from debateroom import dialogues
    from debateroom.dialogue import scenario as scenarios

    position = scenarios.read_text(Path(brief), "brief")

    def cast(job: Job, chosen: Settings, models: Models, agent: str) -> Cast:
        return dialogues.cast_work(mission, position, job, chosen, models, agent)

    return talk.run(given, cast, persona=result_persona, parent=parent)
