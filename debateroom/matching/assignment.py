"""Who is paired with whom: maximum matching in any order, the longest pairing in a given order. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

Fits = Sequence[Sequence[bool]]
"""A row for each slot, in it a column for each call: whether that call can fill that slot."""


def maximum(fits: Fits, first: Sequence[int] = ()) -> dict[int, int]:
    """Slot → call, as many pairs as there can be, each slot and each call in one at most.

    Calls of `first` are paired wherever that is possible at all; it costs no pair, because an augmenting path
    leaves everything paired that was (Mendelsohn and Dulmage 1958). Kuhn's algorithm.
    """
    columns = list(zip(*fits, strict=True))
    slot_of: dict[int, int] = {}
    call_of: dict[int, int] = {}
    dead: set[int] = set()
    for call in first:
        _augment(call, columns, slot_of, call_of, dead)
    dead = set()
    for slot in range(len(fits)):
        if slot not in call_of:
            _augment(slot, fits, call_of, slot_of, dead)
    return call_of


def _augment(start: int, fits: Fits, mate: dict[int, int], holder: dict[int, int], dead: set[int]) -> None:
    """Pairs `start`, a row of `fits`, along the shortest augmenting path, where there is one.

    `mate` has the column of each paired row, `holder` the row of each paired column. A loop, for a path may be long.
    `dead` are the columns from which a search came to no end: none ever will, so that many slots that cannot be
    filled cost one search.
    """
    came: dict[int, int] = {}
    """Column → the row that it was reached from."""
    rows = deque([start])
    while rows:
        row = rows.popleft()
        for column, fit in enumerate(fits[row]):
            if not fit or column in came or column in dead:
                continue
            came[column] = row
            if column in holder:
                rows.append(holder[column])
                continue
            end: int | None = column
            while end is not None:  # back along the path: each row takes the column it reached, and frees its own
                reached = came[end]
                mate[reached], holder[end], end = end, reached, mate.get(reached)
            return
    dead.update(came)


def longest_in_order(fits: Fits, calls: int) -> dict[int, int]:
    """Slot → call, as many pairs as there can be when later slots have later calls."""
    best = [[0] * (calls + 1) for _ in range(len(fits) + 1)]
    for slot in reversed(range(len(fits))):
        for call in reversed(range(calls)):
            paired = best[slot + 1][call + 1] + 1 if fits[slot][call] else 0
            best[slot][call] = max(paired, best[slot + 1][call], best[slot][call + 1])
    pairs: dict[int, int] = {}
    slot = call = 0
    while slot < len(fits) and call < calls:
        if fits[slot][call] and best[slot][call] == best[slot + 1][call + 1] + 1:
            pairs[slot] = call
            slot, call = slot + 1, call + 1
        elif best[slot][call] == best[slot][call + 1]:
            call += 1
        else:
            slot += 1
    return pairs
