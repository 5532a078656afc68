"""`debateroom debate`, the main job: a question in, a debate, a report out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import background, output, progress, waking
from debateroom.errors import UsageError, VagueQuestion
from debateroom.terminal import quoted

if TYPE_CHECKING:
    from debateroom.context import Context
    from debateroom.debating.plan import Plan
    from debateroom.models.registry import Models
    from debateroom.settings import Settings

DEAR_CALLS = 25
"""Seats × rounds from which a room on a model of the dearest class is worth a warning."""
LONGEST_QUESTION = 1_000_000
"""Bytes a question on standard input may have."""
MANY_CALLS = 200
"""Seats × rounds from which a run is confirmed first."""


_OPTIONS = (
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
    click.option("--context", multiple=True, metavar="PATH", help="Text file, folder or glob; - is stdin; repeat."),
    click.option("--note", multiple=True, metavar="TEXT", help="Typed context; repeat."),
    click.option(
        "--tools",
        metavar="KINDS",
        help="What seats look things up with: read (the project), or FILE.yaml.  [default: none]",
    ),
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
    click.option("--early-stop/--no-early-stop", default=None, help="Stop when all really agree.  [default: on]"),
    click.option("--room", metavar="NAME", help="Name of the room.  [default: chatroom]"),
    click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]"),
    click.option(
        "--quorum", type=int, metavar="N", help="Seats that must answer in a round.  [default: more than half]"
    ),
    click.option("--concurrency", type=int, metavar="N", help="Calls at once with one provider.  [default: 32]"),
    click.option("--stagger", metavar="WHEN", help="Send the first seat ahead: auto, on or off.  [default: auto]"),
    click.option(
        "--call-timeout",
        type=float,
        metavar="S",
        help="Seconds one call may take, or be kept back by a rate limit.  [default: 120]",
    ),
    click.option("--timeout", type=float, metavar="S", help="Seconds the whole run may take.  [default: no limit]"),
    click.option("--budget", type=float, metavar="USD", help="US dollars the run may cost.  [default: no limit]"),
    click.option("--round-timeout", type=float, metavar="S", help="Seconds one round may take.  [default: 300]"),
    click.option(
        "--max-tokens", type=int, metavar="N", help="Tokens of one reply, thinking included.  [default: 16000]"
    ),
    click.option("--yes", is_flag=True, help=f"Do not ask before {MANY_CALLS} calls or more."),
    click.option("--dry-run", is_flag=True, help="Print seats, calls, tokens and price; ask nobody."),
    click.option("--detach", is_flag=True, help="Run in the background; print room and pid as JSON at once."),
    waking.option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
    click.option("--events", is_flag=True, help="Print the events as JSON lines, the object of --json last."),
    click.option("-q", "--quiet", is_flag=True, help="No progress on stderr."),
    click.option(
        "-v", "--verbose", count=True, help="More on stderr: tokens of each reply, how it was read; -vv: every event."
    ),
)


def _with_options(command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(
    "debate",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Each option can also be set as DEBATEROOM_NAME or in debateroom.toml. Put -- before a question that "
    "begins with a dash. Exit codes: 0 done, 2 usage, 4 no model, 5 too few answers, 6 room busy, 8 vague.",
)
@click.argument("question", nargs=-1)
@_with_options
def debate(
    question: tuple[str, ...],
    *,
    yes: bool,
    dry_run: bool,
    detach: bool,
    wake_on_failure: bool,
    as_json: bool,
    events: bool,
    quiet: bool,
    verbose: int,
    **given: Any,
) -> int:
    """Debate QUESTION: N agents with opposed roles, R rounds, each reading everything said before.

    Without QUESTION, or with -, it is read from standard input. Leaves chat.json and chatroom_report.md in the room.
    """
    from debateroom import activities, context, settings

    chosen = settings.load(given)
    if "-" in chosen.context and sys.stdin is None:
        raise UsageError("--context - reads standard input, which is closed", hint="name a file instead")
    text = _question(question, chosen)
    stdin_is_free = question not in {(), ("-",)}
    gathered = context.collect(chosen.context, chosen.note, stdin=sys.stdin if stdin_is_free else None)
    if not quiet:
        _say_context(gathered, verbose, _language(text, chosen))
    if dry_run:
        from debateroom.cli import dry_run as table

        plan = _plan(text, chosen, gathered, table.Unopened(activities.model_settings(chosen)))
        _warn(plan)
        return table.show(plan, as_json=as_json or events)
    with waking.watching(wake_on_failure, chosen) as watched:
        models = activities.open_models(chosen)
        with activities.closed_after(models):
            plan = _plan(text, chosen, gathered, models)
            _warn(plan)
            announced = _confirm(plan, yes=yes)
            _fetch_embedded(plan)
            if detach:
                folder = activities.prepare(plan, chosen)
                return background.start(folder, plan.problem, verbose=verbose, wake=wake_on_failure)
            shown = progress.make(quiet=quiet, verbose=verbose, events=events, announced=announced)
            models.on_wait = shown.on_wait
            try:
                outcome = activities.run(plan, chosen, models, on_event=shown.on_event, on_progress=shown.on_progress)
            finally:
                shown.close()
        watched.outcome = outcome
        return output.finished(outcome, as_json=as_json or events)


def _quoted(words: Sequence[str], arguments: Sequence[str]) -> str:
    """The command that was meant: the words as one question, then the options as they were given."""
    command = f"debateroom {quoted(' '.join(words))}"
    if any(arguments.count(word) != 1 for word in words):  # which of them is an option's value cannot be told
        return command
    options = [given for given in arguments if given not in (*words, "debate", "--")]
    return " ".join([command, *map(quoted, options)])


def _question(words: tuple[str, ...], chosen: Settings) -> str:
    """The question from the command line or from standard input."""
    if len(words) > 1:
        raise UsageError("the question is more than one word: quote it", hint=_quoted(words, sys.argv[1:]))
    if words and words != ("-",):
        return words[0]
    if "-" in chosen.context:
        raise UsageError("standard input cannot be both the question and the context", hint="give one as a file")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("there is no question", hint='debateroom "queue vs loop?"')
    data = sys.stdin.buffer.read(LONGEST_QUESTION + 1)
    if len(data) > LONGEST_QUESTION:
        raise UsageError(f"the question is over {LONGEST_QUESTION:,} bytes", hint="give long text with --context")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the question on standard input is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise UsageError("there is no question: standard input is empty", hint='debateroom "queue vs loop?"')
    return text


def _fetch_embedded(plan: Plan) -> None:
    """Gets the embedded model's file, with a bar, when a seat will use it and it is not here yet."""
    if any(seat.model == "embedded" for seat in plan.seats):
        from debateroom.cli.pulling import pull_embedded

        pull_embedded()


def _language(question: str, chosen: Settings) -> str:
    """The language that the debate will have."""
    from debateroom.reading.question import classify_question

    return classify_question(question).language if chosen.language == "auto" else chosen.language


def _say_context(gathered: Context, verbose: int, language: str) -> None:
    from debateroom.language import say

    if gathered.sources:
        output.note(say(language, "context_line", sources=gathered.sizes(language)))
    if gathered.skipped:
        shown = gathered.skipped if verbose else gathered.skipped[:5]
        names, more = say(language, "listed").join(shown), len(gathered.skipped) - len(shown)
        names = say(language, "left_out_more", names=names, more=more) if more else names
        output.note(say(language, "left_out", names=names))


def _plan(text: str, chosen: Settings, gathered: Context, models: Models) -> Plan:
    """The plan; on a terminal a vague question is sharpened first."""
    from debateroom.debating import plan

    try:
        made = plan.make(text, chosen, gathered, models)
    except VagueQuestion:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        sharper = _sharpened(text, chosen)
        made = plan.make(sharper, chosen.model_copy(update={"anyway": True}), gathered, models)
    reason = plan.usual_model(chosen).reason
    if reason:
        from debateroom.language import say

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


def _warn(plan: Plan) -> None:
    """One line when many calls go to models of the dearest class, with what the room comes to at most."""
    from debateroom.debating import forecast
    from debateroom.language import amount, say
    from debateroom.models.registry import info

    dear = [seat.model for seat in plan.seats if info(seat.model).tier == "top"]
    calls = len(dear) * plan.rounds
    if calls >= DEAR_CALLS:
        cost = forecast.worst(plan).cost
        key, price = "dear_line_unknown" if cost is None else "dear_line", amount(plan.language, cost or 0)
        names = say(plan.language, "listed").join(sorted(set(dear)))
        output.note(say(plan.language, key, calls=calls, names=names, cost=price))


def _confirm(plan: Plan, *, yes: bool) -> bool:
    """Asks before very many calls, and whether it did: seats, calls and price are shown first.

    Without a terminal to ask on, they need `--yes` or `--budget`. Raises Declined when the answer is no.
    """
    calls = len(plan.seats) * plan.rounds
    if calls < MANY_CALLS or yes or plan.budget is not None:
        return False
    from debateroom import activities
    from debateroom.errors import Declined, Wording
    from debateroom.language import say, spoken, worded

    many = say(plan.language, "many_calls", agents=len(plan.seats), rounds=plan.rounds, calls=calls)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        refused = Wording("many_calls_refused", {"many": many})
        raise spoken(worded(UsageError, refused, hint=Wording("many_calls_hint")), plan.language)
    progress.PlainProgress().on_event(activities.opening(plan))
    if not click.confirm(say(plan.language, "many_calls_ask", many=many), err=True):
        raise spoken(worded(Declined, Wording("many_calls_declined")), plan.language)
    return True
