"""What is said of a batch: on stderr how far it is, in the end what it came to on stdout."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from debateroom import clock
from debateroom.cli import output, states
from debateroom.cli.counted import FEW, CountedLines, moment
from debateroom.cli.moving import MovingLine
from debateroom.language import number, say
from debateroom.room.summary import has_result
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.batch.questions import Question
    from debateroom.batch.running import Result
    from debateroom.models.parcels import Notice

OUTCOMES = ("unanimous", "consensus", "split", "deadlock", "ended", "failures")
_NAMED = 5
"""Failed debates that are named."""


def make(language: str, at_once: int, *, quiet: bool) -> BatchLines:
    """What is shown on this process's stderr."""
    moving = sys.stderr.isatty() and not quiet
    return MovingLines(language, at_once) if moving else BatchLines(language, at_once, quiet=quiet)


def outcome(value: Mapping[str, Any]) -> str:
    """What a debate came to, in one of our own words: a file may hold any."""
    if not has_result(value):
        return "failures"
    found = value.get("outcome")
    return found if found in OUTCOMES else "ended"


BATCHED = ("seat", "repair", "moderator")
"""Calls of a round, each in a batch of its own; those that come after the rounds are told as the last."""


class BatchLines(CountedLines):
    """Plain lines: one a debate where there are few, else one now and then; each that failed has its own."""

    def __init__(self, language: str, at_once: int, *, quiet: bool = False) -> None:
        super().__init__(language, quiet=quiet)
        self._at_once = at_once
        self._at_work = 0
        self._steps = 0
        """Batches of providers one after the other, about; 0 where there are none."""
        self._stepped: set[tuple[str, int]] = set()

    def in_batches(self, steps: int) -> None:
        """The calls go into the providers' batches, about so many one after the other; `begin` says so."""
        self._steps = steps

    def begin(self, debates: int, over: int) -> None:
        """Says how many there are."""
        self._all, self._done, self._told_done = debates, over, over
        self._began = self._told = clock.monotonic()
        self._note(say(self._language, "batch_begin", all=debates, at_once=self._at_once, over=over))
        if self._steps:
            self._note(say(self._language, "provider_batch_begin", count=self._steps))

    def ended(self, question: Question, value: Mapping[str, Any]) -> None:
        """A debate ended, or failed."""
        self._done += 1
        self._came[outcome(value)] += 1
        cost = value.get("cost", 0.0)
        self._cost = None if self._cost is None or cost is None else self._cost + cost
        self._tell(question, value)

    def moved(self, at_work: int) -> None:
        """So many debates are under way."""
        self._at_work = at_work

    def _tell(self, question: Question, value: Mapping[str, Any]) -> None:
        if self._all <= FEW or outcome(value) == "failures":
            self._note(self._line(question, value))
        elif self._is_due():
            self._note(self._so_far())

    def _calls_of(self, notice: Notice) -> str:
        purpose = notice.purpose
        key = purpose.call if purpose and purpose.call in BATCHED else "last"
        return say(self._language, f"provider_batch_of_{key}", round=purpose.round if purpose else 0)

    def on_batch(self, notice: Notice) -> None:
        """Also when all debates are expected to be done, once a batch has shown how long one takes."""
        super().on_batch(notice)
        if notice.what != "ended" or notice.purpose is None:
            return
        self._stepped.add((notice.purpose.call, notice.purpose.round))
        left = self._steps - len(self._stepped)
        if notice.usual is not None and left > 0:
            time = moment(clock.epoch() + left * notice.usual)
            self._note(say(self._language, "provider_batch_rest", count=left, time=time))

    def _line(self, question: Question, value: Mapping[str, Any]) -> str:
        came = outcome(value)
        told = say(self._language, f"batch_{came}")
        if came == "failures":
            told = say(self._language, "batch_failed", reason=one_line(value["error"] or "", 160))
        figures = {"done": self._done, "all": self._all, "id": one_line(question.id, 40)}
        return say(self._language, "batch_one", **figures, outcome=told, forecast=self._forecast())

    def _so_far(self) -> str:
        told = counts(self._language, self._came)
        figures = {"done": self._done, "all": self._all, "at_work": self._at_work}
        return say(self._language, "batch_so_far", **figures, counts=told, forecast=self._forecast())


class MovingLines(BatchLines):
    """A line that moves; above it what failed."""

    def __init__(self, language: str, at_once: int) -> None:
        super().__init__(language, at_once)
        self._line_below = MovingLine()

    def moved(self, at_work: int) -> None:
        """Draws the line again."""
        super().moved(at_work)
        self._line_below.show_often(self._so_far())

    def close(self) -> None:
        """Takes the line down."""
        self._line_below.close()

    def _tell(self, question: Question, value: Mapping[str, Any]) -> None:
        if outcome(value) == "failures":
            self._note(self._line(question, value))

    def _note(self, text: str) -> None:
        self._line_below.note(text)


def counts(language: str, came: Counter[str]) -> str:
    """`12 consensus, 3 split`."""
    each = [f"{number(language, came[key])} {say(language, f'batch_{key}')}" for key in OUTCOMES if came[key]]
    return say(language, "listed").join(each) or say(language, "batch_none")


def as_object(result: Result, problem: str | None, exit_code: int, again: str) -> dict[str, Any]:
    """The object of `--json`."""
    from debateroom.messages import CURRENCY, dollars

    over = len(result.values) - result.failed
    return {
        "ok": exit_code == 0,
        "exit_code": exit_code,
        "room": str(result.folder),
        "kind": "batch",
        "status": "finished" if over == result.debates else "failed" if not result.late else "interrupted",
        "debates": result.debates,
        "done": over,
        "failed": result.failed,
        "outcomes": dict(Counter(map(outcome, result.values.values()))),
        "cost": dollars(result.cost),
        "currency": CURRENCY,
        "index": str(result.page),
        "summary": str(result.summary),
        "error": problem,
        "hint": again if problem else None,
    }


def problem(result: Result, language: str) -> str | None:
    """Why the batch is not done; None when it is."""
    if result.late:
        over = len(result.values) - result.failed
        return say(language, "batch_late", count=result.debates - over)
    if not result.failed:
        return None
    ids = [one_line(name, 40) for name, value in result.values.items() if outcome(value) == "failures"]
    more = [f"+{len(ids) - _NAMED}"] if len(ids) > _NAMED else []
    return say(language, "batch_some_failed", count=len(ids), ids=say(language, "listed").join(ids[:_NAMED] + more))


def tell(result: Result, language: str) -> None:
    """What it came to, on stdout, and where it is."""
    came = Counter(map(outcome, result.values.values()))
    figures = {"done": len(result.values) - result.failed, "all": result.debates, "counts": counts(language, came)}
    output.tell(say(language, "batch_done", **figures, cost=states.cost(language, result.cost)) + "\n")
    for label, path in (("batch_index", result.page), ("batch_summary", result.summary)):
        output.tell(printable(say(language, "labelled", label=say(language, label), text=path)))
