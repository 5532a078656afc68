"""Who is paired with whom: maximum matching in any order, the longest pairing in a given order. Pure."""

from __future__ import annotations

from collections.abc import Sequence

Fits = Sequence[Sequence[bool]]
"""A row for each slot, in it a column for each call: whether that call can fill that slot."""


def maximum(fits: Fits, first: Sequence[int] = ()) -> dict[int, int]:
    """Slot → call, as many pairs as there can be, each slot and each call in one at most.

    Calls of `first` are paired wherever that is possible at all; it costs no pair, because an augmenting path
    leaves everything paired that was (Mendelsohn and Dulmage 1958). Kuhn's algorithm.
    """
    slot_of: dict[int, int] = {}
    call_of: dict[int, int] = {}
    for call in first:
        _augment_call(call, fits, slot_of, call_of, set())
    for slot in range(len(fits)):
        if slot not in call_of:
            _augment_slot(slot, fits, slot_of, call_of, set())
    return call_of


def _augment_slot(slot: int, fits: Fits, slot_of: dict[int, int], call_of: dict[int, int], seen: set[int]) -> bool:
    for call, fit in enumerate(fits[slot]):
        if fit and call not in seen:
            seen.add(call)
            holder = slot_of.get(call)
            if holder is None or _augment_slot(holder, fits, slot_of, call_of, seen):
                slot_of[call], call_of[slot] = slot, call
                return True
    return False


def _augment_call(call: int, fits: Fits, slot_of: dict[int, int], call_of: dict[int, int], seen: set[int]) -> bool:
    for slot, row in enumerate(fits):
        if row[call] and slot not in seen:
            seen.add(slot)
            holder = call_of.get(slot)
            if holder is None or _augment_call(holder, fits, slot_of, call_of, seen):
                slot_of[call], call_of[slot] = slot, call
                return True
    return False


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
