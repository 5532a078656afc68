"""Trials of an evaluation that other processes play: each has a folder in the room, on storage that outlives them.

A worker writes what happens in a trial into a file there, as it happens; this side takes it over into the room's
journal, which only it writes. So a worker that is lost leaves what was paid for, and a trial that is sent again goes
on from there.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import clock, files
from debateroom.errors import NoModel, RoomBusy, RoomError
from debateroom.evaluation import journal, playing
from debateroom.evaluation.journal import Key
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.playing import Waiting
from debateroom.evaluation.trial import Stop, Trial
from debateroom.files import AppendLog
from debateroom.models.quote import scrub
from debateroom.room import lock
from debateroom.room.room import Room, event

_PLACE, _SAID, _STOP = ".trials", "said.jsonl", "stop"
_LOOK = 0.2
"""Seconds between two looks at what the workers wrote."""
_GRACE = 1.0
"""Seconds that trials have after the run's time to end by themselves."""
_LAG = 10.0
"""Seconds in which shared storage shows what another machine has written."""


class Task(NamedTuple):
    """One trial as it is sent: no key and no prompt, a place on shared storage and how far it may go."""

    folder: str
    """Of the room."""
    uuid: str
    position: int
    budget: float | None
    """US dollars that the run has left; None is no limit."""
    seconds: float | None
    """Of the run's time that are left; None is no limit."""


Send = Callable[[Task], "Future[dict[str, Any]]"]
"""Hands a trial to an executor; `{"lines", "stopped", "error", "no_model"}` comes back."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who plays the trials."""

    send: Send
    at_once: int
    """Trials under way, at most."""


def place(folder: Path, uuid: str) -> Path:
    """Where the trials of a run have their folders."""
    return folder / _PLACE / uuid


class Booth:
    """One trial's folder, held by the process that plays it."""

    def __init__(self, home: Path, position: int) -> None:
        """`home` is the `place` of the run's trials, `position` that of this one among them."""
        self._home = home
        self.folder = home / f"{position:05}"

    @contextlib.contextmanager
    def held(self, patience: float) -> Iterator[None]:
        """A block in which no other process plays the trial. Raises RoomBusy when one does longer than that."""
        self.folder.mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + patience
        while True:
            try:
                taken = lock.take(self.folder)
                break
            except RoomBusy:
                if time.monotonic() >= end:
                    raise
                time.sleep(_LOOK)
        try:
            yield
        finally:
            taken.release()

    def events(self) -> list[Mapping[str, Any]]:
        """What happened in it so far."""
        return list(_lines(self.folder / _SAID)[0])

    def log(self) -> AppendLog:
        """Where what happens in it is written."""
        return AppendLog(self.folder / _SAID)

    def stopped(self) -> bool:
        """Whether the run was stopped: nothing more may be asked."""
        return (self._home / _STOP).exists()


def _lines(path: Path, start: int = 0) -> tuple[Sequence[Mapping[str, Any]], int]:
    """The whole lines of a file from a byte on, as events of trials; and the byte after the last one."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            data = file.read()
    except FileNotFoundError:
        return (), start
    whole = data[: data.rfind(b"\n") + 1]
    found = [each for each in journal.readable(whole.splitlines()) if each["event"] in journal.OF_TRIALS]
    return found, start + len(whole)


class _Tail:
    """The file of one trial while it grows."""

    def __init__(self, path: Path, known: Sequence[Mapping[str, Any]]) -> None:
        """`known` are the events that the room's journal has of it: the first ones of the file."""
        self._path = path
        self.read = 0
        """Events that were read, those known before included."""
        self._at = 0
        self._skip = len(known)
        if known and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            files.replace(path, b"".join(files.dumps(each) + b"\n" for each in known))

    def more(self) -> list[Mapping[str, Any]]:
        """The events since the last time."""
        found, self._at = _lines(self._path, self._at)
        fresh = list(found[max(0, self._skip - self.read) :])
        self.read += len(found)
        return fresh


class RemoteTrials:
    """The trials of one evaluation while workers play them."""

    def __init__(self, room: Room, plan: Plan, workers: Workers, until: float | None) -> None:
        self._room = room
        self._plan = plan
        self._workers = workers
        self._until = until
        self._home = place(room.folder, plan.uuid)
        self._under_way: dict[Future[dict[str, Any]], tuple[Waiting, _Tail]] = {}
        self._stopped = ""

    def play(self) -> str:
        """Plays all trials that the journal does not have; why it stopped before all were played, else empty.

        Raises NoModel when a worker has no key or model.
        """
        collect(self._room, self._plan)
        waiting = playing.to_play(self._room.folder, self._plan)
        known = journal.told_of_trials(self._room.folder, {each.key for each in waiting})
        try:
            while self._under_way or (waiting and not self._stopped):
                while waiting and not self._stopped and len(self._under_way) < self._workers.at_once:
                    self._start(waiting.popleft(), known)
                self._look()
                if self._until is not None and clock.monotonic() > self._until + _GRACE:
                    return "deadline"
        finally:
            self._leave()
        return self._stopped

    def _start(self, waiting: Waiting, known: Mapping[Key, Sequence[Mapping[str, Any]]]) -> None:
        left = None if self._until is None else max(0.0, self._until - clock.monotonic())
        task = Task(str(self._room.folder.resolve()), self._plan.uuid, waiting.position, self._budget_left(), left)
        tail = _Tail(self._booth(waiting).folder / _SAID, known.get(waiting.key, ()))
        self._under_way[self._workers.send(task)] = (waiting, tail)

    def _look(self) -> None:
        """Takes over what the workers wrote, and forgets the trials that came back."""
        done, _ = wait(self._under_way, timeout=_LOOK, return_when=FIRST_COMPLETED)
        self._take_over(tail for _, tail in self._under_way.values())
        for future in done:
            waiting, tail = self._under_way.pop(future)
            self._take(future, waiting, tail)
        budget = self._plan.budget
        if budget is not None and not self._stopped and (self._budget_left() or 0.0) <= 0.0:
            self._stop("budget")

    def _take_over(self, tails: Iterator[_Tail]) -> None:
        fresh = [each for tail in tails for each in tail.more()]
        if fresh:
            self._room.write(*fresh)

    def _take(self, future: Future[dict[str, Any]], waiting: Waiting, tail: _Tail) -> None:
        """What came back of a trial. Raises NoModel."""
        try:
            found = future.result()
        except (CancelledError, Exception) as error:
            self._take_over(iter([tail]))
            self._broke(waiting, tail, f"{type(error).__name__}: {error}".rstrip(": "))
            return
        end = time.monotonic() + _LAG
        while tail.read < found["lines"] and time.monotonic() < end:
            self._take_over(iter([tail]))
            time.sleep(_LOOK / 4)
        if found["no_model"]:
            raise NoModel(
                f"a worker says: {found['error']}", hint="give the workers their keys, in their environment"
            )
        if found["error"]:
            self._broke(waiting, tail, found["error"])
        elif found["stopped"]:
            self._stop(found["stopped"])

    def _broke(self, waiting: Waiting, tail: _Tail, reason: str) -> None:
        """Notes a trial of which no end came back as a broken one, which is played again when the room goes on.

        Raises RoomBusy when a worker plays it all the same.
        """
        trial = Trial(
            task=waiting.task.id, number=waiting.number, seed=self._plan.seed + waiting.position,
            stop=Stop(cause="error", error=scrub(reason)),
        )  # fmt: skip
        booth = self._booth(waiting)
        with booth.held(_LAG):
            attempt = journal.attempts(booth.events()).get(waiting.key) or waiting.attempt
            where = {"task": waiting.task.id, "trial": waiting.number, "attempt": max(1, attempt.number)}
            log = booth.log()
            log.append([event("trial_finished", **where, **playing.ended(waiting.task, trial), seconds=0.0)])
            log.close()
        self._take_over(iter([tail]))

    def _booth(self, waiting: Waiting) -> Booth:
        return Booth(self._home, waiting.position)

    def _budget_left(self) -> float | None:
        spent = self._room.transcript.cost
        return None if self._plan.budget is None else self._plan.budget - spent if spent is not None else 0.0

    def _stop(self, why: str) -> None:
        """Lets no worker ask anything more."""
        self._stopped = self._stopped or why
        with contextlib.suppress(OSError):
            self._home.mkdir(parents=True, exist_ok=True)
            (self._home / _STOP).touch()

    def _leave(self) -> None:
        """After the last trial nothing is left beside the journal; before it, workers are told to stop."""
        if self._stopped or self._under_way or playing.to_play(self._room.folder, self._plan):
            self._stop(self._stopped or "stopped")
            for future in self._under_way:
                future.cancel()
            with contextlib.suppress(RoomError, OSError):
                self._take_over(tail for _, tail in self._under_way.values())
            return
        shutil.rmtree(self._home, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._home.parent.rmdir()


def collect(room: Room, plan: Plan) -> None:
    """Takes over what workers of an earlier run wrote and nobody took; first they are stopped, and waited for.

    Raises RoomBusy when one of them goes on.
    """
    home = place(room.folder, plan.uuid)
    if not home.is_dir():
        return
    (home / _STOP).touch()
    count = len(plan.tasks) * plan.asked.trials
    booths = sorted(each for each in home.iterdir() if each.name.isdecimal() and int(each.name) < count)
    keys = {playing.at(plan, int(each.name), journal.Attempt()).key for each in booths}
    known = journal.told_of_trials(room.folder, keys)
    for folder in booths:
        waiting = playing.at(plan, int(folder.name), journal.Attempt())
        booth = Booth(home, waiting.position)
        with booth.held(plan.model_timeout + _LAG):
            fresh = booth.events()[len(known.get(waiting.key, ())) :]
        if fresh:
            room.write(*fresh)
    (home / _STOP).unlink(missing_ok=True)
