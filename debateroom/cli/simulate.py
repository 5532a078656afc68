"""`debateroom simulate`: a simulated person against an agent, with a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import stdout, talk
from debateroom.cli.output import note
from debateroom.language import say
from debateroom.terminal import printable

if TYPE_CHECKING:
    from debateroom.dialogue.plan import Job
    from debateroom.dialogues import Cast
    from debateroom.models.registry import Models
    from debateroom.settings import Settings


@click.command(
    "simulate",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 passed, 3 failed or inconclusive, 1 the run broke (an agent that crashes is no failed "
    "agent), 2 usage, 4 no model, 6 room busy, 7 budget, 124 time.",
)
@click.argument("scenario")
@click.option(
    "--persona", metavar="WHO", help="patient, hurried, angry, or a text.  [default: the scenario's, else patient]"
)
@click.option("--room", metavar="NAME", help="Name of the room.  [default: simulation]")
@talk.with_options
def simulate(scenario: str, *, persona: str | None, **given: Any) -> int:
    """Play the person of SCENARIO (YAML or JSON) against an agent, and judge whether its goals are reached.

    The scenario holds persona, goals and result; also opening, equivalences, expected_tools, instructions, before.
    """
    from debateroom import dialogues
    from debateroom.dialogue import scenario as scenarios

    stdout.take()  # its hook is imported to see that it is there
    read = scenarios.read(Path(scenario))

    def cast(job: Job, chosen: Settings, models: Models, agent: str) -> Cast:
        made = dialogues.cast_simulation(read, job, chosen, models, agent)
        if missing := dialogues.without_tool(made):
            note(printable(say(made.plan.language, "no_such_tools", agent=made.agent.name, names=", ".join(missing))))
        return made

    return talk.run(given, cast, persona=persona, folder=str(Path(scenario).resolve().parent))
