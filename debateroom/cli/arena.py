"""`debateroom arena`: models do one task, and a judge of another maker compares what they wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import options, output, questions, seated, stdout
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.activities import Outcome

_OPTIONS = (
    click.option("--seat", multiple=True, metavar="NAME", help="Model of a seat: opus, PROVIDER:MODEL …; repeat."),
    click.option(
        "-r",
        "--rounds",
        type=int,
        default=0,
        metavar="R",
        help="Rounds of debate; 0: each alone.  [default: 0]",
    ),
    click.option("--language", metavar="LANG", help="en, fr or zh.  [default: the task's]"),
)


@click.command(
    "arena",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="The judge does not see who wrote what, and judges every two answers in both orders. Exit codes: 0 a "
    "winner or a tie, 2 usage (a judge of a seat's maker, too), 3 no verdict, 4 no model, 5 too few answers, 6 room "
    "busy, 7 budget, 124 time.",
)
@click.argument("task", nargs=-1)
@options.taking(
    *(*_OPTIONS, *options.JUDGED, *options.GIVEN),
    *(options.room("arena"), *options.LIMITS, *options.SHOWN),
)
def arena(task: tuple[str, ...], *, seat: tuple[str, ...], rounds: int, **given: Any) -> int:
    """Have the models of several seats do TASK, and a judge of another maker say which did it best.

    Without TASK, or with -, it is read from standard input. Leaves chat.json and chatroom_report.md in the room.
    """
    from debateroom import settings
    from debateroom.debating import arena as arenas
    from debateroom.language import detect_language

    stdout.take()
    start = seated.taken(given)
    chosen = settings.load(given)
    asked = questions.read("arena", task, chosen)
    if not start.shown.quiet:
        language = detect_language(asked.text) if chosen.language == "auto" else chosen.language
        questions.say_context(asked.context, start.shown.verbose, language)
    return seated.run(
        lambda models: arenas.make(asked.text, seat, chosen, asked.context, models, rounds=rounds), chosen, start
    )


def tell(outcome: Outcome) -> None:
    """The verdict, how each seat did, and where the files are."""
    from debateroom.language import say
    from debateroom.report import decision
    from debateroom.room.summary import paragraph

    transcript = outcome.transcript
    language, final = transcript.language, transcript.final_output or {}
    output.tell(output.verdict(language, final.get("outcome"), paragraph(transcript)))
    for text in decision.standings(transcript):
        output.tell(one_line(text, output.LONGEST))
    output.tell("\n" + say(language, "labelled", label=say(language, "report"), text=outcome.report))
    output.tell(say(language, "labelled", label=say(language, "transcript"), text=outcome.chat))
