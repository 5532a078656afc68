"""What a coordinator's tools share while it works: the room they tell things to, and the thread that writes in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from debateroom.playbooks import decision
from debateroom.playbooks.decision import Decision
from debateroom.playbooks.plan import Plan
from debateroom.room.room import Room, journal

Result = TypeVar("Result")
Ask = Callable[[str, str], bool | None]
"""Whether a person permits a tool, called on the main thread with its name and arguments; None: nobody is there."""


class Desk:
    """The desk of one run. Tools run in threads of their own, the room is written by one."""

    def __init__(self, room: Room, plan: Plan, *, ask: Ask | None = None) -> None:
        self.room = room
        self.plan = plan
        self.ask = ask
        self.project = Path(plan.task.folder)
        self.tell: Callable[[Callable[[], None]], None] = _at_once
        """Has something done on the main thread; set before the coordinator is asked."""
        self._lock = threading.Lock()  # protects what follows: tools count and note at the same time
        known = journal(room.folder).values
        self._noted: list[Mapping[str, Any]] = [each for each in known if each["event"] == decision.EVENT]
        self._workers = {str(each["id"]) for each in known if each["event"] == "worker_delegated"}

    def write(self, *events: Mapping[str, Any]) -> None:
        """Puts events into the journal, from whichever thread."""
        self.tell(lambda: self.room.write(*events))

    def noted(self, made: Decision) -> tuple[Mapping[str, Any], ...]:
        """The event of a decision; none for one that stands there word for word: a tool may be run again."""
        with self._lock:
            if any(made.same(each) for each in self._noted):
                return ()
            told = made.event()
            self._noted.append(told)
        return (told,)

    def admit(self, worker: str, most: int) -> bool:
        """Whether one more worker may start, or had before."""
        with self._lock:
            if worker not in self._workers and len(self._workers) >= most:
                return False
            self._workers.add(worker)
            return True

    def asked(self, tool: str, shown: str) -> bool | None:
        """What a person says on the main thread; None when nobody is there."""
        ask = self.ask
        return None if ask is None else self.on_main(lambda: ask(tool, shown))

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
