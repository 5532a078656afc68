"""What is said of an evaluation: on stderr how far it is while it runs, and in the end the figures on stdout."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from debateroom.cli import output, progress
from debateroom.cli.counted import FEW, CountedLines
from debateroom.cli.moving import MovingLine
from debateroom.language import number, say
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.messages import Transcript


_STATUSES = ("pass", "fail", "inconclusive", "invalid", "error")
_LAST = ("synthesized", "room_finished", "room_interrupted")
"""Events after which nothing moves any more."""


def make(*, quiet: bool, verbose: int, events: bool) -> progress.Progress:
    """What is shown of an evaluation on this process's stderr; with `events` also JSON on stdout."""
    live = not quiet and not verbose and sys.stderr.isatty()
    shown = LiveTrials() if live else TrialLines(quiet=quiet, verbose=verbose)
    return progress.EventLines(shown) if events else shown


class TrialLines(CountedLines):
    """Plain lines: the seats, then one a trial where there are few or with `verbose`, else one now and then."""

    def __init__(self, *, quiet: bool = False, verbose: int = 0) -> None:
        super().__init__(quiet=quiet)
        self._verbose = verbose
        self._customer = ""
        self._seeded = False
        self._told_ignored: set[str] = set()

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Says what is worth a line."""
        if self._verbose > 1:
            from debateroom import files

            output.note(one_line(f"{event['event']} {files.dumps(event).decode()}", progress.EVENT_LENGTH))
        if event.get("usage"):
            cost = event.get("cost")
            self._cost = None if self._cost is None or cost is None else self._cost + cost
        handler = getattr(self, f"_{event['event']}", None)
        if handler:
            handler(event)

    def on_progress(self, agent: str, characters: int) -> None:
        """Nothing: plain lines do not move."""

    def _room_opened(self, event: Mapping[str, Any]) -> None:
        self._language, self._customer, settings = event["language"], event["model"], event["settings"]
        tasks, trials = len(settings["tasks"]), settings["asked"]["trials"]
        self._all = tasks * trials
        customer, agent = (f"{seat['name']} ({one_line(seat['model'], 80)})" for seat in event["agents"][:2])
        self._note(say(
            self._language, "eval_seats", count=tasks, trials=trials, agent=agent, customer=customer,
            seed=str(settings["seed"]),
        ))  # fmt: skip
        if settings.get("provider_batch"):
            self._note(say(self._language, "provider_batch_trials"))
        for name in settings.get("direct", ()):
            self._note(say(self._language, "provider_batch_direct", name=one_line(name, 80)))
        self._seeded = settings["asked"]["seed"] is not None
        for model, what in settings["ignores"].items():
            self._say_ignored(model, what)

    def _say_ignored(self, model: str, what: Sequence[str]) -> None:
        """Once for each model: a seed that somebody asked for has no effect there."""
        if self._seeded and "seed" in what and model not in self._told_ignored:
            self._told_ignored.add(model)
            self._note(say(self._language, "eval_no_seed", model=one_line(model, 80)))

    def _moved_aside(self, event: Mapping[str, Any]) -> None:
        self._note(output.moved(self._language, event))

    def _room_resumed(self, event: Mapping[str, Any]) -> None:
        for provider, address in event["elsewhere"].items():
            self._note(say(self._language, "reached_line", provider=provider, address=address))
        self._done = event["finished"]
        if self._done:
            self._note(say(self._language, "eval_resumed", done=self._done, all=self._all))

    def _trial_said(self, event: Mapping[str, Any]) -> None:
        if event.get("ignored"):  # a server may refuse it only when it is asked
            self._say_ignored(self._customer, event["ignored"])
        if self._verbose and event.get("kept_back"):
            rules = ", ".join(event["kept_back"])
            self._note(say(self._language, "aside_line", agent=f"{event['task']} #{event['trial']}", rules=rules))

    def _trial_call_failed(self, event: Mapping[str, Any]) -> None:
        self._note(f"{event['task']} #{event['trial']}, {event['party']}: {event['reason']}")

    def _trial_finished(self, event: Mapping[str, Any]) -> None:
        self._done += 1
        status = "invalid" if event["result"]["simulator_invalid"] else event["status"]
        self._came[status] += 1
        self._tell_trial(event, status)

    def _tell_trial(self, event: Mapping[str, Any], status: str) -> None:
        if self._verbose or self._all <= FEW:
            self._note(self._trial_line(event, status))
        elif self._is_due():
            self._note(self._so_far())

    def _trial_line(self, event: Mapping[str, Any], status: str) -> str:
        failed = [name for name, came in event["checks"].items() if came != "pass"]
        return say(
            self._language, "eval_trial", done=self._done, all=self._all, task=one_line(event["task"], 40),
            trial=event["trial"], status=say(self._language, f"eval_status_{status}"),
            why=f" ({', '.join(failed)})" if failed else "", forecast=self._forecast(),
        )  # fmt: skip

    def _so_far(self) -> str:
        """`37 of 120: 30 passed, 7 failed; about 40 s left`; of a run that goes on, what ended in it."""
        counts = [
            f"{number(self._language, self._came[status])} {say(self._language, f'eval_status_{status}')}"
            for status in _STATUSES
            if self._came[status]
        ]
        told = say(self._language, "listed").join(counts) or say(self._language, "eval_none")
        return say(
            self._language, "eval_so_far", done=self._done, all=self._all, counts=told, forecast=self._forecast()
        )


class LiveTrials(TrialLines):
    """A line that moves: how many trials have ended, how they came out, what is left; above it what went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self._line = MovingLine()

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Takes the event in, and draws the line again when it is time."""
        super().on_event(event)
        if event["event"] in _LAST:
            self.close()
        elif event["event"] == "trial_finished":
            self._line.show(self._so_far())
        elif self._all:
            self._line.show_often(self._so_far())

    def close(self) -> None:
        """Takes the moving line down."""
        self._line.close()

    def _tell_trial(self, event: Mapping[str, Any], status: str) -> None:
        """Nothing beside the moving line, but for a trial that broke."""
        if status == "error":
            self._note(self._trial_line(event, status))

    def _note(self, text: str) -> None:
        self._line.note(text)


def tell(outcome: Outcome) -> None:
    """The four lines with which every evaluation begins, then ours, then where the files are."""
    tell_figures(outcome.transcript)
    language = outcome.transcript.language
    for label, path in (("report", outcome.report), ("transcript", outcome.chat)):
        output.tell(printable(say(language, "labelled", label=say(language, label), text=path)))


def tell_figures(transcript: Transcript) -> None:
    """The figures of an evaluation."""
    for text in lines(transcript.final_output or {}, transcript.language):
        output.tell(printable(text))


def lines(final: Mapping[str, Any], language: str) -> list[str]:
    """The figures of an evaluation as text."""
    from debateroom.report.scores import texts

    return texts(final, language)
