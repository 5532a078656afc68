"""All trials of an evaluation, several at once: each in a thread of its own, the journal written by this one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from debateroom import clock
from debateroom.agents.agent import Agent
from debateroom.errors import RoomError
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.playing import Parts, Waiting, play, set_stage, to_play
from debateroom.evaluation.stage import Over, Stage
from debateroom.evaluation.trial import Trial
from debateroom.room.room import Room

_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""
_GRACE = 1.0
"""Seconds that trials have after the run's time to end by themselves."""


class _Ended(NamedTuple):
    """A trial whose thread is done."""

    agent: Agent
    error: BaseException | None


class Trials:
    """The trials of one evaluation while they are played."""

    def __init__(self, room: Room, plan: Plan, parts: Parts, until: float | None) -> None:
        self._room = room
        self._plan = plan
        self._parts = parts
        self._until = until
        self._queue: SimpleQueue[Mapping[str, Any] | _Ended] = SimpleQueue()
        self._running = 0
        self._stopped = ""

    def play(self) -> str:
        """Plays all trials that the journal does not have; why it stopped before all were played, else empty.

        Raises NoModel and what is a fault of ours; what had been said until then is in the journal.
        """
        waiting = to_play(self._room.folder, self._plan)
        try:
            while self._running or (waiting and not self._stopped):
                with self._gathering():
                    while waiting and not self._stopped and self._running < self._plan.concurrency:
                        self._start(waiting.popleft())
                for ended in self._write():
                    self._take(ended)
                if self._too_late() and (self._running or waiting):
                    return "deadline"
        except RoomError:
            raise  # the disk is full, say: what comes after what was lost may not be written without it
        except BaseException:
            with contextlib.suppress(RoomError):
                self._write(wait=False)
            raise
        return self._stopped

    def _start(self, waiting: Waiting) -> None:
        stage = set_stage(
            self._plan, self._parts, waiting,
            tell=self._queue.put, may_call=self._hold_limits, until=self._until,
        )  # fmt: skip
        self._running += 1
        if self._parts.courier:
            self._parts.courier.enter()
        # a daemon: after Ctrl-C nobody waits for a call that is under way
        name = f"trial-{waiting.position}"
        threading.Thread(target=self._play, args=(stage,), name=name, daemon=True).start()

    def _play(self, stage: Stage) -> None:
        """In its own thread: one trial, to its end or to the end of the run."""
        error: BaseException | None = None
        try:
            play(stage)
        except BaseException as caught:
            error = caught
        if self._parts.courier:
            self._parts.courier.leave()
        self._queue.put(_Ended(stage.agent, error))

    def _gathering(self) -> contextlib.AbstractContextManager[None]:
        """A moment in which trials are started; no batch goes out in it."""
        return self._parts.courier.gathering() if self._parts.courier else contextlib.nullcontext()

    def _write(self, *, wait: bool = True) -> list[_Ended]:
        """Writes what was told since the last time, all with one sync; the trials that ended.

        Waits a moment for something to come.
        """
        came: list[Mapping[str, Any] | _Ended] = []
        with contextlib.suppress(Empty):
            if wait:
                came.append(self._queue.get(timeout=_LOOK))
            while True:
                came.append(self._queue.get_nowait())
        told = [each for each in came if not isinstance(each, _Ended)]
        if told:
            self._room.write(*told)
        return [each for each in came if isinstance(each, _Ended)]

    def _take(self, ended: _Ended) -> None:
        """Closes the agent of a trial that ended. Raises what ended the run."""
        self._running -= 1
        ended.agent.close()
        if isinstance(ended.error, Over):
            self._stopped = self._stopped or ended.error.why
        elif ended.error is not None:
            raise ended.error

    def _too_late(self) -> bool:
        return self._until is not None and clock.monotonic() > self._until + _GRACE

    def _hold_limits(self) -> None:
        """In a trial's thread. Raises Over when the budget or the time is spent, or the run was stopped."""
        if self._parts.stop.is_set():
            raise Over("stopped")
        spent = self._room.transcript.cost
        if self._plan.budget is not None and (spent is None or spent >= self._plan.budget):
            raise Over("budget")
        if self._until is not None and clock.monotonic() >= self._until:
            raise Over("deadline")


def lightened(trial: Trial) -> Trial:
    """The trial with what figures need, so that many take little room."""
    messages = tuple(each.model_copy(update={"text": ""}) for each in trial.messages if each.party == "customer")
    return trial.model_copy(
        update={"messages": messages, "calls": (), "initial": None, "final": None, "target": None, "judged": None}
    )
