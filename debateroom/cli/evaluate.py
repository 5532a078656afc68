"""`debateroom eval`: a dataset of tasks × trials against an agent; `eval regrade` and `eval meta` on its room."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import background, clusters, options, output, place, progress, running, stdout, trials, waking
from debateroom.errors import DebateroomError, UsageError
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.evaluation.dataset import Dataset
    from debateroom.models.registry import Models
    from debateroom.settings import Settings

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class _Eval(click.Group):
    """A group whose first word, where it is no command, is a dataset."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `run` before a dataset and before options."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group("eval", cls=_Eval, context_settings=_HELP)
def evaluate() -> None:
    """Try the tasks of a dataset on an agent, each with a simulated customer: debateroom eval DATASET --agent A.

    debateroom eval run --help lists the options.
    """


@evaluate.command(
    "run",
    context_settings=_HELP,
    epilog="Exit codes: 0 done, 3 the gate was missed or the lint found something, 1 trials broke (resume plays them "
    "again), 2 usage, 4 no model, 6 room busy, 7 budget, 124 time.",
)
@click.argument("dataset")
@click.option(
    "--agent", metavar="AGENT", help='As with simulate: FILE.yaml, python:…, http://…, command:"…", a model.'
)
@click.option("--agent-model", metavar="NAME", help="Model of the agent, in place of its own.")
@click.option("--start", metavar="NAME", help="Which agent of FILE.yaml speaks first.  [default: the file's]")
@click.option(
    "--world", default="", metavar="WORLD", help="python:module:World; the module may lie beside the agent."
)
@click.option("--trials", "trials_", type=int, default=1, metavar="N", help="Trials of each task.  [default: 1]")
@click.option("--customer", metavar="NAME", help="Model that plays the customers.  [default: sonnet]")
@click.option("--judge", metavar="NAME", help="Model that judges criteria, another than the customers'.")
@click.option(
    "--gate", default="", metavar="BAR", help='End with 3 below it: "pass^1>=0.7", "pass^2 by db_state>=50%".'
)
@click.option("--seed", type=int, metavar="N", help="Seed of the first trial; the others follow.  [default: drawn]")
@click.option("--junit", default="", metavar="FILE", help="Write the trials as JUnit XML.")
@click.option("--lint", "only_lint", is_flag=True, help="Look at the dataset only; no model is asked.")
@click.option("--room", metavar="NAME", help="Name of the room.  [default: eval]")
@click.option("--language", metavar="LANG", help="Of the report: en, fr or zh.  [default: that of most tasks]")
@click.option("--concurrency", type=int, metavar="N", help="Trials at once.  [default: 32]")
@clusters.option
@options.PROVIDER_BATCH
@options.POLL
@running.with_options
def run(dataset: str, *, agent: str | None, only_lint: bool, **given: Any) -> int:
    """Try every task of DATASET (JSON lines, or tau2:PATH) on an agent, and say how many pass."""
    from debateroom.evaluation.dataset import read_dataset

    stdout.take()
    read = read_dataset(dataset)
    if only_lint:
        return _lint(read, given["world"], agent, as_json=given["as_json"])
    if agent is None:
        raise UsageError("there is no agent to evaluate", hint="debateroom eval DATASET --agent AGENT")
    return _run(read, agent, given)


def _run(dataset: Dataset, agent: str, given: dict[str, Any]) -> int:
    from debateroom import activities, evaluations, settings
    from debateroom.evaluation.plan import Asked, absolute

    shown, provider_batch, cluster = running.shown(given), given.pop("provider_batch"), given.pop("cluster")
    options.hold_provider_batch(provider_batch, cluster, given)
    if cluster and shown.detach:
        raise UsageError("--detach goes on in a process that knows no --cluster", hint="leave one of them out")
    names = ("agent_model", "start", "world", "customer", "judge", "gate", "seed")
    asked = Asked(
        agent=evaluations.named(agent),
        folder=absolute(agent),
        trials=given.pop("trials_"),
        junit=str(Path(junit).resolve()) if (junit := given.pop("junit")) else "",
        **{name: given.pop(name) for name in names},
    )
    chosen = settings.load(given)
    with waking.watching(shown.wake_on_failure, chosen) as watched:
        lines = trials.make(quiet=shown.quiet, verbose=shown.verbose, events=shown.events)
        models = _models(chosen, lines, provider_batch=provider_batch)
        with activities.closed_after(models):
            cast = evaluations.cast(dataset, asked, chosen, models, agent, provider_batch=provider_batch)
            if shown.detach:
                folder, wake = evaluations.prepare(cast.plan, chosen), shown.wake_on_failure
                return background.start(folder, cast.plan.problem, verbose=shown.verbose, wake=wake)
            models.on_wait = lines.on_wait
            try:
                with clusters.workers(cluster, cast.plan, quiet=shown.quiet) as workers:
                    outcome = evaluations.run(cast, chosen, models, on_event=lines.on_event, workers=workers)
            finally:
                lines.close()
        watched.outcome = outcome
        return output.finished(outcome, as_json=shown.json)


def _models(chosen: Settings, lines: progress.Progress, *, provider_batch: bool) -> Models:
    """The models of the run, asked one call at a time or in the providers' batches."""
    from debateroom import activities, evaluations

    if not provider_batch:
        return activities.open_models(chosen)
    folder, tell = evaluations.room_of(chosen), getattr(lines, "on_batch", None)
    return evaluations.open_models(folder, activities.model_settings(chosen), chosen.poll, tell)


def _lint(dataset: Dataset, world: str, agent: str | None, *, as_json: bool) -> int:
    """Prints what is wrong with the dataset; 3 when something is, beside what cannot be scored here."""
    from debateroom import files
    from debateroom.evaluation.lint import lint, unplayed
    from debateroom.evaluation.plan import absolute
    from debateroom.evaluation.world import find_world
    from debateroom.language import say

    made = find_world(world, Path(absolute(agent or "")))("lint") if world else None
    found = lint(dataset.tasks, made)
    if as_json:
        output.line(files.dumps([each._asdict() for each in found]).decode())
    for each in () if as_json else found:
        where = f"{dataset.source}:{each.line}" if each.line else dataset.source
        output.tell(printable(f"{where}  {one_line(each.task, 60)}  {each.rule}: {one_line(each.text, 400)}"))
    if not found and not as_json:
        output.tell(say("en", "eval_lint_none", count=len(dataset.tasks)))
    if made is None and (tasks := unplayed(dataset.tasks)):
        output.note(say("en", "eval_lint_unplayed", count=len(tasks)))
    return 3 if any(each.rule != "unscored" for each in found) else 0


@evaluate.command("regrade", context_settings=_HELP)
@click.argument("room", required=False)
@click.option("--dataset", metavar="DATASET", help="Checks from this file.  [default: those of the room]")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
def regrade(room: str | None, *, dataset: str | None, active: str | None) -> int:
    """Run the checks again on the transcripts stored in ROOM, and list what comes out another way.

    No model is asked. Ends with 3 when something differs.
    """
    from debateroom import evaluations
    from debateroom.evaluation.dataset import read_dataset
    from debateroom.language import say
    from debateroom.report import scores

    folder = place.folder(room or "eval", active)
    language = evaluations.plan_of(folder).language
    found = evaluations.regrade(folder, read_dataset(dataset) if dataset else None)
    output.tell(say(language, "eval_differ", count=len(found)) if found else say(language, "eval_same"))
    if missing := evaluations.unplayed(folder):
        named = ", ".join(scores.trials(missing))
        output.note(printable(say(language, "eval_unplayed", count=len(missing), trials=named)))
    for each in found:
        output.tell(printable(f"  {each}"))
    return 3 if found else 0


@evaluate.command("meta", context_settings=_HELP)
@click.argument("room", required=False)
@click.option(
    "--judge", metavar="NAME", help="Model that scores the customers, another than theirs.  [default: the room's]"
)
@click.option("--rules-only", is_flag=True, help="Only what rules find; no model is asked.")
@click.option(
    "--planted",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="Put N known faults into clean conversations; say how many are found.",
)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@waking.option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def meta(
    room: str | None,
    *,
    judge: str | None,
    rules_only: bool,
    planted: int,
    active: str | None,
    wake_on_failure: bool,
    as_json: bool,
) -> int:
    """Score how the customers of ROOM were played: by a judge of another model, and by rules beside it.

    Ends with 3 when the judge left some of them without scores, with 1 when it scored none.
    """
    from debateroom import evaluations, settings
    from debateroom.cli import customers
    from debateroom.language import say

    folder = place.folder(room or "eval", active)
    language, chosen = evaluations.plan_of(folder).language, settings.load({"active": active})
    with waking.watching(wake_on_failure, chosen, folder) as watched:
        with customers.shown(language) as on_judged:
            found = evaluations.meta(
                folder, chosen, judge=judge, rules_only=rules_only, planted=planted, on_judged=on_judged
            )
        customers.tell(found, language, as_json=as_json)
        failure = customers.failure(found, language)
        if not failure:
            return 0
        output.note(f"debateroom: {failure}")
        output.note(say(language, "next_line", command=say(language, "eval_judge_again")))
        watched.failed = DebateroomError(f"{folder.name}: {failure}")
        watched.failed.language = language
    return 3 if found.scored else 1
