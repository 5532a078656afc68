"""The judge at work: many questions asked at once. Worker threads only ask; nothing here writes.

What a judge says has one of two shapes: which of two answers is better, or how good one is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict

from debateroom import clock
from debateroom.debating import structured
from debateroom.debating.plan import Plan
from debateroom.debating.purse import Purse
from debateroom.debating.structured import Structured
from debateroom.language import say
from debateroom.messages import Model, Request

_BEST = 10
_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""
_GRACE = 1.0
"""Seconds for what is about to land when a key was refused or the time is over: it was paid for."""


def _no_flag(value: object) -> object:
    """`value`. Raises ValueError for `true`, which would pass for 1."""
    if isinstance(value, bool):
        raise ValueError("a whole number")  # noqa: TRY004 - pydantic's word for a value that is refused
    return value


class Comparison(BaseModel):
    """What a judge says of two answers."""

    model_config = ConfigDict(frozen=True)
    why: str
    better: Literal["answer_1", "answer_2", "tie"]


class Rating(BaseModel):
    """What it says of one."""

    model_config = ConfigDict(frozen=True)
    why: str
    score: Annotated[int, BeforeValidator(_no_flag)]


class Question(NamedTuple):
    """One judgement that is to be made."""

    shown: tuple[str, ...]
    """The seats whose answers are shown, in order: two, or one."""
    turn: int
    """1, or 2 for the other way round."""


def shape_of(question: Question) -> type[Comparison | Rating]:
    """The shape of what a judge says to a question."""
    return Comparison if len(question.shown) == 2 else Rating


class Landed(NamedTuple):
    """What came of a question; without an answer, what stands against any."""

    question: Question
    answer: Structured[Any] | None
    error: BaseException | None = None


class Jury:
    """The judgements that are under way. Worker threads only ask; what lands comes back to the main thread."""

    def __init__(
        self,
        plan: Plan,
        model: Model,
        purse: Purse,
        requests: Mapping[Question, Request],
        until: float | None,
        *,
        ahead: bool,
    ) -> None:
        """Sends all `requests`; when one goes `ahead`, the others follow once it has landed."""
        self._plan, self._model, self._purse, self._until = plan, model, purse, until
        self._end = math.inf if until is None else until + _GRACE
        self._queue: SimpleQueue[Landed] = SimpleQueue()
        self.missing = len(requests)
        """Judgements that have not landed with a value or a reason why there is none."""
        self._under_way = len(requests)
        # no `with`: leaving it would wait for calls in flight, and an interrupted run may not
        self._pool = ThreadPoolExecutor(min(len(requests), plan.concurrency), thread_name_prefix="judge")
        self._held = list(requests.items())
        self._send(1 if ahead else len(requests))

    def landed(self) -> Iterator[Landed]:
        """What lands, until all has, or the time is over and what was paid for has had its moment to come."""
        while self._under_way and clock.monotonic() < self._end:
            try:
                found = self._queue.get(timeout=_LOOK)
            except Empty:
                continue
            self._under_way -= 1
            self.missing -= found.answer is not None and not found.answer.failed
            yield found
            if self._under_way and clock.monotonic() < self._end and found.answer is not None:
                self._send(len(self._held))

    def is_late(self) -> bool:
        """Whether the time of the run is over."""
        return self._until is not None and clock.monotonic() >= self._until

    def hurry(self) -> None:
        """Sends nothing more, and waits only a moment for the rest."""
        self.close()
        self._end = min(self._end, clock.monotonic() + _GRACE)

    def close(self) -> None:
        """Stops taking calls, and waits for none."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _send(self, count: int) -> None:
        """Sends the next `count` of those that are held back."""
        now, self._held = self._held[:count], self._held[count:]
        for question, request in now:
            self._pool.submit(self._ask, question, request)

    def _ask(self, question: Question, request: Request) -> None:
        """In a worker thread. Raises nothing."""
        shape = shape_of(question)
        check = None if shape is Comparison else self._out_of_range
        try:
            answer: Structured[Any] = structured.ask(
                self._plan, self._model, request, shape, purse=self._purse, check=check
            )
            self._queue.put(Landed(question, answer))
        except BaseException as error:
            self._queue.put(Landed(question, None, error))

    def _out_of_range(self, rating: Any) -> str:
        return "" if 1 <= rating.score <= _BEST else say(self._plan.language, "score_range", most=_BEST)
