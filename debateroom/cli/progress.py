"""What is said on stderr while a room runs: a live table on a terminal, else one plain line a round."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from debateroom.cli.output import line, moved, note
from debateroom.cli.spent import Spent
from debateroom.language import amount, in_marks, number, say
from debateroom.terminal import one_line, padded, width

if TYPE_CHECKING:
    from debateroom.models.parcels import Notice

Event = Mapping[str, Any]
EVENT_LENGTH = 400
"""Columns of an event that `-vv` shows; the whole is in the journal."""
LOOKING_LENGTH = 80
"""Columns of a tool's call that are shown."""
REASON_LENGTH = 1000
"""Columns of the reason why a seat has no answer: its end is what to run next."""


class Progress(Protocol):
    """Shows how a room goes on."""

    def on_event(self, event: Event) -> None:
        """A journal event has been written."""

    def on_progress(self, agent: str, characters: int) -> None:
        """A seat has written so many characters."""

    def on_wait(self, provider: str, seconds: float) -> None:
        """A rate limit holds all calls to a provider back for so many seconds. Called in a worker's thread."""

    def close(self) -> None:
        """Nothing more will come."""


def make(
    *, quiet: bool, verbose: int = 0, events: bool = False, turns: bool = False, announced: bool = False,
    coordinated: Sequence[Event] | None = None,
) -> Progress:  # fmt: skip
    """Progress for this process's stderr; silent but for failures with `quiet`. With `events` also JSON on stdout.

    `turns` is for rooms in which two parties talk, `coordinated` for those of a playbook, with what its journal holds
    already; `announced` when the table of seats was shown already.
    """
    if coordinated is not None:
        from debateroom.cli.card import CardLines

        shown: Progress = CardLines(coordinated, quiet=quiet, verbose=verbose)
    elif turns:
        from debateroom.cli import turns as of_turns

        live = not quiet and not verbose and sys.stderr.isatty()
        shown = of_turns.LiveTurns() if live else of_turns.TurnLines(quiet=quiet, verbose=verbose)
    else:
        shown = _on_stderr(quiet=quiet, verbose=verbose, announced=announced)
    return EventLines(shown) if events else shown


def _on_stderr(*, quiet: bool, verbose: int, announced: bool) -> PlainProgress:
    if not quiet and not verbose and sys.stderr.isatty():
        from debateroom.cli.live import LiveProgress

        shown: PlainProgress = LiveProgress()
    else:
        shown = PlainProgress(quiet=quiet, verbose=verbose)
    shown.announced = announced
    return shown


class EventLines:
    """Prints each journal event as one JSON line on stdout, and passes it on."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    def on_event(self, event: Event) -> None:
        from debateroom import files

        with contextlib.suppress(OSError, ValueError):  # a full or closed stdout does not stop a debate
            line(files.dumps(event).decode())
        self._shown.on_event(event)

    def on_progress(self, agent: str, characters: int) -> None:
        self._shown.on_progress(agent, characters)

    def on_wait(self, provider: str, seconds: float) -> None:
        self._shown.on_wait(provider, seconds)

    def on_batch(self, notice: Notice) -> None:
        told = getattr(self._shown, "on_batch", None)
        if told:
            told(notice)

    def close(self) -> None:
        self._shown.close()


class PlainProgress:
    """One line for the seats, one a round, one for each seat and each question to the moderator that failed."""

    def __init__(self, *, quiet: bool = False, verbose: int = 0) -> None:
        self.announced = False
        self._quiet = quiet
        self._verbose = verbose
        self._language = "en"
        self._rounds = 0
        self._seats = 0
        self._confidence: dict[str, float | None] = {}
        self._lookups = 0
        """Tool calls in this round that have come to their end."""
        self._devil: str | None = None
        """Who attacks in this round by order."""
        self._spent = Spent()

    def on_event(self, event: Event) -> None:
        self._spent.add(event)
        if self._verbose > 1:
            from debateroom import files

            self._note(one_line(f"{event['event']} {files.dumps(event).decode()}", EVENT_LENGTH))
        handler = getattr(self, f"_{event['event']}", None)
        if handler:
            handler(event)

    def on_progress(self, agent: str, characters: int) -> None:
        """Nothing: plain lines do not move."""

    def on_wait(self, provider: str, seconds: float) -> None:
        """One line: a minute in which nothing happens has a reason."""
        if not self._quiet:
            self._note(say(self._language, "wait_line", provider=provider, seconds=round(seconds)))

    def close(self) -> None:
        """Nothing to take down."""

    def _note(self, text: str) -> None:
        note(text)

    def _room_opened(self, event: Event) -> None:
        self._language, self._rounds, self._seats = event["language"], event["rounds"], len(event["agents"])
        if self._quiet or self.announced:
            return
        rows = [(seat["name"], one_line(seat["role"], 60), seat["model"]) for seat in event["agents"]]
        rows += orchestrators_of(event, self._language)
        widths = [max(width(row[column]) for row in rows) for column in (0, 1)]
        for name, role, model in rows:
            self._note(f"{padded(name, widths[0])}  {padded(role, widths[1])}  {model}")
        if "forecast" in event:
            self._note(forecast_of(event["forecast"], self._language))

    def _room_resumed(self, event: Event) -> None:
        if self._quiet:
            return
        for provider, address in event["elsewhere"].items():
            self._note(say(self._language, "reached_line", provider=provider, address=address))
        if event["finished"]:
            self._note(say(self._language, "resumed_line", finished=event["finished"], rounds=self._rounds))
        self._note(forecast_of(event["forecast"], self._language))

    def _journal_mended(self, event: Event) -> None:
        if event["cut"]:
            self._note(say(self._language, "torn_line", count=event["cut"]))
        if event["damaged"]:
            numbers = ", ".join(map(str, event["damaged"]))
            self._note(say(self._language, "damaged_lines", count=len(event["damaged"]), numbers=numbers))

    def _moved_aside(self, event: Event) -> None:
        self._note(moved(self._language, event))

    def _round_started(self, event: Event) -> None:
        self._confidence = dict(event.get("answered", {}))  # what was there before a resume
        self._lookups, self._devil = 0, event.get("devil")
        if self._devil and not self._quiet:
            figures = {"seat": self._devil, "other": event.get("attacks")}
            self._note(say(self._language, "devil_line", round=event["round"], **figures))

    def _tool_answered(self, event: Event) -> None:
        self._lookups += not event.get("refused", False)
        if self._verbose:
            key = "looked_line" if event["ok"] else "looked_line_failed"
            figures = {"seconds": number(self._language, event["seconds"], 1), "what": looking_at(event)}
            self._note(say(self._language, key, agent=event["agent"], **figures))

    def _reply(self, event: Event) -> None:
        self._confidence[event["agent"]] = event["confidence"]
        if self._verbose:
            self._note(self._reply_line(event))

    def _reply_line(self, event: Event) -> str:
        """What a reply took, and how it was read; `—` for what it does not say."""
        known, usage = event["confidence"], event.get("usage") or {}
        return say(
            self._language,
            "reply_line",
            agent=event["agent"],
            seconds=number(self._language, event["seconds"], 1),
            **{part: usage.get(part, 0) for part in ("input", "cached", "output")},
            confidence="—" if known is None else in_marks(self._language, f"{known:g}"),
            endorses=event["endorses"] or "—",
            repairs=say(self._language, "listed").join(event["repairs"]) or "—",
        )

    def _unreadable(self, event: Event) -> None:
        if self._verbose:
            self._note(say(self._language, "asked_again", agent=event["agent"]))

    def _moderated(self, event: Event) -> None:
        verdict = event["verdict"]
        if verdict is None:
            self._note(say(self._language, "no_verdict", round=event["round"], reason=one_line(event["problem"])))
        elif self._verbose:
            self._note(say(self._language, "moderator_line", why=one_line(verdict["why"])))

    def _synthesized(self, event: Event) -> None:
        reason = event["final_output"].get("extract_because")
        if reason:
            self._note(say(self._language, "no_synthesis", reason=one_line(reason)))

    def _baseline_started(self, event: Event) -> None:
        if not self._quiet:
            self._note(say(self._language, "baseline_asks", count=event["answers"]))

    def _single_failed(self, event: Event) -> None:
        reason = one_line(event["reason"], REASON_LENGTH)
        self._note(say(self._language, "baseline_failed", answer=event["answer"], reason=reason))

    def _baseline_finished(self, event: Event) -> None:
        if not self._quiet:
            self._note(baseline_of(event["baseline"], self._language))

    def _judging_started(self, event: Event) -> None:
        if not self._quiet:
            self._note(say(self._language, "judging_line", count=event["count"]))

    def _judged(self, event: Event) -> None:
        if self._verbose:
            shown, verdict = " → ".join(event["shown"]), event.get("verdict") or event.get("score")
            told = {"tie": say(self._language, "judged_tie"), None: say(self._language, "judged_unusable")}
            why = one_line(event["why"] or event["problem"])
            self._note(say(
                self._language, "judged_line", shown=shown, verdict=told.get(verdict, str(verdict)), why=why
            ))  # fmt: skip

    def _judge_failed(self, event: Event) -> None:
        if self._verbose:  # at the end it is said how many, and why
            self._note(say(self._language, "judge_failed", count=1, reason=one_line(event["reason"], REASON_LENGTH)))

    def _seat_failed(self, event: Event) -> None:
        role, reason = one_line(event["role"], 60), one_line(event["reason"], REASON_LENGTH)
        self._note(say(self._language, "failed_line", agent=event["agent"], role=role, reason=reason))

    def _round_finished(self, event: Event) -> None:
        if not self._quiet:
            self._note(self.round_line(event["round"]))

    def _decided(self, event: Event) -> None:
        if event["converged"] and not self._quiet:
            self._note(say(self._language, "converged_line", round=event["round"]))

    def _room_finished(self, event: Event) -> None:
        if not self._quiet and (spent := self._spent.line(self._language)):
            self._note(spent)

    def _room_interrupted(self, event: Event) -> None:
        self._room_finished(event)

    def round_line(self, number: int) -> str:
        """`round 2 of 4: 5 of 5 agents answered, confidence 8 7 (9) 8 —`; a devil's advocate's in brackets."""
        known = {
            name: self._confidence[name] for name in sorted(self._confidence, key=lambda name: (len(name), name))
        }
        shown = " ".join(
            f"({text})" if name == self._devil else text
            for name, value in known.items()
            for text in ["—" if value is None else in_marks(self._language, f"{value:g}")]
        )
        stated = any(value is not None for value in known.values())
        confidences = say(self._language, "confidence_line", list=shown) if stated else ""
        if self._lookups:
            confidences += say(self._language, "lookups_line", count=self._lookups)
        replies = len(self._confidence)
        return say(
            self._language, "round_line",
            round=number, rounds=self._rounds, count=replies, seats=self._seats, confidences=confidences,
        )  # fmt: skip


def baseline_of(told: Mapping[str, Any], language: str) -> str:
    """`the baseline: 2 of 3 for “A queue”; the debate came to another answer`, or that there is none, and why."""
    count = len(told["answers"])
    if not count:
        reasons = [told["stopped"], *(each["reason"] for each in told["failures"])]
        return say(language, "baseline_none", reason=one_line(next(filter(None, reasons), "—")))
    if told["option"] is None:
        line = say(language, "baseline_tie", count=count)
    else:
        line = say(language, "baseline_line", votes=told["votes"], count=count, option=one_line(told["option"], 80))
    if not told.get("comparable", True):
        sizes = [number(language, size, 0) for size in (told["tokens"], told["debate"]["tokens"])]
        return line + say(language, "baseline_unlike", tokens=sizes[0], debate=sizes[1])
    compared = {True: "baseline_same", False: "baseline_other"}.get(told["same_as_debate"])
    return line + (say(language, compared) if compared else "")


def looking_at(event: Event) -> str:
    """A tool's call as people are shown it: its name and what it is asked about, on one line."""
    about = " ".join(str(value) for value in event["arguments"].values())
    return one_line(f"{event['name']} {about}", LOOKING_LENGTH)


def orchestrators_of(event: Event, language: str) -> list[tuple[str, str, str]]:
    """The moderator and the judge of a room as people are shown them: what it is, whose it is, and its model."""
    judging, rows = event["settings"].get("judging"), []
    if event.get("kind") != "arena":
        rows.append((say(language, "moderator_row"), "", moderator_of(event, language)))
    if judging:
        rows.append((say(language, "judge_row"), judging["vendor"], judging["model"]))
    return rows


def moderator_of(event: Event, language: str) -> str:
    """The moderator's model as people are shown it."""
    moderator = str(event["settings"]["moderator"])
    if event["settings"].get("synthesis") == "host":
        told = say(language, "no_verdicts") if moderator == "none" else moderator
        return say(language, "host_concludes", moderator=told)
    return say(language, "no_moderator") if moderator == "none" else moderator


def forecast_of(expected: Mapping[str, Any], language: str) -> str:
    """`at most 25 calls; if replies are about 600 tokens, about 148,369 tokens in and 0.46 US dollars`."""
    cost = expected["cost"]
    key = "forecast_unknown" if cost is None else "forecast_free" if cost == 0 else "forecast"
    figures = {"input": expected["input"], "reply": expected["reply"], "cost": amount(language, cost or 0)}
    return say(language, key, count=expected["calls"], **figures)
