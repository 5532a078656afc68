"""What a run may still spend: its model is asked only while something is left, workers get equal shares of it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from debateroom.messages import Answer, Model, OnText, Request
from debateroom.playbooks.plan import Plan
from debateroom.room.room import Room

DELEGATE = "delegate_task"
"""The tool that spends a share."""


class Spent(Exception):
    """The budget holds no further call."""


class Purse:
    """The budget of one run. Without one there is no limit."""

    def __init__(self, room: Room, plan: Plan) -> None:
        self._room = room
        self._plan = plan
        self._lock = threading.Lock()  # protects what follows: workers of one step ask at the same time
        self._step = 0
        self._share = 0.0

    def hold(self) -> None:
        """Raises Spent when nothing is left, or when nobody knows what was spent."""
        cost, budget = self._room.transcript.cost, self._plan.budget
        if budget is not None and (cost is None or cost >= budget):
            raise Spent

    def share(self) -> float | None:
        """US dollars that each worker of the step under way may spend; None is no limit.

        What is left is divided by the step's workers and the coordinator, which has something to say afterwards: run
        at the same time, they cannot pass the budget together. What one does not need is there for the next step.
        """
        if self._plan.budget is None:
            return None
        steps = self._room.state.looked.get((1, self._plan.name), ())
        with self._lock:
            if self._step != len(steps):
                step = steps[-1]
                waiting = [
                    call for call in step.asked["asked"] if call["name"] == DELEGATE and call["id"] not in step.ran
                ]
                self._step, self._share = len(steps), self._left() / (len(waiting) + 1)
            return self._share

    def _left(self) -> float:
        cost, budget = self._room.transcript.cost, self._plan.budget or 0.0
        return 0.0 if cost is None else max(0.0, budget - cost)


class HeldModel:
    """A model that is asked only as long as `hold` raises nothing."""

    def __init__(self, model: Model, hold: Callable[[], None]) -> None:
        self.name = model.name
        self.vendor = model.vendor
        self.window = model.window
        self.moderates = model.moderates
        self._model = model
        self._hold = hold

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises what `hold` raises before it is asked."""
        self._hold()
        return self._model.ask(request, on_text=on_text)
