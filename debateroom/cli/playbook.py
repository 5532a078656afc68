"""`debateroom playbook`: runs one with a coordinator of ours, or starts and finishes one for who calls us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import asking, background, output, place, progress, running, stdout, waking
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.coordinating import Begun
    from debateroom.playbooks.plan import Approve, Task

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_ACTIVE = click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
_ROOM = click.option("--room", metavar="NAME", help="Name of the room.  [default: coordinator]")
_GOAL = click.option("--goal", metavar="TEXT", help="What the playbook's field takes, on one line.")
_LANGUAGE = click.option("--language", metavar="LANG", help="en, fr or zh.  [default: that of the goal]")


@click.group("playbook", context_settings=_HELP)
def playbook() -> None:
    """Run a playbook: three fixed steps, each proved by a link or a path. `debateroom playbooks` lists them."""


@playbook.command(
    "run",
    context_settings=_HELP,
    epilog="Exit codes: 0 complete, 3 a step failed or is missing, 1 the run broke, 2 usage, 4 no model, 6 the "
    "project's coordinator is at work, 7 budget, 124 time.",
)
@click.argument("id")
@_GOAL
@click.option("--agent", required=True, metavar="AGENT", help="The coordinator: FILE.yaml or a model's name.")
@click.option("--agent-model", metavar="NAME", help="Model of the coordinator, in place of its own.")
@click.option("--start", metavar="NAME", help="Which agent of FILE.yaml it is.  [default: the file's]")
@click.option(
    "--approve", type=click.Choice(["ask", "never", "always"]), default="ask",
    help="What becomes of tools that change something.  [default: ask, which denies where there is no terminal]",
)  # fmt: skip
@click.option("--worker-agent", metavar="AGENT", help="Whom workers drive.  [default: their model, without tools]")
@click.option("--worker-model", multiple=True, metavar="NAME", help="A model workers may have; several may be given.")
@click.option("--steps", type=click.IntRange(1, 1000), default=60, metavar="N", help="Times it may ask for tools.")
@_LANGUAGE
@_ROOM
@click.option("--max-tokens", type=int, metavar="N", help="Tokens of one message.  [default: 16000]")
@running.with_options
def run(id: str, goal: str | None, **given: Any) -> int:  # noqa: A002
    """Run the playbook ID (deploy-verify, …) with a coordinator of ours, and start at once.

    The coordinator reads the project and public pages, notes what it decides, and gives tasks to workers. A tool of
    its own that changes something runs only with permission.
    """
    from debateroom import activities, coordinating, settings

    stdout.take()
    shown, task = running.shown(given), _task(given)
    chosen = settings.load(given)
    with waking.watching(shown.wake_on_failure, chosen) as watched:
        models = activities.open_models(chosen)
        with activities.closed_after(models):
            plan = coordinating.make(id, goal, task, chosen, models)
            if shown.detach:
                folder, wake = coordinating.prepare(plan, chosen), shown.wake_on_failure
                return background.start(folder, plan.problem, verbose=shown.verbose, wake=wake)
            lines = progress.make(quiet=shown.quiet, verbose=shown.verbose, events=shown.events, coordinated=())
            models.on_wait = lines.on_wait
            try:
                outcome = coordinating.run(
                    plan, chosen, models, ask=asking.person(), on_event=lines.on_event, on_progress=lines.on_progress
                )
            finally:
                lines.close()
        watched.outcome = outcome
        return output.finished(outcome, as_json=shown.json)


def _task(given: dict[str, Any]) -> Task:
    """What of the options is the run's own; it is taken out of them."""
    from debateroom.playbooks.plan import Task

    return Task(
        agent=given.pop("agent"),
        agent_model=given.pop("agent_model"),
        start=given.pop("start"),
        approve=given.pop("approve"),
        worker_agent=given.pop("worker_agent"),
        worker_models=given.pop("worker_model"),
        steps=given.pop("steps"),
    )


@playbook.command("start", context_settings=_HELP)
@click.argument("id")
@_GOAL
@_LANGUAGE
@_ROOM
@_ACTIVE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def start(id: str, goal: str | None, as_json: bool, **given: Any) -> int:  # noqa: A002
    """Start the playbook ID with yourself as the coordinator, and print what is to be done.

    For a coding assistant: it goes through the steps with its own tools, notes each with `debateroom record`, and
    ends with `debateroom playbook finish`.
    """
    from debateroom import activities, coordinating, settings
    from debateroom.cli import card

    events: list[Mapping[str, Any]] = []
    chosen = settings.load(given)
    models = activities.open_models(chosen)
    with activities.closed_after(models):
        begun = coordinating.begin(id, goal, chosen, models, on_event=events.append)
    for line in (line for event in events for line in card.notices(begun.plan.language, event)):
        output.note(line)
    tell_begun(begun, as_json=as_json)
    return 0


def tell_begun(begun: Begun, *, as_json: bool) -> None:
    """What who coordinates has to do, and how the steps stand."""
    from dataclasses import asdict

    from debateroom import files
    from debateroom.cli import card
    from debateroom.playbooks.looking import look

    live, plan = look(begun.folder), begun.plan
    if as_json:
        value = {
            "ok": True, "status": "running", "room": str(begun.folder), "uuid": plan.uuid, "goal": plan.goal,
            "playbook": plan.playbook.to_json(), "instructions": begun.told,
            "steps": [asdict(step) for step in live.steps],
        }  # fmt: skip
        output.line(files.dumps(value).decode())
        return
    output.tell(printable(begun.told))
    if live.decisions:
        output.tell("\n" + "\n".join(card.stepped(plan.language, step) for step in live.steps))


@playbook.command(
    "delegate",
    context_settings=_HELP,
    epilog="Exit codes: 0 delivered, 3 partial or refused, 1 the worker broke, 2 usage, 4 no model.",
)
@click.argument("task")
@click.option("--agent", required=True, metavar="AGENT", help="Whom the worker drives: as for debateroom work.")
@click.option("--model", metavar="NAME", help="Model of the worker.  [default: sonnet]")
@click.option(
    "--approve", type=click.Choice(["never", "always"]), default="never",
    help="What becomes of tools that change something.  [default: never]",
)  # fmt: skip
@_ROOM
@_ACTIVE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def delegate(
    task: str, agent: str, model: str | None, approve: Approve, room: str | None, active: str | None, as_json: bool
) -> int:
    """Give TASK to a worker of the run that you coordinate, and print what it delivers.

    The worker has a room of its own; its start and its end are in the run's journal.
    """
    from debateroom import activities, coordinating, files, settings
    from debateroom.playbooks.plan import Task

    chosen = settings.load({"active": active, "model": model})
    folder = place.coordinated(room, active)
    models = activities.open_models(chosen)
    with activities.closed_after(models):
        made = coordinating.delegate(folder, task, Task(worker_agent=agent, approve=approve), chosen, models)
    code = 0 if made.ok else 1 if made.outcome == "broken" else 3
    if as_json:
        told = {"outcome": made.outcome, "deliverable": made.deliverable, "error": made.error}
        output.line(files.dumps({"ok": made.ok, "exit_code": code, "room": str(made.room), **told}).decode())
    else:
        output.tell(printable(made.deliverable))
        output.note(printable(f"{made.room.name}: {made.error or made.outcome}"))
    return code


@playbook.command(
    "finish", context_settings=_HELP, epilog="Exit codes: 0 complete, 3 a step failed or is missing, 2 usage."
)
@_ROOM
@_ACTIVE
@waking.option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def finish(room: str | None, active: str | None, wake_on_failure: bool, as_json: bool) -> int:
    """End the run that you coordinate: its verdict and its reports."""
    from debateroom import coordinating, settings

    chosen = settings.load({"active": active})
    folder = place.coordinated(room, active)
    with waking.watching(wake_on_failure, chosen, folder) as watched:
        outcome = coordinating.finish(folder)
        watched.outcome = outcome
        return output.finished(outcome, as_json=as_json)


def tell(outcome: Outcome) -> None:
    """What a person needs of a run: the verdict, the steps with their evidence, where the files are."""
    from debateroom.cli import card
    from debateroom.language import say
    from debateroom.playbooks.standing import LiveStep

    transcript = outcome.transcript
    final, language = transcript.final_output or {}, transcript.language
    lines = [output.verdict(language, final.get("outcome"), str(final.get("summary", ""))), ""]
    lines += [card.stepped(language, LiveStep(**step)) for step in final.get("steps", ())]
    if final.get("answer"):
        lines += ["", one_line(str(final["answer"]), output.LONGEST)]
    lines.append("")
    lines.append(say(language, "labelled", label=say(language, "report"), text=outcome.report))
    lines.append(say(language, "labelled", label=say(language, "transcript"), text=outcome.chat))
    for line in lines:
        output.tell(printable(line))
