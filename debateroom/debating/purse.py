"""The purse of one run: what the budget has left while calls are under way, and whose caches are warm.

A call counts at the most it may cost until it has landed, and then at what was paid. One that would have to be made
again is made only when it still fits beside all others that are under way and what is kept for later.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace

from debateroom import clock
from debateroom.debating import prefix
from debateroom.debating.budget import Allowance, least, longest
from debateroom.debating.plan import Plan
from debateroom.debating.played import Played
from debateroom.messages import Paid, Request
from debateroom.room.spending import spent

_LOOK = 0.2
"""Seconds between two looks at whether the run was stopped: Ctrl-C ends it within a second."""


class Purse:
    """Shared by all threads of a run. Without a budget everything fits."""

    def __init__(self, plan: Plan, stop: threading.Event | None = None) -> None:
        self._stop = stop or threading.Event()
        """When set, nobody waits any more."""
        self.sent = prefix.Sent()
        """The prefixes that this run has left with providers."""
        self.refused = False
        """Whether something was not asked again, or not at all, because it did not fit."""
        self.refused_now = False
        """The same of the step that was begun last."""
        self._plan = plan
        self._played: Played | None = None
        self._left = 0.0
        """US dollars for the calls of this step; the tickets are not taken off."""
        self._tickets: list[Ticket] = []
        # protects the tickets and what is in them: workers ask for another try while the main thread settles
        self.lock = threading.Condition()

    def begin(self, allowance: Allowance, spent: float | None) -> None:
        """The next step has `allowance`, `spent` US dollars being gone; None: nobody knows, and nothing more fits."""
        if self._plan.budget is None:
            return
        with self.lock:
            self._tickets, self.refused_now = [], False
            self._played = allowance.played
            self._left = -math.inf if spent is None else self._plan.budget - spent - allowance.kept

    def take(self, model: str, request: Request) -> Request:
        """`request` for a call that the allowance holds already; it counts, and carries what it is settled by."""
        if self._plan.budget is None:
            return request
        with self.lock:
            return self._with_ticket(model, request)

    def afford(self, model: str, request: Request) -> Request | None:
        """`request` for a call more than the allowance holds, with the tokens that fit; None when too few do."""
        if self._plan.budget is None:
            return request
        with self.lock:
            limit = self._fitting(model, request, self._left - self._under_way())
            if limit is None:
                self.refuse()
                return None
            return self._with_ticket(model, replace(request, max_tokens=limit))

    def settle(self, request: Request, paid: Sequence[Paid]) -> None:
        """The call of `request` has landed: from now on it counts at what was paid for it."""
        if isinstance(request.allowance, Ticket):
            with self.lock:
                request.allowance.landed(paid)
                self.lock.notify_all()

    def told(self, request: Request, paid: Sequence[Paid]) -> None:
        """A call of the reply that `request` asks for is over, and others follow; what was `paid` stays counted."""
        if isinstance(request.allowance, Ticket):
            with self.lock:
                request.allowance.told += self.price(request.allowance.model, paid)

    def again(self, ticket: Ticket) -> int | None:
        """Tokens that the next attempt of `ticket` may have beside all that is under way; None when too few fit.

        Waits for calls under way, which may come to less than they count at. Asked under `lock`.
        """
        end = clock.monotonic() + ticket.request.timeout
        while True:
            left = self._left - self._under_way() if ticket in self._tickets else -math.inf
            limit = self._fitting(ticket.model, ticket.request, left)
            if limit is not None:
                return limit
            if self._stop.is_set() or clock.monotonic() >= end or not any(each.out for each in self._tickets):
                self.refuse()
                return None
            self.lock.wait(_LOOK)

    def _fitting(self, model: str, request: Request, left: float) -> int | None:
        """Tokens up to the request's that `left` US dollars hold; None when these are fewer than `LEAST`."""
        return longest(
            lambda size: self.most(model, replace(request, max_tokens=size)),
            left,
            min(least(self._plan), request.max_tokens),
            request.max_tokens,
        )

    def refuse(self) -> None:
        """Notes that something is not asked, because it does not fit."""
        self.refused = self.refused_now = True

    def price(self, model: str, paid: Sequence[Paid]) -> float:
        """US dollars of calls that were paid for; infinite when nobody knows."""
        cost: float | None = spent(model, *paid, prices=self._plan.prices).get("cost", 0.0)
        return math.inf if cost is None else cost

    def most(self, model: str, request: Request) -> float:
        """US dollars that one attempt may cost; infinite when nobody knows."""
        most = self._played.at_most(model, request) if self._played else None
        return math.inf if most is None else most

    def _with_ticket(self, model: str, request: Request) -> Request:
        ticket = Ticket(self, model, request)
        self._tickets.append(ticket)
        return replace(request, allowance=ticket)

    def _under_way(self) -> float:
        return sum(ticket.counted for ticket in self._tickets)


class Ticket:
    """What one call counts at: the most that one attempt may cost, and what earlier ones were paid."""

    def __init__(self, purse: Purse, model: str, request: Request) -> None:
        self._purse = purse
        self.model = model
        self.request = request
        self.lost = 0.0
        """US dollars of attempts that were thrown away."""
        self.told = 0.0
        """US dollars of the look-ups that are over."""
        self.counted = purse.most(model, request)
        """US dollars."""
        self.out = True
        """Whether an attempt is under way."""

    def __repr__(self) -> str:
        return f"Ticket({self.model!r}, {self.counted:.4f})"

    def again(self, lost: Sequence[Paid]) -> int | None:
        """Tokens that another attempt may have, `lost` having been paid for nothing since; None when none fits."""
        with self._purse.lock:
            self.lost += self._purse.price(self.model, lost)
            self.counted, self.out = self.lost + self.told, False
            self._purse.lock.notify_all()
            limit = self._purse.again(self)
            if limit is not None:
                self.counted += self._purse.most(self.model, replace(self.request, max_tokens=limit))
                self.out = True
            return limit

    def landed(self, paid: Sequence[Paid]) -> None:
        """Counts at what was `paid` in all: for the look-ups before, and now."""
        self.counted, self.out = self.told + self._purse.price(self.model, paid), False
