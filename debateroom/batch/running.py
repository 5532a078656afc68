"""Runs a batch: plans what is new, sends each debate to an executor, notes what comes back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from debateroom import activities, clock
from debateroom.batch import standing, task
from debateroom.batch.planning import Batch, Planned, Value
from debateroom.batch.questions import Question
from debateroom.batch.shares import Shares
from debateroom.batch.standing import Item, Summary
from debateroom.errors import BudgetSpent, RoomBusy, RoomError, UsageError
from debateroom.interruption import Interrupted
from debateroom.models.quote import scrub
from debateroom.room import lock
from debateroom.room.room import OnEvent
from debateroom.room.summary import has_result

_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""
_GRACE = 0.5
"""Seconds that debates have to note that they were interrupted."""
_PAGE_EVERY = 5.0
"""Seconds between two writings of the page while debates end."""
_STOPPED = 15
"""The signal's number that a debate notes when the batch's time is over: it was told to leave."""

Send = Callable[[Executor, Path, OnEvent], "Future[dict[str, Any]]"]
"""Hands the room in a folder to an executor. The callback, where it is used, ends the debate by raising."""


class Progress(Protocol):
    """What is told while the batch runs."""

    def begin(self, debates: int, over: int) -> None: ...
    def ended(self, question: Question, value: Value) -> None: ...
    def moved(self, at_work: int) -> None: ...


class Result(NamedTuple):
    """What a batch came to."""

    folder: Path
    values: Mapping[str, Value]
    """The object of each debate that ended or failed, by id."""
    debates: int
    late: bool
    """Whether the time was over before all had ended."""
    page: Path
    """`index.html`."""
    summary: Path
    """`summary.jsonl`."""

    @property
    def failed(self) -> int:
        """Debates without a result."""
        return sum(not has_result(value) for value in self.values.values())

    @property
    def cost(self) -> float | None:
        """US dollars of all debates; None when one is not known."""
        costs = [value.get("cost", 0.0) for value in self.values.values()]
        return None if None in costs else sum(costs)


def run(
    batch: Batch,
    executor: Executor,
    send: Send,
    progress: Progress,
    *,
    at_once: int,
    gathering: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Result:
    """Plays all debates that are not over yet. Raises DebateroomError before the first call, RoomError later.

    `gathering` stands around every moment in which several debates are started.
    """
    standing.hold_folder(batch.folder)
    try:
        taken = lock.take(batch.folder)
    except RoomBusy as error:
        raise RoomBusy(f"another process runs the batch {batch.folder.name}", hint="wait for it") from error
    try:
        return _Run(batch, executor, send, progress, gathering).play(at_once)
    finally:
        taken.release()


class _Run:
    """One go at a batch."""

    def __init__(
        self,
        batch: Batch,
        executor: Executor,
        send: Send,
        progress: Progress,
        gathering: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._batch = batch
        self._executor = executor
        self._send = send
        self._progress = progress
        self._gathering = gathering
        self._values: dict[str, Value] = {}
        self._waiting: deque[Planned] = deque()
        """Debates to be played; those that were begun have no plan but that of their room."""
        self._under_way: dict[Future[dict[str, Any]], tuple[Item, float | None]] = {}
        """With the share that each has of the budget."""
        self._stop = threading.Event()
        self._page_at = 0.0

    def play(self, at_once: int) -> Result:
        chosen = self._batch.chosen
        until = clock.monotonic() + chosen.timeout if chosen.timeout is not None else None
        self._values = self._batch.over()
        with activities.open_models(chosen) as models:
            self._waiting = deque(self._batch.to_play(self._values, models))
        shares = self._shares()
        known = [(item, self._values[item.question.id]) for item in self._batch.items if self._is_known(item)]
        summary = Summary(self._batch.folder, known)
        self._progress.begin(len(self._batch.items), len(known))
        late = False
        try:
            while (self._waiting or self._under_way) and not late:
                if not (
                    self._batch.provider_batch and self._under_way
                ):  # there nobody comes when others are half done
                    with self._gathering():
                        while self._waiting and len(self._under_way) < at_once:
                            self._start(shares, summary)
                self._collect(shares, summary)
                late = until is not None and clock.monotonic() >= until and bool(self._waiting or self._under_way)
            if late:
                self._leave(shares, summary)
        finally:
            self._stop.set()
            for future in self._under_way:
                future.cancel()
            index = self._write_page()
            summary.close()
        path = (self._batch.folder / standing.SUMMARY).resolve()
        return Result(self._batch.folder.resolve(), self._values, len(self._batch.items), late, index, path)

    def _is_known(self, item: Item) -> bool:
        return item.question.id in self._values

    def _shares(self) -> Shares:
        """The budget, without what debates cost that are over, and what those have that were begun."""
        budget = self._batch.chosen.budget
        shares = Shares(budget, len(self._waiting))
        if budget is None:
            return shares
        for value in self._values.values():
            shares.settle(0.0, value["cost"])
        for item, plan, _ in self._waiting:
            if plan is not None:
                continue
            share = standing.begun_with(item).get("budget")
            if share is None:
                what = f"{item.question.where}: this debate was begun without a budget, and keeps its settings"
                raise UsageError(what, hint="leave --budget out until it is over, or name another batch with --room")
            shares.promise(share)
        return shares

    def _start(self, shares: Shares, summary: Summary) -> None:
        """Makes the room of the next debate, if it has none, and sends it off."""
        item, plan, chosen = self._waiting.popleft()
        own = chosen.budget if "budget" in item.question.given else None
        share = standing.begun_with(item).get("budget") if plan is None else shares.take(own)
        try:
            if plan is not None:
                activities.prepare(replace(plan, budget=share), chosen, handed_over=False)
        except BudgetSpent as error:  # its share does not hold a round
            shares.settle(share, 0.0)
            self._note(item, task.failed(error, item.folder), summary)
            return
        try:
            self._under_way[self._send(self._executor, item.folder, self._on_event)] = (item, share)
        except Exception as error:  # the cluster is gone
            self._note(item, _broken(error, item), summary)

    def _on_event(self, event: Value) -> None:
        """In the thread of a debate: ends it once the batch is to stop. What it had written is in its journal."""
        if self._stop.is_set() and event["event"] != "room_interrupted":
            raise Interrupted(_STOPPED)

    def _collect(self, shares: Shares, summary: Summary, seconds: float = _LOOK) -> None:
        """Notes the debates that ended; their futures are forgotten, so that no cluster keeps them."""
        done, _ = wait(self._under_way, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in done:
            item, share = self._under_way.pop(future)
            if self._stop.is_set() and (future.cancelled() or isinstance(future.exception(), Interrupted)):
                continue
            value = _result(future, item)
            shares.settle(share, value.get("cost"))
            self._note(item, value, summary)
        self._progress.moved(len(self._under_way))
        if clock.monotonic() - self._page_at > _PAGE_EVERY:
            self._write_page()

    def _leave(self, shares: Shares, summary: Summary) -> None:
        """Tells all debates to stop, and waits a moment for those that hear it."""
        self._stop.set()
        end = clock.monotonic() + _GRACE
        while self._under_way and clock.monotonic() < end:
            self._collect(shares, summary, end - clock.monotonic())

    def _note(self, item: Item, value: Value, summary: Summary) -> None:
        self._values[item.question.id] = value
        summary.add(item, value)
        self._progress.ended(item.question, value)

    def _write_page(self) -> Path:
        self._page_at = clock.monotonic()
        batch = self._batch
        return standing.write_index(batch.folder, batch.items, self._values, language=batch.language)


def _result(future: Future[dict[str, Any]], item: Item) -> Value:
    """The object that came back; what broke, or a worker that was lost, is an error of its debate alone."""
    try:
        return future.result()
    except (CancelledError, Exception) as error:
        return _broken(error, item)


def _broken(error: BaseException, item: Item) -> Value:
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    return task.failed(RoomError(f"it broke: {scrub(said)}", hint="give the command again"), item.folder)
