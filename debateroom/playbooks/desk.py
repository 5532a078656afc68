"""What a coordinator's tools share while it works: the room they tell things to, and the thread that writes in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from debateroom import clock
from debateroom.playbooks import decision
from debateroom.playbooks.decision import Decision
from debateroom.playbooks.plan import Plan
from debateroom.playbooks.purse import Purse
from debateroom.room.room import Room, journal

Result = TypeVar("Result")
Ask = Callable[[str, str, str, float], bool | None]
"""Whether a person permits a tool, called on the main thread with the language to ask in, the tool's name, its
arguments and the seconds there are for an answer; None: nobody is there."""


class Desk:
    """The desk of one run. Tools run in threads of their own, the room is written by one."""

    def __init__(self, room: Room, plan: Plan, *, ask: Ask | None = None) -> None:
        self.room = room
        self.plan = plan
        self.ask = ask
        self.project = Path(plan.task.folder)
        self.tell: Callable[[Callable[[], None]], None] = _at_once
        """Has something done on the main thread; set before the coordinator is asked."""
        self.purse = Purse(room, plan)
        self._lock = threading.Lock()  # protects what follows: tools count and note at the same time
        known = journal(room.folder).values
        self._noted: list[Mapping[str, Any]] = [each for each in known if each["event"] == decision.EVENT]
        self._workers = {str(each["id"]): threading.Lock() for each in known if each["event"] == "worker_delegated"}
        self._ended = {str(each["id"]) for each in known if each["event"] == "worker_ended"}

    def write(self, *events: Mapping[str, Any]) -> None:
        """Puts events into the journal, from whichever thread."""
        self.tell(lambda: self.room.write(*events))

    def note(self, made: Decision) -> None:
        """Puts a decision into the journal, unless it stands there word for word: a tool may be run again."""
        with self._lock:
            if any(made.same(each) for each in self._noted):
                return
            told = made.event()
            self._noted.append(told)
        self.write(told)

    def admit(self, worker: str, most: int) -> threading.Lock | None:
        """What is held while the worker works: one asked for twice works once. None when there are `most` already."""
        with self._lock:
            if worker not in self._workers and len(self._workers) >= most:
                return None
            return self._workers.setdefault(worker, threading.Lock())

    def ended(self, worker: str, told: Mapping[str, Any]) -> None:
        """Puts the end of a worker into the journal once, and so what it cost, however often it is asked for."""
        with self._lock:
            known = worker in self._ended
            self._ended.add(worker)
        if not known:
            self.write(told)

    def asked(self, tool: str, shown: str, until: float) -> bool | None:
        """What a person says on the main thread up to a moment of `clock.monotonic()`; None when nobody is there, or
        another question took all that time.
        """
        ask = self.ask
        if ask is None:
            return None

        def put() -> bool | None:
            left = until - clock.monotonic()
            return ask(self.plan.language, tool, shown, left) if left > 0 else None

        return self.on_main(put)

    def on_main(self, act: Callable[[], Result]) -> Result:
        """What `act` gives or raises, done on the main thread after all that was told before."""
        done = threading.Event()
        came: dict[str, Any] = {}

        def put() -> None:
            try:
                came["result"] = act()
            except Exception as error:
                came["error"] = error
            done.set()

        self.tell(put)
        done.wait()
        if "error" in came:
            raise came["error"]
        result: Result = came["result"]
        return result


def _at_once(act: Callable[[], None]) -> None:
    act()
