"""Where everything stands in the picture of movement: a lane a proposal, a slot a seat. Geometry only, no markup.

A seat comes back to the slot it had in a lane, and a lane's owner has the first one: a line bends only where its
seat moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debateroom.report.facts import Facts
from debateroom.report.positions import Position, State
from debateroom.report.text import columns as columns_of
from debateroom.report.text import shorten

Key = int | State
"""A lane: the index of the seat whose proposal it is, or the state of those who stand nowhere known."""

_PAD = 10.0
_GAP = 6.0


@dataclass(frozen=True, slots=True)
class Lane:
    """One band of the picture."""

    proposal: int | None
    """Whose proposal it is; None for the lanes of what is not known."""
    label: tuple[str, ...]
    """Its name, in one line or two."""
    top: float
    height: float
    label_y: float
    """The middle of the label: level with the first slot where there is room."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seat stands in one round."""

    y: float
    known: bool


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The lanes from top to bottom, one row of places a seat, and the height of it all."""

    lanes: tuple[Lane, ...]
    places: tuple[tuple[Place, ...], ...]
    height: float


def arrange(facts: Facts, *, step: float, font: float, columns: int) -> Arrangement:
    """The arrangement for `facts`, with `step` between slots and labels of `columns` columns in size `font`."""
    slots = _slots(facts.rows)
    labels = _labels(facts, columns)
    used = {key for row in slots for key, _ in row}
    lanes, tops, top = [], {}, 0.0
    for key, label in labels.items():
        if key not in used:
            continue
        deepest = max(slot for row in slots for at, slot in row if at == key)
        height = max((deepest + 1) * step, len(label) * (font + 2)) + _PAD
        first = top + _PAD / 2 + max(step / 2, (height - _PAD) / 2 if deepest == 0 else 0)
        label_y = max(first, top + _PAD / 2 + len(label) * (font + 2) / 2)
        lanes.append(Lane(key if isinstance(key, int) else None, label, top, height, label_y))
        tops[key] = first
        top += height + _GAP
    places = tuple(tuple(Place(tops[key] + slot * step, isinstance(key, int)) for key, slot in row) for row in slots)
    return Arrangement(tuple(lanes), places, top - _GAP if lanes else 0.0)


def label_lines(text: str, columns: int, lines: int = 2) -> tuple[str, ...]:
    """`text` broken at spaces into at most `lines` lines of `columns` columns; what does not fit ends in `…`."""
    words = text.split()
    found = [""]
    for position, word in enumerate(words):
        longer = f"{found[-1]} {word}".strip()
        if columns_of(longer) <= columns or not found[-1]:
            found[-1] = longer
        elif len(found) < lines:
            found.append(word)
        else:
            found[-1] = " ".join([found[-1], *words[position:]])
            break
    if len(found) < lines and columns_of(found[-1]) > columns:  # one long word, or a script without spaces
        head = shorten(found[-1], columns).removesuffix("…")
        found = [*found[:-1], head, found[-1][len(head) :]]
    return tuple(shorten(line, columns) for line in found if line)


def text_width(text: str, size: float) -> float:
    """About how wide `text` is in font size `size`; a little too much rather than too little."""
    return sum(size if columns_of(char) == 2 else size * 0.6 for char in text)


def _labels(facts: Facts, columns: int) -> dict[Key, tuple[str, ...]]:
    """Every possible lane in order: the seats' proposals, then what is not known."""
    labels: dict[Key, tuple[str, ...]] = {}
    for seat in facts.seats:
        name = seat.role or seat.name
        labels[seat.index] = label_lines(f"{seat.mark}\N{NO-BREAK SPACE}{name}", columns)
    for state in ("unsaid", "devil", "off_topic", "no_answer", "absent"):
        labels[state] = label_lines(facts.words(f"chart.{state}_lane"), columns)
    return labels


def _slots(rows: Sequence[Sequence[Position]]) -> list[list[tuple[Key, int]]]:
    """Each seat's lane and slot, round by round.

    In a proposal's lane a slot is a seat's own for good, the owner's the first; elsewhere the first free one serves.
    """
    owned: dict[Key, list[int]] = {}
    found: list[list[tuple[Key, int]]] = [[] for _ in rows]
    for number in range(len(rows[0]) if rows else 0):
        lanes = [_key(row[number]) for row in rows]
        for seat in sorted(range(len(rows)), key=lambda seat: lanes[seat] != seat):
            key = lanes[seat]
            if isinstance(key, int):
                visitors = owned.setdefault(key, [])
                if seat not in visitors:
                    visitors.append(seat)
                found[seat].append((key, visitors.index(seat)))
        for key in {key for key in lanes if not isinstance(key, int)}:
            there = [seat for seat, lane in enumerate(lanes) if lane == key]
            for slot, seat in enumerate(there):
                found[seat].append((key, slot))
    return found


def _key(position: Position) -> Key:
    return position.proposal if position.proposal is not None else position.state
