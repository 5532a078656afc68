"""`debateroom debate`, the main job: a question in, a debate, a report out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import options, output, questions, seated, stdout
from debateroom.errors import UsageError, VagueQuestion

if TYPE_CHECKING:
    from debateroom.context import Context
    from debateroom.debating.plan import Plan
    from debateroom.models.registry import Models
    from debateroom.settings import Settings

SEATS = (
    click.option("-n", "--agents", type=int, metavar="N", help="Seats in the room.  [default: 3]"),
    click.option("-r", "--rounds", type=int, metavar="R", help="Rounds at most.  [default: 3]"),
    click.option(
        "--model", metavar="NAME", help="opus, sonnet, haiku, gpt, embedded, PROVIDER:MODEL.  [default: sonnet]"
    ),
    click.option("--mixed", metavar="LIST", help="sonnet,gpt,...: models dealt to the seats in order, round robin."),
    click.option(
        "--role", multiple=True, metavar="ROLE", help='"Name", "Name: framing" or "Name@MODEL: framing"; repeat.'
    ),
    click.option("--roles", metavar="LIST", help='"architect, security engineer, junior dev".  [default: auto]'),
    click.option("--add-roles", is_flag=True, default=None, help="Fill up to -n with default roles."),
    click.option("--domain", metavar="DOMAIN", help="software, product or strategy.  [default: guessed]"),
)
ENDS = (
    click.option("--anyway", is_flag=True, default=None, help="Debate also a vague question."),
    click.option("--language", metavar="LANG", help="en, fr or zh.  [default: the question's]"),
    click.option(
        "--moderator", metavar="NAME", help="Model that judges agreement and concludes, or none.  [default: --model]"
    ),
    click.option(
        "--synthesis",
        metavar="WHO",
        help="Who concludes: moderator, or host: you, with conclude.  [default: moderator]",
    ),
    click.option(
        "--devil/--no-devil",
        default=None,
        help="From round 2 one agent a round must attack the leading proposal.  [default: off]",
    ),
    click.option(
        "--baseline",
        type=int,
        metavar="K",
        help="Hold the debate against K single answers with about as many tokens.  [default: none]",
    ),
    click.option(
        "--decide", metavar="HOW", help="Decide by vote or judge, beside what is agreed.  [default: consensus]"
    ),
    click.option("--early-stop/--no-early-stop", default=None, help="Stop when all really agree.  [default: on]"),
)
_OF_A_JUDGE = ("judge", "rubric", "seed")
"""Options that mean nothing where no judge decides."""


@click.command(
    "debate",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Each option can also be set as DEBATEROOM_NAME or in debateroom.toml. Put -- before a question that "
    "begins with a dash. Exit codes: 0 done, 2 usage, 3 no verdict (--decide), 4 no model, 5 too few answers, 6 room "
    "busy, 7 budget, 8 vague, 124 time.",
)
@click.argument("question", nargs=-1)
@options.taking(
    *(*SEATS, *options.GIVEN, *ENDS, *options.JUDGED),
    *(options.room("chatroom"), *options.LIMITS, *options.SHOWN),
)
def debate(question: tuple[str, ...], **given: Any) -> int:
    """Debate QUESTION: N agents with opposed roles, R rounds, each reading everything said before.

    Without QUESTION, or with -, it is read from standard input. Leaves chat.json and chatroom_report.md in the room.
    """
    from debateroom import settings
    from debateroom.errors import Wording
    from debateroom.language import worded

    stdout.take()
    start = seated.taken(given)
    chosen = settings.load(given)
    for option in _OF_A_JUDGE:
        if given[option] is not None and chosen.decide != "judge":
            raise worded(UsageError, Wording("judge_without", {"option": f"--{option}"}), hint="--decide judge")
    asked = questions.read("debate", question, chosen)
    if not start.shown.quiet:
        questions.say_context(asked.context, start.shown.verbose, _language(asked.text, chosen))
    return seated.run(lambda models: _plan(asked.text, chosen, asked.context, models, given["vendor"]), chosen, start)


def _language(question: str, chosen: Settings) -> str:
    """The language that the debate will have."""
    from debateroom.reading.question import classify_question

    return classify_question(question).language if chosen.language == "auto" else chosen.language


def _plan(text: str, chosen: Settings, gathered: Context, models: Models, vendors: Sequence[str]) -> Plan:
    """The plan; on a terminal a vague question is sharpened first.

    Raises UsageError when the command names `vendors` of models that it does not use; those of settings may.
    """
    from debateroom.debating import plan
    from debateroom.language import say
    from debateroom.models.vendors import Makers

    try:
        made = plan.make(text, chosen, gathered, models)
    except VagueQuestion:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        sharper = _sharpened(text, chosen)
        made = plan.make(sharper, chosen.model_copy(update={"anyway": True}), gathered, models)
    stated = Makers(vendors, models.settings)
    for name in {*(seat.model for seat in made.seats), *([made.judging.model] if made.judging else [])}:
        stated.known_or_stated(models.open(name))
    stated.hold_used()
    if made.devil and made.rounds == 1:
        output.note(say(made.language, "devil_one_round"))
    reason = plan.usual_model(chosen).reason
    if reason:
        output.note(say(made.language, reason.key, **reason.figures))
    return made


def _sharpened(text: str, chosen: Settings) -> str:
    """The question the person settles on: a suggestion with its blanks filled in, an own one, or the vague one."""
    from debateroom.language import say
    from debateroom.reading.question import classify_question, sharpen

    language = _language(text, chosen)
    suggestions = sharpen(text, language)
    output.note(say(language, "vague_ask"))
    for number, suggestion in enumerate(suggestions, 1):
        output.note(f"  {number}  {suggestion}")
    key, default = "vague_choose", text
    while True:
        answer = str(click.prompt(say(language, key), default=default, show_default=False, err=True)).strip()
        if answer == text:
            return text
        key, default = "vague_still", text
        if answer in {"1", "2"}:
            output.note(suggestions[int(answer) - 1])
            key, default = "vague_fill", ""
        elif not answer or "[" in answer:
            key = "vague_unfilled"
        elif not classify_question(answer).vague:
            return answer
