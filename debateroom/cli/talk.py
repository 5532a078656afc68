"""What `simulate` and `work` have in common: their options, and what they leave on stdout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from debateroom import templates
from debateroom.cli import background, output, progress, running, stdout, waking
from debateroom.cli.turns import counted
from debateroom.language import say
from debateroom.terminal import printable

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.dialogue.plan import Job
    from debateroom.dialogues import Cast
    from debateroom.messages import Transcript
    from debateroom.models.registry import Models
    from debateroom.settings import Settings

_OPTIONS = (
    click.option(
        "--agent", required=True, metavar="AGENT",
        help="FILE.yaml, python:module:callable, http://…, command:\"…\", scripted:PATH or a model's name.",
    ),
    click.option("--agent-model", metavar="NAME", help="Model of the agent, in place of its own."),
    click.option("--start", metavar="NAME", help="Which agent of FILE.yaml speaks first.  [default: the file's]"),
    click.option("--max-turns", type=int, default=10, metavar="N", help="Answers of the agent.  [default: 10]"),
    click.option("--model", metavar="NAME", help="Model that drives the agent.  [default: sonnet]"),
    click.option("--job-id", default="", metavar="ID", help="Your own id for this run; it is in the room."),
    click.option("--description", default="", metavar="TEXT", help="What this run is for; it is in the room."),
    click.option("--language", metavar="LANG", help="en, fr or zh.  [default: that of the text]"),
    click.option("--max-tokens", type=int, metavar="N", help="Tokens of one message.  [default: 16000]"),
)  # fmt: skip

_JOB = ("agent_model", "start", "max_turns", "job_id", "description")


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the options of a dialogue."""
    command = running.with_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run(given: dict[str, Any], cast: Callable[[Job, Settings, Models, str], Cast], **job: Any) -> int:
    """Casts and plays a dialogue with the options that were `given`, and prints what came of it; the exit code."""
    from debateroom import activities, dialogues, settings
    from debateroom.dialogue.plan import Job

    stdout.take()
    shown = running.shown(given)
    agent = given.pop("agent")
    job |= {name: given.pop(name) for name in _JOB}
    chosen = settings.load(given)
    with waking.watching(shown.wake_on_failure, chosen) as watched:
        models = activities.open_models(chosen)
        with activities.closed_after(models):
            made = cast(Job(agent=dialogues.named(agent), **job), chosen, models, agent)
            if shown.detach:
                folder, wake = dialogues.prepare(made, chosen), shown.wake_on_failure
                return background.start(folder, made.plan.problem, verbose=shown.verbose, wake=wake)
            lines = progress.make(quiet=shown.quiet, verbose=shown.verbose, events=shown.events, turns=True)
            models.on_wait = lines.on_wait
            try:
                outcome = dialogues.run(made, chosen, models, on_event=lines.on_event, on_progress=lines.on_progress)
            finally:
                lines.close()
        watched.outcome = outcome
        return output.finished(outcome, as_json=shown.json)


def _rule(rule: str, language: str) -> str:
    """What a finding says, in words; the rule itself where another version wrote it."""
    rules: dict[str, str] = templates.data(f"labels/report.{language}.toml")["talk_rules"]
    return rules.get(rule, rule)


def tell(outcome: Outcome) -> None:
    """What a person needs of a dialogue: the verdict or the deliverable, the turns, the tools, where the files are.

    A deliverable stands alone on stdout; the rest of its job goes to stderr.
    """
    tell_answer(outcome.transcript)
    kind, language = outcome.transcript.kind, outcome.transcript.language
    places = [("report", outcome.report), ("transcript", outcome.chat)]
    if kind == "work":
        places.insert(0, ("deliverable_label", outcome.folder / "deliverable.md"))
    _show(kind, "")
    for label, path in places:
        _show(kind, say(language, "labelled", label=say(language, label), text=path))


def tell_answer(transcript: Transcript) -> None:
    """The same without the files, for a room that could not write them all."""
    final, language, kind = transcript.final_output or {}, transcript.language, transcript.kind
    if kind == "work":
        output.tell(printable(str(final.get("deliverable", ""))))
    _show(kind, output.verdict(language, final.get("outcome"), str(final.get("summary", ""))))
    _show(kind, "")
    _show(kind, say(language, "turns_line", turns=final.get("turns", "—"), most=final.get("max_turns", "—")))
    tools = counted(final.get("tools", ())) or say(language, "no_tools")
    _show(kind, say(language, "tools_line", tools=tools))
    listed = [item for item in final.get("findings", ()) if isinstance(item, Mapping)]
    found = [_rule(str(item.get("rule")), language) for item in listed]
    if found:
        key = "findings_line" if kind == "simulation" else "flags_line"
        _show(kind, say(language, key, count=len(found), rules=counted(found)))


def _show(kind: str, text: str) -> None:
    """On stdout, but for a job's: there the deliverable stands alone."""
    (output.note if kind == "work" else output.tell)(printable(text))
