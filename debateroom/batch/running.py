"""Runs a batch: plans what is new, sends each debate to an executor, notes what comes back."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from debateroom import activities, clock, context, settings
from debateroom.batch import questions as asked
from debateroom.batch import standing, task
from debateroom.batch.questions import Question
from debateroom.batch.shares import Shares
from debateroom.batch.standing import Item, Summary
from debateroom.debating import plan as plans
from debateroom.debating.plan import Plan
from debateroom.errors import BudgetSpent, DebateroomError, RoomBusy, RoomError, UsageError
from debateroom.interruption import Interrupted
from debateroom.models.quote import scrub
from debateroom.models.registry import Models
from debateroom.reading.question import classify_question
from debateroom.room import lock
from debateroom.room.room import OnEvent, folder_of
from debateroom.settings import Settings

MOST_TOGETHER = 300
"""Debates at once in the providers' batches: each has a thread for every seat, and two open files."""
_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""
_GRACE = 0.5
"""Seconds that debates have to note that they were interrupted."""
_PAGE_EVERY = 5.0
"""Seconds between two writings of the page while debates end."""
_STOPPED = 15
"""The signal's number that a debate notes when the batch's time is over: it was told to leave."""

Value = Mapping[str, Any]
"""The object of a debate, as `room.summary` has it."""
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
        """Debates without a result. A verdict that is no is one."""
        return sum(value["exit_code"] not in (0, 3) for value in self.values.values())

    @property
    def cost(self) -> float | None:
        """US dollars of all debates; None when one is not known."""
        costs = [value.get("cost", 0.0) for value in self.values.values()]
        return None if None in costs else sum(costs)


class Batch:
    """A file of questions and where their rooms are. `given` are settings of all debates."""

    def __init__(
        self, questions: list[Question], name: str, given: Mapping[str, Any], *, provider_batch: bool = False
    ) -> None:
        self.given = dict(given)
        self.provider_batch = provider_batch
        """Whether all calls go into the providers' batches."""
        self.chosen: Settings = settings.load({**given, "room": name})
        self.folder = folder_of(self.chosen.active, name)
        self.items = [Item(question, self.folder / question.id) for question in questions]
        self.language = self.chosen.language if self.chosen.language != "auto" else _language(questions)

    def at_once(self) -> int:
        """Debates at once: enough to keep as many calls under way as may be, and no more than these."""
        if self.provider_batch:  # a round of all is one batch
            return min(len(self.items), MOST_TOGETHER)
        seats = max(self.chosen.agents or len(self.chosen.role) or 3, 1)
        return max(1, min(self.chosen.concurrency, 2 * self.chosen.concurrency // seats))

    def steps(self) -> int:
        """Batches of a provider one after the other, about: a round and what the moderator says of it, the end."""
        rounds = max(int(item.question.given.get("rounds") or self.chosen.rounds) for item in self.items)
        moderated = self.chosen.moderator != plans.NO_MODERATOR
        return rounds * (2 if moderated else 1) + (1 if moderated else 0)

    def run(
        self,
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
        standing.hold_folder(self.folder)
        try:
            taken = lock.take(self.folder)
        except RoomBusy as error:
            raise RoomBusy(f"another process runs the batch {self.folder.name}", hint="wait for it") from error
        try:
            return _Run(self, executor, send, progress, gathering).play(at_once)
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
        self._waiting: deque[tuple[Item, Plan | None, Settings]] = deque()
        """Debates to be played; those that were begun have no plan but that of their room."""
        self._under_way: dict[Future[dict[str, Any]], tuple[Item, float | None]] = {}
        """With the share that each has of the budget."""
        self._stop = threading.Event()
        self._page_at = 0.0

    def play(self, at_once: int) -> Result:
        chosen = self._batch.chosen
        until = clock.monotonic() + chosen.timeout if chosen.timeout is not None else None
        self._look()
        self._plan()
        shares = self._shares()
        known = [(item, self._values[item.question.id]) for item in self._batch.items if self._is_known(item)]
        summary = Summary(self._batch.folder, known)
        self._progress.begin(len(self._batch.items), len(known))
        late = False
        try:
            while (self._waiting or self._under_way) and not late:
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

    def _look(self) -> None:
        """Finds out which debates are over."""
        for item in self._batch.items:
            value = standing.finished(item)
            if value is not None:
                self._values[item.question.id] = value

    def _plan(self) -> None:
        """Plans what is new, so that whatever is wrong with a line is said before the first call."""
        new = [item for item in self._batch.items if not self._is_known(item)]
        with activities.open_models(self._batch.chosen) as models:
            for item in new:
                chosen = self._settings(item)
                self._waiting.append((item, self._planned(item, chosen, models), chosen))
        self._waiting = deque(sorted(self._waiting, key=lambda each: each[1] is not None))  # those begun come first

    def _planned(self, item: Item, chosen: Settings, models: Models) -> Plan | None:
        """The plan of a debate; None for one that was begun, which must have been asked in the same way."""
        asked_in_batches = self._batch.provider_batch
        if not standing.is_begun(item):
            return _plan(item.question, chosen, models, provider_batch=asked_in_batches)
        if bool(standing.begun_with(item).get("provider_batch")) is not asked_in_batches:
            how = "without" if asked_in_batches else "with"
            hint = f"give the command {how} it, or name another batch with --room"
            raise UsageError(f"{item.question.where}: this debate was begun {how} --provider-batch", hint=hint)
        return None

    def _settings(self, item: Item) -> Settings:
        """Of one debate: its own, in its own room; the batch's time is not its."""
        batch, question = self._batch, item.question
        given = asked.together({**batch.given, "timeout": None}, question)
        try:
            chosen = settings.load(given)
        except DebateroomError as error:
            raise _at(question, error) from error.__cause__
        timeout = chosen.timeout if "timeout" in question.given else None
        return chosen.model_copy(update={"active": batch.folder, "room": question.id, "timeout": timeout})

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


def _plan(question: Question, chosen: Settings, models: Models, *, provider_batch: bool) -> Plan:
    """The plan of one debate. Raises what is wrong with it, with file and line."""
    try:
        gathered = context.collect(chosen.context, chosen.note)
        plan = plans.make(question.text, chosen, gathered, models)
        return plans.in_batches(plan) if provider_batch else plan
    except DebateroomError as error:
        raise _at(question, error) from error.__cause__


def _at(question: Question, error: DebateroomError) -> DebateroomError:
    """The same error, with file and line before it."""
    error.args = (f"{question.where}: {error}",)
    error.wording = ()
    return error


def _language(questions: list[Question]) -> str:
    """That of most questions."""
    counted = Counter(classify_question(question.text).language for question in questions)
    return counted.most_common(1)[0][0]
