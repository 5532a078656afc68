"""The budget of a batch: each debate that starts gets an equal share of what nobody has spent or been promised."""

from __future__ import annotations


class Shares:
    """What is left for the debates that have not been started. Without a budget there is no limit."""

    def __init__(self, budget: float | None, debates: int) -> None:
        self._left = budget
        self._waiting = debates
        """Debates that have no share yet."""

    def promise(self, share: float) -> None:
        """A debate that was begun earlier keeps its share."""
        self._waiting -= 1
        self._take(share)

    def take(self, own: float | None) -> float | None:
        """The share of a debate that is about to start, at most its `own` budget; US dollars, None is no limit."""
        if self._left is None:
            return own
        share = max(0.0, self._left) / max(1, self._waiting)
        self._waiting -= 1
        share = share if own is None else min(own, share)
        self._take(share)
        return share

    def settle(self, share: float | None, cost: float | None) -> None:
        """A debate is over: what it did not need is there for others; a cost that nobody knows was the share."""
        if share is not None and cost is not None:
            self._take(cost - share)

    def _take(self, dollars: float) -> None:
        if self._left is not None:
            self._left -= dollars
